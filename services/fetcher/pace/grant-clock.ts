/**
 * The fetcher's clock: never behind the latest grant it has seen (docs/design.md §4.4).
 *
 * The frontier's clock sets deadlines. A fetcher with a clock behind it would start requests that the frontier already
 * counts as expired; a clock ahead only returns leases early, which is safe. The clock steps forward as it observes
 * grants. Delays must really pass, so they are measured by the machine's clock. A grant of the far
 * future is ignored: another program may have put something else into the field.
 */
import type { Clock } from '../../runtime/clock.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

export interface GrantClock extends Clock {
  /** Lead over the machine's clock, ms. */
  readonly aheadMs: number;
  /** Observes the time of a grant. */
  observe(grantedAtMs: number): void;
}

export function createGrantClock(clock: Clock): GrantClock {
  let aheadMs = 0;
  return {
    nowMs: () => clock.nowMs() + aheadMs,
    sleepUntil: (untilMs, signal) => clock.sleepUntil(untilMs - aheadMs, signal),
    get aheadMs() {
      return aheadMs;
    },
    observe(grantedAtMs) {
      const byMs = grantedAtMs - clock.nowMs();
      if (byMs <= fetcherLimits.grantAheadMsMax) aheadMs = Math.max(aheadMs, byMs);
    },
  };
}
