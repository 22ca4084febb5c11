/**
 * The fetcher's clock: never behind the latest grant it has seen (docs/design.md §4.4).
 *
 * Deadlines are set by the frontier's clock. A fetcher whose clock is behind would start requests that the frontier
 * already counts as expired; one that is ahead only gives leases back early, which is safe. It steps forward as it
 * observes: what must really have passed, a delay, is measured by the machine's own clock. A grant of the far future, from a program
 * that means something else by the field, is passed over.
 */
import type { Clock } from '../../runtime/clock.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

export interface GrantClock extends Clock {
  /** How far it is ahead of the machine's own clock, ms. */
  readonly aheadMs: number;
  /** Takes note of a grant's decision time. */
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
