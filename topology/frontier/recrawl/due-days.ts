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
   * searched. `ownS`: when the URL is due so far: it has room on that day, and keeps its time. -1: it is not counted yet.
   */
  withRoom(dueS: number, most: number, ownS = -1): number {
    const day = Math.floor(dueS / daySeconds);
    const ownDay = Math.floor(ownS / daySeconds);
    for (let later = 0; later < frontierLimits.dueDaysMax; later++) {
      const urls = this.#urls.get(day + later) ?? 0;
      if (day + later === ownDay && urls <= most) return ownS;
      if (urls < most) return dueS + later * daySeconds;
    }
    return dueS + frontierLimits.dueDaysMax * daySeconds;
  }
}
