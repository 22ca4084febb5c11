/**
 * Leases of one host that run in parallel in this process, if the policy or an operator allows several
 * (topology/frontier/hosts/host-slots.ts).
 *
 * They share the host's signals: once it fails in one lease, or asks for fewer requests, the others start nothing more
 * and return as well. A lease that takes the host's permit at the pacer learns here how many permits the host has. Each
 * lease keeps to its slot: its requests are a delay apart, so n leases are n slots in any process. Hosts with one slot
 * are not listed here.
 */
import type { Task } from '../../../schemas/types.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Pacer } from '../pace/pacer.ts';

export interface HostSlots {
  /** Begins a lease. The newest lease of a host decides on its number of slots. */
  open(task: Pick<Task, 'hostKey' | 'lanes' | 'leaseId' | 'notBeforeMs'>): SlotLease;
  /** Simultaneous permits of the host. */
  of(hostKey: string): number;
  /** A host is in trouble, as the frontier knows by now: its leases with lower numbers start nothing more. */
  pause(hostKey: string, belowLease: number): void;
}

export interface SlotLease {
  /** The host is in trouble: start nothing more. */
  readonly stopped: boolean;
  /** Reports trouble of the host in a contact that ended at `atMs`: earlier leases start nothing more. */
  inTrouble(atMs: number): void;
  close(): void;
}

/** A pacer for one lease of a host with several: its permits come one after another, as if it were alone. */
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
          release(endMs, afterMs, response, stillMs) {
            if (endMs > 0) [endedMs, keptMs] = [endMs - jumpedMs(), afterMs];
            permit.release(endMs, afterMs, response, stillMs);
          },
        }
      );
    },
  };
}

interface Trouble {
  /** 0: no lease of the host has run here. */
  readonly atMs: number;
  readonly belowLease: number;
}

/** Number of hosts in trouble that are remembered; the latest are kept. */
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
