/**
 * Whose requests trouble a host that several crawls want: after one that made the host ask for fewer, its crawl lets the others
 * go first there, for twice as many requests each time. Otherwise a crawl that asks for what fails would get the permit after
 * each back-off, since it was served least, and nobody else would get any.
 */
import { fleetLimits } from './fleet-limits.ts';

interface Owed {
  /** Requests of others that go first. */
  permits: number;
  /** Requests in a row that troubled the host. */
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
