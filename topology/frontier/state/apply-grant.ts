/** Applies a grant: the lease's URLs leave the schedule and their host's queue, and the lease is out. */
import type { Change } from '../changes/changes.ts';
import type { Entry } from '../changes/entry.ts';
import type { PageRecord } from '../changes/page-record.ts';
import { unread } from '../hosts/lease.ts';
import { entryOfRow } from '../pull/known-rows.ts';
import type { Due } from '../recrawl/due-table.ts';
import { finalStatusOf } from '../recrawl/recrawl-state.ts';
import { placeOf } from './place-of.ts';
import { knownKeyOf } from './reschedule.ts';
import type { FrontierState, Host } from './state.ts';

/**
 * `due`: URLs taken from the schedule for this lease. URLs from front queues are unread until their rows have been
 * read.
 */
export function applyGrant(
  state: FrontierState,
  change: Change & { readonly kind: 'grant' | 'grantDue' | 'grantSitemaps' },
  host: Host,
  due: readonly Due[],
): void {
  const { leaseId: id, deadlineMs, delayMs } = change;
  const { counters, hosts, queues, recrawl } = state;
  const entries: (Entry | null)[] = [];
  const pages = new Map<number, PageRecord>();
  for (const one of due) {
    counters[finalStatusOf(one.status)] -= 1;
    entries.push(recrawl.enter(one, id, entries.length, pages));
  }
  const came = queues.takeAgain(host.id, change.again);
  for (const again of came) {
    counters[placeOf(hosts, host, again.dueAtMs)] -= 1;
    entries.push(again.entry);
  }
  for (const one of queues.takeRescheduled(host.id, change.again - came.length)) {
    counters[placeOf(hosts, host, one.dueAtMs)] -= 1;
    const key = knownKeyOf(state, host.id, one);
    const row = state.pull.known.recent(key);
    if (row === undefined) state.pull.reads.push({ leaseId: id, index: entries.length, key });
    entries.push(row === undefined ? unread : entryOfRow(row));
  }
  const { frontQueues } = queues;
  for (const [number, count] of change.frontQueues) {
    const first = entries.length;
    for (let i = 0; i < count; i++) entries.push(unread);
    frontQueues.take(frontQueues.list.find(host.id, number), count, (index, entry) => {
      if (entries[first + index] === unread) entries[first + index] = entry;
    });
    counters[placeOf(hosts, host, 0, number)] -= count;
  }
  if (entries.length === 0 && change.kind !== 'grantSitemaps') state.robotsHops.dropFirst(host.id);
  hosts.hostSlots.take(host.id, state.nowMs, delayMs);
  state.addLease({ id, host, entries, deadlineMs, delayMs, pages });
  if (due.length > 0) counters.scheduled = recrawl.scheduled;
  counters.leases += 1;
  counters.leased += entries.length;
  counters.quotaSpent += entries.length;
}
