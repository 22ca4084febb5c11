/**
 * A limit per address, beside the one per host: thousands of names may live on one machine.
 *
 * Starts on one address are at least `intervalMs` apart, whatever the hosts; as every fetcher of the group keeps its
 * own count, each takes the group's share: the interval times the number of fetchers. 0 means no limit.
 */
import type { Clock } from '../runtime/clock.ts';

export interface AddressPacer {
  /** False: there is no limit. */
  readonly active: boolean;
  /** Reserves the next start on `address` and waits for it. False: not by `latestStartMs`, or `signal` aborted. */
  acquire(address: string, latestStartMs: number, signal: AbortSignal): Promise<boolean>;
  readonly size: number;
}

/** Addresses before the first sweep. */
const sweepAtLeast = 4_096;

export function createAddressPacer(clock: Clock, delayMs: number, groupSize: () => number): AddressPacer {
  const nextStarts = new Map<string, number>();
  let sweepAt = sweepAtLeast;

  return {
    active: delayMs > 0,
    async acquire(address, latestStartMs, signal) {
      if (delayMs === 0) return true;
      const nowMs = clock.nowMs();
      const startMs = Math.max(nowMs, nextStarts.get(address) ?? 0);
      if (startMs > latestStartMs) return false;
      if (nextStarts.size >= sweepAt) {
        for (const [known, atMs] of nextStarts) if (atMs <= nowMs) nextStarts.delete(known);
        sweepAt = Math.max(sweepAtLeast, nextStarts.size * 2);
      }
      nextStarts.set(address, startMs + delayMs * groupSize());
      if (startMs > nowMs) await clock.sleepUntil(startMs, signal);
      return !signal.aborted;
    },
    get size() {
      return nextStarts.size;
    },
  };
}
