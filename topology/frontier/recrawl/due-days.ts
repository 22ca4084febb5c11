/**
 * Number of URLs due on each day, while a policy limits the visits of a day (`recrawl.fetchesPerDay`). It follows
 * from the table of due URLs: no change carries it, and it is collected again after a checkpoint is loaded.
 *
 * Days are whole days since the Unix epoch (UTC).
 */
import { daySeconds } from '../../policy/recrawl/change-rate.ts';
import { frontierLimits } from '../frontier-limits.ts';

export class DueDays {
  readonly #urls = new Map<number, number>();

  /** Adds or removes one URL that is due at `dueS`. */
  count(dueS: number, by: 1 | -1): void {
    const day = Math.floor(dueS / daySeconds);
    const urls = (this.#urls.get(day) ?? 0) + by;
    if (urls === 0) this.#urls.delete(day);
    else this.#urls.set(day, urls);
  }

  /**
   * `dueS`, or the same time of the first later day with fewer than `most` due URLs. Days beyond `dueDaysMax` are not
   * searched.
   */
  withRoom(dueS: number, most: number): number {
    const day = Math.floor(dueS / daySeconds);
    for (let later = 0; later < frontierLimits.dueDaysMax; later++)
      if ((this.#urls.get(day + later) ?? 0) < most) return dueS + later * daySeconds;
    return dueS + frontierLimits.dueDaysMax * daySeconds;
  }
}
