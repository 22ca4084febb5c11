/** Applies the changes of a served crawl to its state. Part of `FrontierState.apply`. */
import type { Change } from '../changes/changes.ts';
import { knownKey } from '../pull/known-rows.ts';
import { payloadOf } from '../pull/payload.ts';
import { placeOf } from './place-of.ts';
import { noteRescheduled, reschedule } from './reschedule.ts';
import type { FrontierState, Host } from './state.ts';

export type PullChange = Change & { readonly kind: 'known' | 'dropQueue' | 'blockQueue' };

export function applyPull(state: FrontierState, host: Host, change: PullChange): void {
  if (change.kind === 'known') note(state, host, change);
  if (state.ahead.holds(host.id, state.changelog.offset)) {
    if (change.kind === 'known' && change.to === 'again') noteRescheduled(state, host, change.dueAtMs, change.entry);
    return;
  }
  switch (change.kind) {
    case 'known':
      leave(state, host, change);
      arrive(state, host, change);
      break;
    case 'dropQueue':
      drop(state, host);
      break;
    case 'blockQueue':
      state.pull.mark(host.id, { blockedUntilMs: change.untilMs });
  }
  state.unsaved.addHost(host.id);
  state.settle(host);
}

/**
 * Part of the change that applies whether or not the host's row already holds it: rows of URLs may lag behind their
 * host's row.
 */
function note(state: FrontierState, host: Host, { from, to, entry }: Change & { kind: 'known' }): void {
  const { pull, changelog } = state;
  if (from.in !== 'new' && to === 'again') return;
  const [hi, lo] = state.identityOf(host.key, entry.url);
  if (from.in === 'new') state.seen.add(hi!, lo!);
  if (to === 'again') return;
  const key = knownKey(host.id, pull.generation(host.id, changelog.offset), hi!, lo!);
  const payload = entry.payload ?? payloadOf(0, Buffer.alloc(0));
  pull.known.set(key, { what: to, url: entry.url, payload });
}

/** The URL leaves the place it was in. */
function leave(state: FrontierState, host: Host, { from }: Change & { kind: 'known' }): void {
  const { counters, pull, queues, leases } = state;
  switch (from.in) {
    case 'new':
      counters.admitted += 1;
      return pull.count(host.id, 1, 0);
    case 'lease':
      leases.get(from.a)!.entries[from.b] = null;
      counters.leased -= 1;
      counters.quotaSpent -= 1;
      return pull.countOut(host.id, -1);
    case 'frontQueue':
      queues.takeOut(host.id, { frontQueue: from.a, seq: from.b });
      counters[placeOf(state.hosts, host, 0, from.a)] -= 1;
      return;
    case 'again':
      counters[
        placeOf(state.hosts, host, queues.takeOut(host.id, { frontQueue: null, seq: from.b, dueAtMs: from.a }))
      ] -= 1;
      return;
    case 'done':
      counters.page -= 1;
      return pull.count(host.id, 0, -1);
    case 'forgotten':
      counters.admitted += 1;
      pull.count(host.id, 1, 0);
      pull.mark(host.id, { forgotten: pull.marksOf(host.id).forgotten - 1 });
  }
}

function arrive(state: FrontierState, host: Host, { to, dueAtMs, entry }: Change & { kind: 'known' }): void {
  const { counters, pull } = state;
  switch (to) {
    case 'done':
      counters.page += 1;
      return pull.count(host.id, 0, 1);
    case 'again':
      reschedule(state, host, dueAtMs, entry);
      counters[placeOf(state.hosts, host, dueAtMs)] += 1;
      return;
    case 'forgotten':
      counters.admitted -= 1;
      pull.count(host.id, -1, 0);
      pull.mark(host.id, { forgotten: pull.marksOf(host.id).forgotten + 1 });
  }
}

/** Deletes all URLs of the queue, and its leases. */
function drop(state: FrontierState, host: Host): void {
  const { counters, hosts, leases, pull, queues } = state;
  for (const id of host.leaseIds) {
    const out = leases.get(id)!.entries.filter((entry) => entry !== null).length;
    counters.leased -= out;
    pull.countOut(host.id, -out);
    counters.quotaSpent -= out;
    counters.leases -= 1;
    leases.end(id);
    hosts.letGo(host.id, id);
  }
  for (const { dueAtMs } of queues.takeAgain(host.id, Number.POSITIVE_INFINITY)) {
    counters[placeOf(hosts, host, dueAtMs)] -= 1;
  }
  counters[placeOf(hosts, host, 1)] -= host.queue.rescheduled?.size ?? 0;
  queues.dropRescheduled(host.id);
  for (const { number, size, frontQueue } of host.queue.frontQueues()) {
    counters[placeOf(hosts, host, 0, number)] -= size;
    for (let left = size; left > 0; left--) queues.frontQueues.skip(frontQueue);
  }
  pull.indexes.forget(host.id);
  counters.page -= pull.doneOf(host.id);
  counters.admitted -= pull.urlsOf(host.id);
  pull.count(host.id, -pull.urlsOf(host.id), -pull.doneOf(host.id));
  pull.mark(host.id, { drops: [...pull.marksOf(host.id).drops, state.changelog.offset], forgotten: 0 });
}
