/** A clock moved by hand: sleepers wake in the order of their times, as `advance` passes them. */
import type { Clock } from '../../../services/runtime/clock.ts';

export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>;
  /** The wall clock is set forward: sleepers sleep on, as timers do. */
  leap(ms: number): void;
}

export function createFakeClock(startMs = 1_700_000_000_000): FakeClock {
  let nowMs = startMs;
  let jumpedMs = 0;
  const sleepers = new Set<{ untilMs: number; readonly wake: () => void }>();
  return {
    nowMs: () => nowMs,
    get jumpedMs() {
      return jumpedMs;
    },
    leap(ms) {
      nowMs += ms;
      jumpedMs += ms;
      for (const sleeper of sleepers) sleeper.untilMs += ms;
    },
    sleepUntil: (untilMs, signal) =>
      new Promise((resolve) => {
        if (untilMs <= nowMs || signal?.aborted) {
          resolve();
          return;
        }
        const sleeper = {
          // Clocks go by whole milliseconds.
          untilMs: Math.ceil(untilMs),
          wake: () => {
            sleepers.delete(sleeper);
            signal?.removeEventListener('abort', sleeper.wake);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', sleeper.wake, { once: true });
      }),
    async advance(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        const [next] = [...sleepers].sort((a, b) => a.untilMs - b.untilMs);
        if (next === undefined || next.untilMs > endMs) break;
        nowMs = Math.max(nowMs, next.untilMs);
        next.wake();
      }
      nowMs = endMs;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
