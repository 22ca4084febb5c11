/**
 * Leases of one host that run here side by side, where its policy or an operator allows several
 * (topology/frontier/hosts/host-slots.ts).
 *
 * They share what the host tells: once it fails in one lease, or asks for fewer requests, the others start nothing more
 * and come back as well. A lease that takes the host's permit at the pacer learns here how many permits the host has at
 * once. Each lease keeps to its own slot: its own requests are a delay apart, so that n leases are n slots wherever
 * they run. Hosts with one slot are not in here.
 */
import type { Task } from '../../../schemas/types.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Pacer } from '../pace/pacer.ts';

export interface HostSlots {
  /** A lease begins; the newest lease of a host knows best how many slots it has. */
  open(task: Pick<Task, 'hostKey' | 'lanes' | 'leaseId' | 'notBeforeMs'>): SlotLease;
  /** Permits the host has at once. */
  of(hostKey: string): number;
  /** A host is in trouble, as the frontier knows by now: its leases with lower numbers start nothing more. */
  pause(hostKey: string, belowLease: number): void;
}

export interface SlotLease {
  /** The host is in trouble: start nothing more. */
  readonly stopped: boolean;
  /** The host was found in trouble by a contact that ended at `atMs`: what was granted before starts nothing more. */
  inTrouble(atMs: number): void;
  close(): void;
}

/** A host's permits, for one of its leases: one after another, as if it were alone. */
export function ownSlot(pacer: Pacer, clock: Clock, signal: AbortSignal): Pacer {
  let [endedMs, keptMs] = [0, 0];
  const jumpedMs = () => clock.jumpedMs ?? 0;
  return {
    waitMs: pacer.waitMs,
    hold: pacer.hold,
    get size() {
      return pacer.size;
    },
    async acquire(hostKey, delayMs, latestStartMs, alone, asked) {
      const gapMs = Math.max(keptMs, delayMs);
      const readyMs = endedMs === 0 || gapMs === 0 ? endedMs : endedMs + 1 + gapMs;
      if (readyMs + jumpedMs() > latestStartMs) return null;
      while (readyMs > clock.nowMs() - jumpedMs() && !signal.aborted)
        await clock.sleepUntil(readyMs + jumpedMs(), signal);
      const permit = await pacer.acquire(hostKey, delayMs, latestStartMs, alone, asked);
      return (
        permit && {
          release(endMs, afterMs, response) {
            if (endMs > 0) [endedMs, keptMs] = [endMs - jumpedMs(), afterMs];
            permit.release(endMs, afterMs, response);
          },
        }
      );
    },
  };
}

interface Trouble {
  /** 0: no lease here has met the host. */
  readonly atMs: number;
  readonly belowLease: number;
}

/** How many hosts in trouble are remembered; if there are more, the latest. */
const troublesMax = 4_096;

export function createHostSlots(): HostSlots {
  const hosts = new Map<string, { most: number; open: number }>();
  /** In order of their last trouble. */
  const troubles = new Map<string, Trouble>();

  const note = (hostKey: string, atMs: number, belowLease: number) => {
    const known = troubles.get(hostKey) ?? { atMs: 0, belowLease: 0 };
    troubles.delete(hostKey);
    troubles.set(hostKey, {
      atMs: Math.max(known.atMs, atMs),
      belowLease: Math.max(known.belowLease, belowLease),
    });
    if (troubles.size > troublesMax) troubles.delete(troubles.keys().next().value!);
  };

  return {
    of: (hostKey) => hosts.get(hostKey)?.most ?? 1,
    pause: (hostKey, belowLease) => note(hostKey, 0, belowLease),
    open({ hostKey, lanes, leaseId, notBeforeMs }) {
      const host = hosts.get(hostKey) ?? { most: lanes, open: 0 };
      hosts.set(hostKey, host);
      host.most = lanes;
      host.open += 1;
      return {
        get stopped() {
          const trouble = troubles.get(hostKey);
          // Once the frontier knows, it grants nothing before a time after that contact.
          return trouble !== undefined && (notBeforeMs < trouble.atMs || leaseId < trouble.belowLease);
        },
        inTrouble: (atMs) => note(hostKey, atMs, 0),
        close() {
          host.open -= 1;
          if (host.open === 0) hosts.delete(hostKey);
        },
      };
    },
  };
}
