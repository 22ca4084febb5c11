/**
 * Leases of one host that run here side by side, where its policy or an operator allows several
 * (topology/frontier/hosts/lanes.ts).
 *
 * They share what the host says: once it fails in one lease, or asks for fewer requests, the others start nothing more
 * and come back as well. Whoever takes the host's turn at the pacer learns here how many turns it has at once. And each
 * keeps to its own lane: a delay lies between its own requests too, so that n leases are n lanes wherever they run.
 * Hosts with one lane are not in here.
 */
import type { Clock } from '../runtime/clock.ts';
import type { Pacer } from './pacer.ts';

export interface Lanes {
  /** A lease begins of a host with so many lanes; the newest lease knows best how many. */
  open(hostKey: string, lanes: number): LaneLease;
  /** Turns the host has at once. */
  of(hostKey: string): number;
}

export interface LaneLease {
  /** The host is in trouble: start nothing more. */
  readonly stopped: boolean;
  /** The host is in trouble: none of its leases here starts anything more. */
  stopAll(): void;
  close(): void;
}

/** A host's turns, for one of its leases: one after another, as if it were alone. */
export function ownLane(pacer: Pacer, clock: Clock, signal: AbortSignal): Pacer {
  let [endedMs, keptMs] = [0, 0];
  return {
    waitMs: pacer.waitMs,
    hold: pacer.hold,
    get size() {
      return pacer.size;
    },
    async acquire(hostKey, delayMs, latestStartMs, alone) {
      const gapMs = Math.max(keptMs, delayMs);
      const readyMs = endedMs === 0 || gapMs === 0 ? endedMs : endedMs + 1 + gapMs;
      if (readyMs > latestStartMs) return null;
      if (readyMs > clock.nowMs()) await clock.sleepUntil(readyMs, signal);
      const turn = await pacer.acquire(hostKey, delayMs, latestStartMs, alone);
      return (
        turn && {
          release(endMs, afterMs) {
            if (endMs > 0) [endedMs, keptMs] = [endMs, afterMs];
            turn.release(endMs, afterMs);
          },
        }
      );
    },
  };
}

interface HotHost {
  lanes: number;
  readonly open: Set<{ stopped: boolean }>;
}

export function createLanes(): Lanes {
  const hosts = new Map<string, HotHost>();
  return {
    of: (hostKey) => hosts.get(hostKey)?.lanes ?? 1,
    open(hostKey, lanes) {
      const host = hosts.get(hostKey) ?? { lanes, open: new Set() };
      hosts.set(hostKey, host);
      host.lanes = lanes;
      const mine = { stopped: false };
      host.open.add(mine);
      return {
        get stopped() {
          return mine.stopped;
        },
        stopAll() {
          for (const one of host.open) one.stopped = true;
        },
        close() {
          host.open.delete(mine);
          if (host.open.size === 0 && hosts.get(hostKey) === host) hosts.delete(hostKey);
        },
      };
    },
  };
}
