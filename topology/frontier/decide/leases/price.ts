/**
 * The price of a visit: it is computed again now and then from all pages' rates, and kept in the state, so that the next
 * owner decides by the same price.
 */
import { recrawlLimits } from '../../../policy/limits.ts';
import { pricedAs } from '../../recrawl/recrawl-state.ts';
import type { Decision } from '../decision.ts';

export function decidePrice(decision: Decision): void {
  const { state, policy, nowMs } = decision;
  const { recrawl } = state;
  if (policy === null || policy.recrawl === null || recrawl.table.classes.pages === 0) return;
  if (nowMs - recrawl.pricedAtMs < recrawlLimits.priceEveryMs) return;
  const price = pricedAs(policy.recrawl.priceFor(recrawl.table.classes));
  decision.emit({ kind: 'price', price, atMs: nowMs });
}
