/**
 * How many URLs are due on each day, while a policy bounds the visits of a day (`recrawl.fetchesPerDay`). It follows from the
 * table of due URLs: no change carries it, and it is gathered again when a checkpoint was loaded.
 *
 * Days are whole days since the Unix epoch (UTC).
 */
import { daySeconds } from '../../policy/recrawl/change-rate.ts';
import { frontierLimits } from '../frontier-limits.ts';

export class DueDays {
  readonly #urls = new Map<number, number>();

  /** So many more URLs, or fewer, are due at `dueS`. */
  count(dueS: number, by: 1 | -1): void {
    const day = Math.floor(dueS / daySeconds);
    const urls = (this.#urls.get(day) ?? 0) + by;
    if (urls === 0) this.#urls.delete(day);
    else this.#urls.set(day, urls);
  }

  /**
   * `dueS`, or the same time of the first later day on which fewer than `most` URLs are due. Days further away than
   * `dueDaysMax` are not looked at.
   */
  withRoom(dueS: number, most: number): number {
    const day = Math.floor(dueS / daySeconds);
    for (let later = 0; later < frontierLimits.dueDaysMax; later++)
      if ((this.#urls.get(day + later) ?? 0) < most) return dueS + later * daySeconds;
    return dueS + frontierLimits.dueDaysMax * daySeconds;
  }
}
