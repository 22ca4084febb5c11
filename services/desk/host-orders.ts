/**
 * What was ordered for a host so far, by whom: the desk's own orders may be taken back here, an operator's may not.
 *
 * Read from the events that are on `control`. One that was trimmed away is not known; nothing that needs it is done then.
 */
import type { Control } from '../../schemas/types.ts';

export interface HostOrders {
  /** An operator's delay in force, ms; null: the policy's. */
  readonly operatorDelayMs: number | null;
  /** The delay in force by an order, of whomever, ms; null: the policy's. */
  readonly delayMs: number | null;
  readonly paused: 'no' | 'here' | 'byOperator';
  readonly removed: boolean;
  /** Orders of the desk since `sinceMs`. */
  readonly recent: number;
}

const hourMs = 3_600_000;

/** `by` of the desk's events for a host. */
export function deskName(hostKey: string): string {
  return `webmaster of ${hostKey}`;
}

/** `events`: of the host's partition, in order. */
export function hostOrders(events: Iterable<Control>, hostKey: string, nowMs: number): HostOrders {
  let operatorDelayMs: number | null = null;
  let delayMs: number | null = null;
  let [isPausedHere, isBlocked, removed, recent] = [false, false, false, 0];
  for (const { kind, hostKey: of, by, amount, payload, atMs } of events) {
    if (of !== hostKey) continue;
    const isOurs = by === deskName(hostKey);
    if (isOurs && atMs > nowMs - hourMs) recent += 1;
    if (kind === 'hostDelay') {
      delayMs = amount < 0 ? null : amount;
      if (!isOurs) operatorDelayMs = delayMs;
    } else if (kind === 'blockHost') {
      if (isOurs) isPausedHere = true;
      else isBlocked = true;
    } else if (kind === 'releaseHost') {
      [isPausedHere, isBlocked, removed] = [false, false, false];
    } else if (kind === 'purge' && payload === '') {
      removed = true;
    }
  }
  return { operatorDelayMs, delayMs, paused: isBlocked ? 'byOperator' : isPausedHere ? 'here' : 'no', removed, recent };
}
