/**
 * The fetcher's clock: never behind the latest grant it has seen (DESIGN §4.4).
 *
 * Deadlines are set by the frontier's clock. A fetcher whose clock is behind would start requests that the frontier
 * already counts as expired; one that is ahead only gives leases back early, which is safe.
 */
import type { Clock } from '../runtime/clock.ts';

export interface GrantClock extends Clock {
  /** Takes note of a grant's decision time. */
  observe(grantedAtMs: number): void;
}

export function createGrantClock(clock: Clock): GrantClock {
  let aheadMs = 0;
  return {
    nowMs: () => clock.nowMs() + aheadMs,
    sleepUntil: (untilMs, signal) => clock.sleepUntil(untilMs - aheadMs, signal),
    observe(grantedAtMs) {
      aheadMs = Math.max(aheadMs, grantedAtMs - clock.nowMs());
    },
  };
}
