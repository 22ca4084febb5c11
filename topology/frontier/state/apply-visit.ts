/** Applies a visit: the URL waits for the next one, and leaves the lease it was on. */
import type { Change } from '../changes/changes.ts';
import type { FrontierState, Host, Lease } from './state.ts';
import { fetchedEvents } from './traps-state.ts';

/**
 * `lease` null: the URL was on none, or its host's row is ahead and already holds what became of it (the schedule is
 * never ahead).
 */
export function applyVisit(
  state: FrontierState,
  { hostKey, index, dueAtMs, spent, proved, page }: Change & { readonly kind: 'visit' },
  host: Host,
  lease: Lease | null,
): void {
  const { recrawl, counters } = state;
  const [hi, lo] = state.fingerprintOf(page.record.url);
  recrawl.put(hi!, lo!, host.id, page, dueAtMs);
  if (proved !== null) recrawl.learn(host.id, proved);
  counters.scheduled = recrawl.scheduled;
  if (lease !== null) leaveLease(state, { hostKey, index, spent, page }, lease);
}

/** The URL is on that lease no more. */
export function leaveLease(
  state: FrontierState,
  { hostKey, index, spent, page }: Pick<Change & { readonly kind: 'visit' }, 'hostKey' | 'index' | 'spent' | 'page'>,
  { host, entries, pages }: Lease,
): void {
  const { counters, traps } = state;
  const { record } = page;
  const entry = entries[index];
  entries[index] = null;
  pages.delete(index);
  counters.leased -= 1;
  counters[record.status] += 1;
  if (!spent) counters.quotaSpent -= 1;
  if (traps.on && page.history.recent === 1)
    traps.learn(hostKey, host.facts.fetched + host.queue.size, fetchedEvents(entry, record, page.signature));
}
