/**
 * Delays crawls that trouble a shared host. After a request that made the host ask for fewer, its crawl lets the other
 * crawls go first there, for twice as many requests each time. Otherwise a crawl with failing requests would get the
 * permit after each back-off, since it was served least, and no other crawl would get one.
 */
import { fleetLimits } from './fleet-limits.ts';

interface Owed {
  /** Number of others' requests that still go first. */
  permits: number;
  /** Consecutive requests that troubled the host. */
  streak: number;
}

export class HostTrouble {
  readonly #owed = new Map<string, Owed>();

  /** A request has ended. `isTrouble`: the host was backed off for it. */
  ended(crawl: string, isTrouble: boolean): void {
    if (!isTrouble) {
      this.#owed.delete(crawl);
      return;
    }
    const streak = (this.#owed.get(crawl)?.streak ?? 0) + 1;
    this.#owed.set(crawl, { streak, permits: Math.min(2 ** streak, fleetLimits.permitsOwedMax) });
  }

  granted(crawl: string): void {
    for (const [other, owed] of this.#owed) if (other !== crawl && owed.permits > 0) owed.permits -= 1;
  }

  /** Do others go first? */
  waits(crawl: string): boolean {
    return (this.#owed.get(crawl)?.permits ?? 0) > 0;
  }
}
