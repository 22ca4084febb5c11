/**
 * Delays owners that trouble a shared host, and crawls without an owner. After a request that made the host ask for
 * fewer, its owner lets the others go first there, for twice as many requests each time. Otherwise an owner with failing
 * requests would get the permit after each back-off, since it was served least, and nobody else would get one.
 *
 * The owner also has a back-off at the host. The one of the host ends with any good answer, and starts again at its
 * shortest. So an owner that gets only refusals would cost the others that time after each of their pages.
 */
import { throttleDelayMs } from '../frontier/decide/politeness.ts';
import { fleetLimits } from './fleet-limits.ts';

interface Owed {
  /** Number of others' requests that still go first. */
  permits: number;
  /** Consecutive requests that troubled the host. */
  streak: number;
  /** None of its requests starts before, ms. */
  untilMs: number;
}

export class HostTrouble {
  readonly #owed = new Map<string, Owed>();

  /** A request has ended. `isTrouble`: the host was backed off for it. */
  ended(blamed: string, isTrouble: boolean, nowMs: number): void {
    if (!isTrouble) {
      this.#owed.delete(blamed);
      return;
    }
    const streak = (this.#owed.get(blamed)?.streak ?? 0) + 1;
    const untilMs = nowMs + 1 + throttleDelayMs({ retriesMs: fleetLimits.backOffMs }, streak, () => 0.5);
    this.#owed.set(blamed, { streak, permits: Math.min(2 ** streak, fleetLimits.permitsOwedMax), untilMs });
  }

  granted(blamed: string): void {
    for (const [other, owed] of this.#owed) if (other !== blamed && owed.permits > 0) owed.permits -= 1;
  }

  /** Earliest time of its next request, ms. */
  heldUntilMs(blamed: string): number {
    return this.#owed.get(blamed)?.untilMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Do others go first? */
  waits(blamed: string): boolean {
    return (this.#owed.get(blamed)?.permits ?? 0) > 0;
  }
}
