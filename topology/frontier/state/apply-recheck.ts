/** Applies a step of scheduling by a new policy. The schedule is never ahead of the changelog; rows of hosts may be. */
import type { Change } from '../changes/changes.ts';
import type { FrontierState } from './state.ts';

export function applyRecheck(state: FrontierState, { from, never }: Change & { readonly kind: 'recheck' }): void {
  const hosts = state.recrawl.recheck(from, never);
  state.counters.scheduled = state.recrawl.scheduled;
  for (const id of hosts) if (!state.ahead.holds(id, state.changelog.offset)) state.settle(state.hosts.at(id));
}
