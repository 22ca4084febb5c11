/**
 * The fetcher's clock per host: every contact with a host, for any purpose, needs a permit from here.
 *
 * Invariants: a host has one permit at a time. A permit starts no earlier than the completion of the previous one plus
 * the larger of two delays: the one kept of it, and the one requested now. The caller keeps all of a delay, unless it
 * always requests the ordered delay in force now: then it keeps only what the host's answers call for, so that a shorter
 * order applies at once. So neither lag, nor a lease that was
 * granted twice, nor a robots.txt redirect from another host causes a burst. Holding a permit *is* politeness (as in
 * BUbiNG, where it is holding the host's visit state). The frontier keeps the durable clock; this one only has to
 * outlive the delays.
 *
 * A host that may be crawled in parallel has n slots (leases/host-slots.ts). In each, permits are as above; starts in
 * any slots are at least a delay / n apart. A permit taken `alone`, for a Crawl-delay, treats the host as having one
 * slot: it starts when all others have ended, and the next permit in any slot waits for the delay too.
 *
 * Times are whole ms. A completion is anywhere inside its millisecond, so the delay counts from the end of it. Times
 * are kept as really passed time: a wall clock that is set forward causes no early contact.
 */
import type { ServerError } from '../../../topology/fleet/host-times.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { HttpResponse } from '../http/client.ts';

export interface Pacer {
  /** ms until the host may be contacted with `delayMs` between completion and start; Infinity while all permits are taken. */
  waitMs(hostKey: string, delayMs: number): number;
  /**
   * Takes the host's permit, waiting for it. Null: it can't start by `latestStartMs`, or we are shutting down. A caller
   * in line learns that it is too late when the permit before it ends, so at most one request later.
   */
  acquire(
    hostKey: string,
    delayMs: number,
    latestStartMs: number,
    alone?: boolean,
    asked?: Asked,
  ): Promise<Permit | null>;
  /** The host's next permit starts no earlier than this, whatever the delays. */
  hold(hostKey: string, untilMs: number): void;
  /** Hosts remembered. */
  readonly size: number;
}

/** The parts of the delay, for processes that share hosts with other crawls (fleet-pace.ts). */
export interface Asked {
  /** The delay is at least this multiple of the last request's duration. */
  readonly delayFactor: number;
  /** Crawl-delay in the host's robots.txt, ms; 0: none. */
  readonly crawlDelayMs: number;
  /** The lease has made a request before: it goes before others of its crawl. */
  readonly isBegun?: boolean;
  /** Effect of a server error on other crawls. Absent: none. */
  readonly failing?: ServerError | undefined;
}

export interface Permit {
  /**
   * Ends the permit. `endMs`: completion of the contact; 0: there was none. `response`: its response. `keptMs`: the part
   * of the delay that lasts whatever is ordered next. Absent: all of it.
   */
  release(endMs: number, delayMs: number, response?: HttpResponse, keptMs?: number): void;
}

interface HostSlot {
  /** End of its last contact, 0: none. */
  endMs: number;
  delayMs: number;
  /** The part of `delayMs` that lasts. */
  keptMs: number;
  busy: boolean;
}

interface HostTimes {
  /** Most hosts have one. */
  readonly hostSlots: HostSlot[];
  /** Number of slots with a permit. */
  busy: number;
  lastStartMs: number;
  /** Earliest time of the next permit; 0: no bound. */
  heldUntilMs: number;
  /** Number of callers that wait for a time, and callers that wait for the end of a permit. */
  asleep: number;
  readonly waiting: (() => void)[];
}

/** Hosts before the first sweep. */
const sweepAtLeast = 4_096;

/**
 * `signal` aborts at shutdown: waiting ends, and no permit is given any more. `hostSlotsOf`: how many permits a host
 * has at once. `onInterval` is called with the time between the starts of two successive permits of a host, ms.
 */
export function createPacer(
  clock: Clock,
  signal: AbortSignal,
  hostSlotsOf: (hostKey: string) => number = oneSlot,
  onInterval: (ms: number) => void = () => {},
): Pacer {
  return new HostPacer(clock, signal, hostSlotsOf, onInterval);
}

/** Its public acts are fields, since callers wrap a pacer by spreading it: `{ ...pacer, acquire }`. */
class HostPacer implements Pacer {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #hostSlotsOf: (hostKey: string) => number;
  readonly #onInterval: (ms: number) => void;
  readonly #hosts = new Map<string, HostTimes>();
  #sweepAt = sweepAtLeast;

  constructor(
    clock: Clock,
    signal: AbortSignal,
    hostSlotsOf: (hostKey: string) => number,
    onInterval: (ms: number) => void,
  ) {
    this.#clock = clock;
    this.#signal = signal;
    this.#hostSlotsOf = hostSlotsOf;
    this.#onInterval = onInterval;
    signal.addEventListener('abort', () => {
      for (const times of this.#hosts.values()) for (const wake of times.waiting.splice(0)) wake();
    });
  }

  #steadyMs() {
    return this.#clock.nowMs() - this.#jumpedMs();
  }

  #jumpedMs() {
    return this.#clock.jumpedMs ?? 0;
  }

  /**
   * Forgets hosts after their delay has passed. The remaining ones were contacted within their delays, which bounds
   * their number.
   */
  #sweep() {
    const nowMs = this.#steadyMs();
    for (const [hostKey, times] of this.#hosts) {
      const isIdle = times.busy === 0 && times.asleep === 0 && times.waiting.length === 0;
      if (isIdle && times.hostSlots.every((hostSlot) => readyAtMs(times, hostSlot, hostSlot.delayMs) <= nowMs))
        this.#hosts.delete(hostKey);
    }
    this.#sweepAt = Math.max(sweepAtLeast, this.#hosts.size * 2);
  }

  #timesOf(hostKey: string): HostTimes {
    let times = this.#hosts.get(hostKey);
    if (times === undefined) {
      if (this.#hosts.size >= this.#sweepAt) this.#sweep();
      times = { hostSlots: [newHostSlot()], busy: 0, lastStartMs: 0, heldUntilMs: 0, asleep: 0, waiting: [] };
      this.#hosts.set(hostKey, times);
    }
    return times;
  }

  #take(times: HostTimes, hostSlot: HostSlot, alone: boolean): Permit {
    hostSlot.busy = true;
    times.busy += 1;
    const nowMs = this.#steadyMs();
    if (times.lastStartMs > 0) this.#onInterval(nowMs - times.lastStartMs);
    times.lastStartMs = nowMs;
    return {
      release: (endMs, delayMs, _, keptMs = delayMs) => {
        hostSlot.busy = false;
        times.busy -= 1;
        if (endMs > 0) {
          hostSlot.endMs = Math.max(hostSlot.endMs, endMs - this.#jumpedMs());
          Object.assign(hostSlot, { delayMs, keptMs });
          const othersMs = times.hostSlots.length > 1 ? delayMs : keptMs;
          if (alone) times.heldUntilMs = Math.max(times.heldUntilMs, readyAtMs(times, hostSlot, othersMs));
        }
        times.waiting.shift()?.();
      },
    };
  }

  readonly waitMs: Pacer['waitMs'] = (hostKey, delayMs) => {
    const times = this.#hosts.get(hostKey);
    if (times === undefined) return 0;
    const hostSlots = this.#hostSlotsOf(hostKey);
    const hostSlot = freeSlot(times, hostSlots);
    return hostSlot === null
      ? Number.POSITIVE_INFINITY
      : Math.max(0, startAtMs(times, hostSlot, hostSlots, delayMs) - this.#steadyMs());
  };

  readonly acquire: Pacer['acquire'] = async (hostKey, delayMs, latestStartMs, alone = false) => {
    for (;;) {
      if (this.#signal.aborted) return null;
      const times = this.#timesOf(hostKey);
      const hostSlots = alone ? 1 : this.#hostSlotsOf(hostKey);
      const hostSlot = freeSlot(times, hostSlots);
      if (hostSlot === null) {
        await new Promise<void>((resolve) => times.waiting.push(resolve));
        continue;
      }
      const startMs = startAtMs(times, hostSlot, hostSlots, delayMs);
      if (Math.max(startMs, this.#steadyMs()) + this.#jumpedMs() > latestStartMs) {
        times.waiting.shift()?.();
        return null;
      }
      if (startMs <= this.#steadyMs()) return this.#take(times, hostSlot, alone);
      times.asleep += 1;
      await this.#clock.sleepUntil(startMs + this.#jumpedMs(), this.#signal);
      times.asleep -= 1;
    }
  };

  readonly hold: Pacer['hold'] = (hostKey, untilMs) => {
    const times = this.#timesOf(hostKey);
    times.heldUntilMs = Math.max(times.heldUntilMs, untilMs - this.#jumpedMs());
  };

  get size() {
    return this.#hosts.size;
  }
}

function oneSlot(): number {
  return 1;
}

function newHostSlot(): HostSlot {
  return { endMs: 0, delayMs: 0, keptMs: 0, busy: false };
}

/** Returns a free slot of a host with `hostSlots` slots; null: all are taken. */
function freeSlot(times: HostTimes, hostSlots: number): HostSlot | null {
  const free = hostSlots - times.busy;
  if (free <= 0) return null;
  if (times.hostSlots.length === 1 && hostSlots === 1) return times.hostSlots[0]!;
  const idle = times.hostSlots.filter(({ busy }) => !busy);
  if (idle.length < free) {
    const hostSlot = newHostSlot();
    times.hostSlots.push(hostSlot);
    return hostSlot;
  }
  idle.sort((a, b) => readyAtMs(times, a, a.delayMs) - readyAtMs(times, b, b.delayMs));
  // If the host has fewer slots than before, the ones used last remain.
  return idle[idle.length - free]!;
}

/** Earliest start of a permit in a slot. */
function startAtMs(times: HostTimes, hostSlot: HostSlot, hostSlots: number, delayMs: number): number {
  const readyMs = readyAtMs(times, hostSlot, delayMs);
  if (hostSlots === 1) return readyMs;
  return Math.max(readyMs, times.lastStartMs + Math.ceil(Math.max(hostSlot.keptMs, delayMs) / hostSlots));
}

function readyAtMs(times: HostTimes, hostSlot: HostSlot, delayMs: number): number {
  const gapMs = Math.max(hostSlot.keptMs, delayMs);
  const readyMs = hostSlot.endMs === 0 || gapMs === 0 ? hostSlot.endMs : hostSlot.endMs + 1 + gapMs;
  return Math.max(readyMs, times.heldUntilMs);
}
