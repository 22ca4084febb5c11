/**
 * A limit per address, beside the one per host: thousands of names may live on one machine.
 *
 * Starts on one address are at least `intervalMs` apart, whatever the hosts; as every fetcher of the group keeps its
 * own count, each takes the group's share: the interval times the number of fetchers. 0 means no limit. Counted from
 * when a turn was really given, so that two that come late do not come together. A host that may be crawled by n leases
 * at once may have its address n times as often: it is said of the host, and so of where it lives.
 */
import type { Clock } from '../runtime/clock.ts';

export interface AddressPacer {
  /** False: there is no limit. */
  readonly active: boolean;
  /** Waits for the next start on `address`, in line. False: not by `latestStartMs`, or `signal` aborted. */
  acquire(address: string, latestStartMs: number, signal: AbortSignal, lanes?: number): Promise<boolean>;
  readonly size: number;
}

interface AddressTimes {
  lastStartMs: number;
  /** Standing in line. */
  waiting: number;
  /** Settles when the last of them has had its turn. */
  line: Promise<unknown>;
}

/** Addresses before the first sweep. */
const sweepAtLeast = 4_096;

export function createAddressPacer(clock: Clock, delayMs: number, groupSize: () => number): AddressPacer {
  const addresses = new Map<string, AddressTimes>();
  let sweepAt = sweepAtLeast;
  const intervalMs = () => delayMs * groupSize();

  const timesOf = (address: string): AddressTimes => {
    let times = addresses.get(address);
    if (times !== undefined) return times;
    if (addresses.size >= sweepAt) {
      const idleBeforeMs = clock.nowMs() - intervalMs();
      for (const [known, { waiting, lastStartMs }] of addresses) {
        if (waiting === 0 && lastStartMs <= idleBeforeMs) addresses.delete(known);
      }
      sweepAt = Math.max(sweepAtLeast, addresses.size * 2);
    }
    addresses.set(address, (times = { lastStartMs: 0, waiting: 0, line: Promise.resolve() }));
    return times;
  };

  return {
    active: delayMs > 0,
    async acquire(address, latestStartMs, signal, lanes = 1) {
      if (delayMs === 0) return true;
      const times = timesOf(address);
      const apartMs = () => Math.ceil(intervalMs() / lanes);
      const soonestMs = Math.max(clock.nowMs(), times.lastStartMs + apartMs()) + times.waiting * apartMs();
      if (soonestMs > latestStartMs) return false;
      const turn = async () => {
        await clock.sleepUntil(times.lastStartMs + apartMs(), signal);
        times.waiting -= 1;
        if (signal.aborted || clock.nowMs() > latestStartMs) return false;
        times.lastStartMs = clock.nowMs();
        return true;
      };
      times.waiting += 1;
      const mine = times.line.then(turn);
      times.line = mine;
      return mine;
    },
    get size() {
      return addresses.size;
    },
  };
}
