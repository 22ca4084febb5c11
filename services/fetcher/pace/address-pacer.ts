/**
 * A limit per address, beside the one per host: thousands of names may live on one machine.
 *
 * Starts on one address are at least `intervalMs` apart, whatever the hosts; as every fetcher of the group keeps its
 * own count, each takes the group's share: the interval times the number of fetchers. 0 means no limit. The interval
 * counts from the moment at which a request really started: the holder of a permit keeps the others waiting until it
 * reports its start, or gives the permit back, so that two delayed requests do not start together; a clock that is set
 * forward does not count. A host that may be on n leases at once may use its address n times as often, since what is
 * allowed for the host applies to its machine.
 */
import type { Clock } from '../../runtime/clock.ts';

export interface AddressPacer {
  /** False: there is no limit. */
  readonly active: boolean;
  /** Time between starts from now on, ms; 0: no limit. Requests that wait by what held before go on waiting so. */
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
  /** It does not start. */
  pass(): void;
}

interface AddressTimes {
  lastStartMs: number;
  /** Waits in line. */
  waiting: number;
  /** Settles when the last of them has had its permit. */
  line: Promise<unknown>;
}

/** The permit where there is no limit. */
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
