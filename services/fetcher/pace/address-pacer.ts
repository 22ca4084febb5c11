/**
 * A limit per IP address, beside the one per host: thousands of names may have the same machine.
 *
 * Starts at one address are at least `intervalMs` apart, over all hosts. Every fetcher counts separately, so each takes
 * its share of the group's limit: the interval times the number of fetchers. 0 means no limit. The interval counts from
 * the real start of a request: the holder of a permit keeps the others waiting until it reports its start, or returns
 * the permit, so that two delayed requests do not start together. A clock that is set forward does not count. A host
 * with n simultaneous leases may use its address n times as often, since a permission for the host covers its machine.
 */
import type { Clock } from '../../runtime/clock.ts';

export interface AddressPacer {
  /** False: there is no limit. */
  readonly active: boolean;
  /** Sets the time between starts from now on, ms; 0: no limit. Requests that wait already keep their wait. */
  setDelay(delayMs: number): void;
  /** Waits for the next start on `address`, in line. Null: not by `latestStartMs`, or `signal` aborted. */
  acquire(
    address: string,
    latestStartMs: number,
    signal: AbortSignal,
    hostSlots?: number,
  ): Promise<AddressPermit | null>;
  readonly size: number;
}

/** Ends by one of its two ways, once. */
export interface AddressPermit {
  /** Time kept since the last start, ms. */
  readonly apartMs: number;
  /** The request starts now. */
  start(): void;
  /** Returns the permit without a start. */
  pass(): void;
}

interface AddressTimes {
  lastStartMs: number;
  /** Number of waiting requests. */
  waiting: number;
  /** Settles when the last of the waiting callers has had its permit. */
  line: Promise<unknown>;
}

/** The permit of an address without a limit. */
const free: AddressPermit = { apartMs: 0, start() {}, pass() {} };

/** Addresses before the first sweep. */
const sweepAtLeast = 4_096;

export function createAddressPacer(clock: Clock, firstDelayMs: number, groupSize: () => number): AddressPacer {
  let delayMs = firstDelayMs;
  const addresses = new Map<string, AddressTimes>();
  let sweepAt = sweepAtLeast;
  const intervalMs = () => delayMs * groupSize();
  const steadyMs = () => clock.nowMs() - jumpedMs();
  const jumpedMs = () => clock.jumpedMs ?? 0;

  const timesOf = (address: string): AddressTimes => {
    let times = addresses.get(address);
    if (times !== undefined) return times;
    if (addresses.size >= sweepAt) {
      const idleBeforeMs = steadyMs() - intervalMs();
      for (const [known, { waiting, lastStartMs }] of addresses) {
        if (waiting === 0 && lastStartMs <= idleBeforeMs) addresses.delete(known);
      }
      sweepAt = Math.max(sweepAtLeast, addresses.size * 2);
    }
    addresses.set(address, (times = { lastStartMs: 0, waiting: 0, line: Promise.resolve() }));
    return times;
  };

  return {
    get active() {
      return delayMs > 0;
    },
    setDelay(ms) {
      delayMs = ms;
    },
    async acquire(address, latestStartMs, signal, hostSlots = 1) {
      if (delayMs === 0) return free;
      const times = timesOf(address);
      const apartMs = () => Math.ceil(intervalMs() / hostSlots);
      const soonestMs = Math.max(steadyMs(), times.lastStartMs + apartMs()) + times.waiting * apartMs();
      if (soonestMs + jumpedMs() > latestStartMs) return null;
      let letGo = () => {};
      const gone = new Promise<void>((resolve) => (letGo = resolve));
      const leave = () => {
        times.waiting -= 1;
        letGo();
      };
      const permit = async (): Promise<AddressPermit | null> => {
        const startMs = times.lastStartMs + apartMs();
        while (startMs > steadyMs() && !signal.aborted) await clock.sleepUntil(startMs + jumpedMs(), signal);
        if (signal.aborted || clock.nowMs() > latestStartMs) {
          leave();
          return null;
        }
        const start = () => {
          times.lastStartMs = steadyMs();
          leave();
        };
        return { apartMs: apartMs(), start, pass: leave };
      };
      times.waiting += 1;
      const mine = times.line.then(permit);
      times.line = mine.then(() => gone);
      return mine;
    },
    get size() {
      return addresses.size;
    },
  };
}
