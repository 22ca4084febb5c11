/** Rate limits by name, in a sliding window; the oldest names are dropped when there are too many. */
import { deskLimits } from './desk-limits.ts';

export interface Rates {
  /** Counts one more. Returns false, without counting, if the limit is reached. */
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
      // The previous window counts with the part that is younger than a window (a sliding window, by two counters).
      const share = 1 - (nowMs - one.sinceMs) / windowMs;
      if (one.before * share + one.now >= most) return false;
      one.now += 1;
      return true;
    },
  };
}
