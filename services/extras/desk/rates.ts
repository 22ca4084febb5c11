/** How often something was done in the last while, by a name; the names that came first are forgotten when there are too many. */
import { deskLimits } from './desk-limits.ts';

export interface Rates {
  /** Counts one more. False: there were as many as may be, and it is not counted. */
  take(name: string, most: number, nowMs: number): boolean;
}

export function createRates(windowMs: number): Rates {
  const counted = new Map<string, { sinceMs: number; now: number; before: number }>();
  return {
    take(name, most, nowMs) {
      let one = counted.get(name);
      if (one === undefined) {
        if (counted.size >= deskLimits.countedMax) counted.delete(counted.keys().next().value!);
        counted.set(name, (one = { sinceMs: nowMs, now: 0, before: 0 }));
      }
      const windows = Math.floor((nowMs - one.sinceMs) / windowMs);
      if (windows > 0) {
        one.before = windows === 1 ? one.now : 0;
        one.now = 0;
        one.sinceMs += windows * windowMs;
      }
      // What the window before weighs is the part of it that is younger than a window (a sliding window, by two counters).
      const share = 1 - (nowMs - one.sinceMs) / windowMs;
      if (one.before * share + one.now >= most) return false;
      one.now += 1;
      return true;
    },
  };
}
