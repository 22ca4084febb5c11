/**
 * Applies a purge to the state. Part of `FrontierState.apply`.
 *
 * URLs that waited or were on lease no longer count as admitted, so conservation holds. Counts of fetched pages stay,
 * because they name no host. Leases stay, empty, until their fetchers or their deadlines end them.
 */
import { hostKeyOf } from '../../url/host-key.ts';
import type { Change } from '../changes/changes.ts';
import { setFacts } from './open-front-queues.ts';
import { countQueue, placeOf } from './place-of.ts';
import type { FrontierState, Host, Lease } from './state.ts';

type Purge = Change & { readonly kind: 'purge' };

export function applyPurge(state: FrontierState, change: Purge): void {
  const host = state.getOrCreate(change.hostKey);
  // If the host's row is ahead, the row already contains this change.
  const isAhead = state.ahead.holds(host.id, state.changelog.offset);
  if (change.url === '') purgeHost(state, host, isAhead);
  else purgeUrl(state, host, change, isAhead);
  state.counters.scheduled = state.recrawl.scheduled;
  if (isAhead) return;
  state.unsaved.addHost(host.id);
  state.settle(host);
}

function purgeHost(state: FrontierState, host: Host, isAhead: boolean): void {
  const { unsaved, recrawl, purge, queues, counters, traps } = state;
  purge.addHost(host.key, state.nowMs);
  unsaved.records = unsaved.records.filter(({ url }) => hostKeyOf(url) !== host.key);
  recrawl.forgetHost(host.id);
  state.equivalences.forget(host.key);
  if (isAhead) return;
  for (const id of host.leaseIds) {
    const lease = state.leases.get(id)!;
    for (let index = 0; index < lease.entries.length; index++) leaveLease(state, lease, index);
  }
  counters.admitted -= host.queue.size;
  countQueue(state, host, -1);
  queues.takeAgain(host.id, Number.POSITIVE_INFINITY);
  for (const { frontQueue, size } of host.queue.frontQueues())
    for (let left = size; left > 0; left--) queues.frontQueues.skip(frontQueue);
  state.robotsHops.put(host.id, []);
  traps.drop(host.key);
  queues.opened.delete(host.id);
  setFacts(state, host, { ...host.facts, hold: 'purged', deadUntilMs: 0, failures: 0, throttles: 0, serverErrors: 0 });
}

function purgeUrl(state: FrontierState, host: Host, { url, from }: Purge, isAhead: boolean): void {
  const { unsaved, recrawl, purge, queues, counters, hosts } = state;
  const fingerprint = state.fingerprintOf(url);
  const [hi, lo] = [fingerprint[0]!, fingerprint[1]!];
  purge.addUrl(host.id, hi, lo);
  unsaved.records = unsaved.records.filter((record) => {
    const other = state.fingerprintOf(record.url);
    return other[0] !== hi || other[1] !== lo;
  });
  recrawl.forgetUrl(hi, lo);
  if (isAhead) return;
  if (from.in === 'lease') return leaveLease(state, state.leases.get(from.a)!, from.b);
  if (from.in === 'nowhere') return;
  const frontQueue = from.in === 'frontQueue' ? from.a : null;
  const dueAtMs = queues.takeOut(host.id, { frontQueue, seq: from.b });
  counters[placeOf(hosts, host, dueAtMs, frontQueue ?? 0)] -= 1;
  counters.admitted -= 1;
}

function leaveLease({ counters, pull }: FrontierState, lease: Lease, index: number): void {
  if (lease.entries[index] === null) return;
  lease.entries[index] = null;
  lease.pages.delete(index);
  counters.leased -= 1;
  pull.countOut(lease.host.id, -1);
  counters.quotaSpent -= 1;
  counters.admitted -= 1;
}
