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
  const { recrawl, counters, traps } = state;
  const { record } = page;
  const [hi, lo] = state.fingerprintOf(record.url);
  recrawl.put(hi!, lo!, host.id, page, dueAtMs);
  if (proved !== null) recrawl.learn(host.id, proved);
  counters.scheduled = recrawl.scheduled;
  if (lease === null) return;
  const entry = lease.entries[index];
  lease.entries[index] = null;
  lease.pages.delete(index);
  counters.leased -= 1;
  counters[record.status] += 1;
  if (!spent) counters.quotaSpent -= 1;
  if (traps.on && page.history.recent === 1)
    traps.learn(hostKey, host.facts.fetched + host.queue.size, fetchedEvents(entry, record));
}
