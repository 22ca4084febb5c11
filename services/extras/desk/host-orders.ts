/**
 * What was ordered for a host so far, by whom: the desk's own orders may be taken back here, an operator's may not.
 *
 * Read from the events that are on `control`. One that was trimmed away is not known; nothing that needs it is done then.
 */
import type { Control } from '../../../schemas/types.ts';
import { isOfWebmaster, leastDelayPayload } from '../../../topology/frontier/decide/control-payloads.ts';

export interface HostOrders {
  /** An operator's delay in force, ms; null: the policy's. */
  readonly operatorDelayMs: number | null;
  /** The delay in force by an order, of whomever, ms; null: the policy's. */
  readonly delayMs: number | null;
  readonly paused: 'no' | 'here' | 'byOperator';
  readonly removed: boolean;
  /** Orders of the webmaster page since `sinceMs`. */
  readonly recent: number;
}

const hourMs = 3_600_000;

/** `by` of the webmaster page's events for a host. */
export function deskName(hostKey: string): string {
  return `webmaster of ${hostKey}`;
}

/**
 * `events`: those of the host's partition, in order. The result equals the frontier's, in whatever order they were
 * sent.
 */
export function hostOrders(events: Iterable<Control>, hostKey: string, nowMs: number): HostOrders {
  let [operatorDelayMs, ownDelayMs, isLeast] = [-1, -1, false];
  let hold: 'none' | 'paused' | 'blocked' | 'removed' = 'none';
  let recent = 0;
  for (const { kind, hostKey: of, by, amount, payload, atMs } of events) {
    if (of !== hostKey) continue;
    if (by === deskName(hostKey) && atMs > nowMs - hourMs) recent += 1;
    const isTheirs = isOfWebmaster(payload);
    if (kind === 'hostDelay') {
      const least = leastDelayPayload(payload);
      if (least === null) [operatorDelayMs, ownDelayMs, isLeast] = [Math.max(-1, amount), Math.max(-1, amount), false];
      else if (amount < 0 && isLeast) [ownDelayMs, isLeast] = [least.instead, false];
      else if (amount >= 0 && (isLeast || ownDelayMs <= amount)) [ownDelayMs, isLeast] = [amount, true];
    } else if (kind === 'blockHost') {
      if (hold !== 'removed' && !(isTheirs && hold === 'blocked')) hold = isTheirs ? 'paused' : 'blocked';
    } else if (kind === 'releaseHost') {
      if (!isTheirs || hold === 'paused') hold = 'none';
    } else if (kind === 'purge' && payload === '') {
      hold = 'removed';
    }
  }
  return {
    operatorDelayMs: operatorDelayMs < 0 ? null : operatorDelayMs,
    delayMs: ownDelayMs < 0 ? null : ownDelayMs,
    paused: hold === 'blocked' ? 'byOperator' : hold === 'paused' ? 'here' : 'no',
    removed: hold === 'removed',
    recent,
  };
}
