/**
 * The price of a visit: it is computed again now and then from all pages' rates, and kept in the state, so that the next
 * owner decides by the same price.
 */
import { recrawlLimits } from '../../../policy/limits.ts';
import type { Recrawl } from '../../../policy/recrawl/schedule.ts';
import { pricedAs } from '../../recrawl/recrawl-state.ts';
import type { Decision } from '../decision.ts';

export function decidePrice(decision: Decision): void {
  const { state, policy, nowMs } = decision;
  const { recrawl } = state;
  if (policy === null || policy.recrawl === null || recrawl.table.classes.pages === 0) return;
  if (nowMs - recrawl.pricedAtMs < recrawlLimits.priceEveryMs) return;
  decidePriceNow(decision, policy.recrawl);
}

/** Another schedule has another price. */
export function decidePriceNow(decision: Decision, schedule: Recrawl): void {
  const { state, nowMs } = decision;
  const { classes } = state.recrawl.table;
  if (classes.pages === 0) return;
  decision.emit({ kind: 'price', price: pricedAs(schedule.priceFor(classes)), atMs: nowMs });
}
