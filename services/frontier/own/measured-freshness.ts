/** The freshness of a partition's pages, measured now and then by its owner. */
import { type Freshness, freshnessNow } from '../../../topology/frontier/recrawl/freshness-now.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';

const measured = new WeakMap<FrontierState, { readonly atMs: number; readonly freshness: Freshness }>();

/** Returns a recent measurement. Measurements are rare enough to take a thousandth of the time. */
export function freshnessOf(state: FrontierState): Freshness | null {
  const { recrawl, nowMs } = state;
  if (recrawl.table.size === 0) return null;
  const before = measured.get(state);
  if (before !== undefined && nowMs - before.atMs < 1_000 + recrawl.table.size / 20) return before.freshness;
  const freshness = freshnessNow([recrawl], nowMs);
  measured.set(state, { atMs: nowMs, freshness });
  return freshness;
}
