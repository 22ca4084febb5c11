/**
 * The orders for a host so far, and who gave them: the webmaster page can take back its own orders, but not an
 * operator's.
 *
 * They are read from the events on `control`. Trimmed events are unknown, so orders that depend on them are refused.
 */
import type { Control } from '../../../schemas/types.ts';
import { isOfWebmaster, leastDelayPayload } from '../../../topology/frontier/decide/control-payloads.ts';

export interface HostOrders {
  /** An operator's current delay, ms; null: the policy's. */
  readonly operatorDelayMs: number | null;
  /** The current delay by any order, ms; null: the policy's. */
  readonly delayMs: number | null;
  readonly paused: 'no' | 'here' | 'byOperator';
  readonly removed: boolean;
  /** Number of orders from the webmaster page in the last hour. */
  readonly recent: number;
}

const hourMs = 3_600_000;

/** `by` of the webmaster page's events for a host. */
export function deskName(hostKey: string): string {
  return `webmaster of ${hostKey}`;
}

/** `events`: of the host's partition, in order. The result equals the frontier's. */
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
