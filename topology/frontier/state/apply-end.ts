/** URLs that end: of a lease, in the queue of a dead host, or taken out of a queue. Those of a lease may be put back. */
import type { Change, FinalStatus, UrlRecord } from '../changes/changes.ts';
import type { Entry } from '../changes/entry.ts';
import type { Host } from '../hosts/host.ts';
import type { Lease } from '../hosts/lease.ts';
import { placeOf } from './place-of.ts';
import type { FrontierState } from './state.ts';
import { fetchedEvents } from './traps-state.ts';

/** A URL of a lease ends, or returns to the queue. */
export function applyResolve(state: FrontierState, lease: Lease, change: Change & { kind: 'resolve' }): void {
  const { index, disposition, record, textSignature } = change;
  const { host } = lease;
  const entry = lease.entries[index];
  lease.entries[index] = null;
  lease.pages.delete(index);
  state.counters.leased -= 1;
  state.pull.countOut(host.id, -1);
  state.unsaved.addHost(host.id);
  if (disposition.to === 'final') end(state, host, disposition.status, record, entry, textSignature);
  else {
    state.queues.putAgain(host.id, disposition.dueAtMs, disposition.entry);
    state.counters[placeOf(state.hosts, host, disposition.dueAtMs)] += 1;
    state.settle(host);
  }
  if (disposition.to !== 'final' || disposition.status !== 'page') state.counters.quotaSpent -= 1;
  // Under a limit of pages, a URL that ended may be the room for a lease in another slot.
  if (state.hosts.hostSlots.entries.has(host.id)) state.settle(host);
}

/** The next URL of a dead host's queue ends. */
export function applyAbandon(state: FrontierState, host: Host, record: UrlRecord): void {
  const { queues, counters, hosts } = state;
  const [again] = queues.takeAgain(host.id, 1);
  const first =
    again === undefined ? host.queue.frontQueues().find(({ number }) => !host.queue.isHeld(number))! : undefined;
  if (first !== undefined) queues.frontQueues.skip(first.frontQueue);
  counters[placeOf(hosts, host, again?.dueAtMs ?? 0, first?.number)] -= 1;
  end(state, host, 'dead', record);
}

/** A queued URL ends without a lease. */
export function applyFinish(state: FrontierState, host: Host, seq: number, record: UrlRecord): void {
  const { queues, counters, hosts } = state;
  counters[placeOf(hosts, host, queues.takeOut(host.id, { frontQueue: null, seq }))] -= 1;
  if (record.status === 'page') counters.quotaSpent += 1;
  end(state, host, record.status, record);
}

function end(
  state: FrontierState,
  host: Host,
  status: FinalStatus,
  record: UrlRecord | null,
  entry?: Entry | null,
  textSignature?: string | undefined,
): void {
  state.counters[status] += 1;
  if (record === null || state.purge.hides(host.id, record.url, (url) => state.fingerprintOf(url))) return;
  const { recrawl, traps } = state;
  // A URL that was queued twice, as by `raise`, may be a page by its other place; its page record is then kept.
  if (!recrawl.isScheduled(state.fingerprintOf(record.url))) {
    if (recrawl.pages.size > 0) recrawl.forget(state.fingerprintOf(record.url));
    state.unsaved.records.push(record);
  }
  if (traps.on)
    traps.learn(host.key, host.facts.fetched + host.queue.size, fetchedEvents(entry, record, textSignature));
}
