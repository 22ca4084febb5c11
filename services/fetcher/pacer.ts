/**
 * The fetcher's own clock per host: whoever wants to contact a host takes its turn here, whatever for.
 *
 * Invariants: a host has one turn at a time; a turn starts no earlier than the completion of the one before plus the
 * larger of the delay in force then and the delay asked for now. So neither lag, nor a lease granted twice, nor a
 * robots.txt redirect from elsewhere makes a burst. Holding a turn *is* politeness (as in BUbiNG, where it is holding
 * the host's visit state). The frontier keeps the durable clock; this one only has to outlive the delays.
 *
 * Times are whole ms. A completion lies anywhere inside its millisecond, so the delay runs from the end of it.
 */
import type { Clock } from '../runtime/clock.ts';

export interface Pacer {
  /** ms until the host may be contacted with `delayMs` between completion and start; Infinity while a turn is taken. */
  waitMs(hostKey: string, delayMs: number): number;
  /**
   * Takes the host's turn, waiting for it. Null: it can't start by `latestStartMs`, or we are shutting down. Whoever
   * stands in line learns that it is too late when the turn before ends, so at most one request later.
   */
  acquire(hostKey: string, delayMs: number, latestStartMs: number): Promise<Turn | null>;
  /** The host's next turn starts no earlier than this, whatever the delays. */
  hold(hostKey: string, untilMs: number): void;
  /** Hosts remembered. */
  readonly size: number;
}

export interface Turn {
  /** Ends the turn. `endMs`: completion of the contact; 0: there was none. */
  release(endMs: number, delayMs: number): void;
}

interface HostTimes {
  /** End of the last contact, 0: none. */
  endMs: number;
  delayMs: number;
  /** No turn before, 0: none such. */
  heldUntilMs: number;
  busy: boolean;
  readonly waiting: (() => void)[];
}

/** Hosts before the first sweep. */
const sweepAtLeast = 4_096;

/** `signal` aborts at shutdown: waiting ends, and no turn is given any more. */
export function createPacer(clock: Clock, signal: AbortSignal): Pacer {
  const hosts = new Map<string, HostTimes>();
  let sweepAt = sweepAtLeast;

  /** Forgets hosts whose time has passed: what is left was contacted within its delay, which bounds it. */
  const sweep = () => {
    const nowMs = clock.nowMs();
    for (const [hostKey, times] of hosts) {
      if (!times.busy && times.waiting.length === 0 && readyAtMs(times, 0) <= nowMs) hosts.delete(hostKey);
    }
    sweepAt = Math.max(sweepAtLeast, hosts.size * 2);
  };

  const timesOf = (hostKey: string): HostTimes => {
    let times = hosts.get(hostKey);
    if (times === undefined) {
      if (hosts.size >= sweepAt) sweep();
      times = { endMs: 0, delayMs: 0, heldUntilMs: 0, busy: false, waiting: [] };
      hosts.set(hostKey, times);
    }
    return times;
  };

  const take = (times: HostTimes): Turn => {
    times.busy = true;
    return {
      release(endMs, delayMs) {
        times.busy = false;
        if (endMs > 0) {
          times.endMs = Math.max(times.endMs, endMs);
          times.delayMs = delayMs;
        }
        times.waiting.shift()?.();
      },
    };
  };

  signal.addEventListener('abort', () => {
    for (const times of hosts.values()) for (const wake of times.waiting.splice(0)) wake();
  });

  return {
    waitMs(hostKey, delayMs) {
      const times = hosts.get(hostKey);
      if (times === undefined) return 0;
      return times.busy ? Number.POSITIVE_INFINITY : Math.max(0, readyAtMs(times, delayMs) - clock.nowMs());
    },
    async acquire(hostKey, delayMs, latestStartMs) {
      for (;;) {
        if (signal.aborted) return null;
        const times = timesOf(hostKey);
        if (times.busy) {
          await new Promise<void>((resolve) => times.waiting.push(resolve));
          continue;
        }
        // Remembered, so that a sweep keeps the host for as long as somebody waits for it.
        times.delayMs = Math.max(times.delayMs, delayMs);
        const startMs = readyAtMs(times, delayMs);
        if (Math.max(startMs, clock.nowMs()) > latestStartMs) {
          times.waiting.shift()?.();
          return null;
        }
        if (startMs <= clock.nowMs()) return take(times);
        await clock.sleepUntil(startMs, signal);
      }
    },
    hold(hostKey, untilMs) {
      const times = timesOf(hostKey);
      times.heldUntilMs = Math.max(times.heldUntilMs, untilMs);
    },
    get size() {
      return hosts.size;
    },
  };
}

function readyAtMs(times: HostTimes, delayMs: number): number {
  const gapMs = Math.max(times.delayMs, delayMs);
  const readyMs = times.endMs === 0 || gapMs === 0 ? times.endMs : times.endMs + 1 + gapMs;
  return Math.max(readyMs, times.heldUntilMs);
}
