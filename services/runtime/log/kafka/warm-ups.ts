/**
 * The partitions that a member warms up, since when, and when it should therefore join the group again. Times are
 * monotonic, ms.
 */
import { kafkaLimits } from './kafka-limits.ts';

export interface WarmUps {
  /** Sets the partitions to warm up; current ones continue. */
  begin(partitions: readonly number[]): void;
  lastingMs(): Record<string, number>;
  /** True: enough of them have caught up, or one has lasted too long. */
  areOver(caughtUp: readonly number[]): boolean;
}

export function createWarmUps(msMax: number): WarmUps {
  let begun: ReadonlyMap<number, number> = new Map();
  let firstReadyMs: number | undefined;

  return {
    begin(partitions) {
      const now = performance.now();
      begun = new Map(partitions.map((partition) => [partition, begun.get(partition) ?? now]));
      firstReadyMs = undefined;
    },
    lastingMs() {
      const now = performance.now();
      return Object.fromEntries([...begun].map(([partition, since]) => [partition, Math.round(now - since)]));
    },
    areOver(caughtUp) {
      if (begun.size === 0) return false;
      const now = performance.now();
      if ([...begun.values()].some((since) => now - since > msMax)) return true;
      const ready = [...begun.keys()].filter((partition) => caughtUp.includes(partition)).length;
      if (ready === 0) return false;
      firstReadyMs ??= now;
      return ready === begun.size || now - firstReadyMs >= kafkaLimits.warmUpsTogetherMs;
    },
  };
}
