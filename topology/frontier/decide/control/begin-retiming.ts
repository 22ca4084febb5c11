/**
 * A policy with another `recrawl` begins to move the due times of pages that wait (decide/results/retime.ts). Without
 * one, nothing happens, and no change is made.
 */
import type { Policy, PolicyConfig } from '../../../policy/policy.ts';
import { firstPlace } from '../../recrawl/due-order.ts';
import type { Decision } from '../decision.ts';
import { decidePriceNow } from '../leases/price.ts';

/** Call with the former policy, when the new one is in force. */
export function beginRetiming(decision: Decision, former: Policy | null): void {
  const { policy, state, nowMs } = decision;
  const { retiming, table } = state.recrawl;
  if (former === null || policy === null || table.size === 0) return;
  if (recrawlFields(former.config) === recrawlFields(policy.config)) return;
  const { demote, fetchesPerDay = null } = former.config.recrawl ?? {};
  // Either makes pages wait longer than their intervals, as a fresh answer does.
  const isLonger = demote !== undefined || fetchesPerDay !== null;
  const freshFromMs = isLonger ? nowMs : (retiming?.atMs ?? 0);
  if (policy.recrawl !== null) decidePriceNow(decision, policy.recrawl);
  decision.emit({ kind: 'retime', atMs: nowMs, freshFromMs, ...firstPlace, done: policy.recrawl === null });
}

/** All that due times follow from, as one text. */
function recrawlFields({ recrawl, overlays = [] }: PolicyConfig): string {
  const ofOverlays = overlays.filter(({ set }) => set.recrawl !== undefined);
  const ofPages = recrawl === undefined ? null : { ...recrawl, share: 0 };
  return JSON.stringify([ofPages, ofOverlays.map(({ set, ...match }) => [match, set.recrawl])]);
}
