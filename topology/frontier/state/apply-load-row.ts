/** Applies a loaded row to a state. Conservation holds after each row: every admitted URL has a place. */

import type { LoadRow } from '../changes/load-row.ts';
import { placeOf } from './place-of.ts';
import { noteRescheduled, reschedule } from './reschedule.ts';
import type { FrontierState } from './state.ts';

export function applyLoadRow(state: FrontierState, row: LoadRow): void {
  switch (row.row) {
    case 'known':
      return addKnown(state, row);
    case 'again':
      return addAgain(state, row);
    case 'account':
      return state.budgets.join(row.key, row.period, row.used, row.sources);
    case 'page':
      return addPage(state, row);
    case 'repeated':
      return count(state, row.status, row.count);
    case 'purged':
      return addPurged(state, row);
    case 'progress':
      state.load = row;
  }
}

function addKnown(state: FrontierState, { urls }: LoadRow & { row: 'known' }): void {
  for (const one of urls) {
    const [hi, lo] = state.fingerprintOf(one.url);
    state.seen.add(hi!, lo!);
    state.unsaved.records.push(one);
    if (one.status === 'known') state.counters.imported += 1;
    else count(state, one.status, 1);
  }
}

function addPage(state: FrontierState, { hostKey, dueAtMs, page }: LoadRow & { row: 'page' }): void {
  const { recrawl, counters } = state;
  const host = state.getOrCreate(hostKey);
  const [hi, lo] = state.fingerprintOf(page.record.url);
  state.seen.add(hi!, lo!);
  count(state, page.record.status, 1);
  recrawl.put(hi!, lo!, host.id, page, dueAtMs);
  counters.scheduled = recrawl.scheduled;
  state.unsaved.addHost(host.id);
  state.settle(host);
}

function addPurged(state: FrontierState, { hostKey, fingerprints }: LoadRow & { row: 'purged' }): void {
  const { id } = state.getOrCreate(hostKey);
  for (let at = 0; at < fingerprints.length; at += 2) state.purge.addUrl(id, fingerprints[at]!, fingerprints[at + 1]!);
}

/** URLs that ended. A page counts against the quota, as one that was fetched here. */
function count({ counters }: FrontierState, status: (LoadRow & { row: 'repeated' })['status'], by: number): void {
  counters.admitted += by;
  counters[status] += by;
  if (status === 'page') counters.quotaSpent += by;
}

function addAgain(state: FrontierState, row: LoadRow & { row: 'again' }): void {
  const { hostKey, known, dueAtMs, entry, normal } = row;
  if (!known) {
    const [hi, lo] = state.fingerprintOf(normal);
    state.seen.add(hi!, lo!);
  }
  const host = state.getOrCreate(hostKey);
  const isRow = state.pull.on && dueAtMs > 0;
  if (state.ahead.holds(host.id, state.changelog.offset)) {
    if (isRow) noteRescheduled(state, host, dueAtMs, entry);
    return;
  }
  state.counters.admitted += 1;
  if (isRow) reschedule(state, host, dueAtMs, entry);
  else state.queues.putAgain(host.id, dueAtMs, entry);
  state.counters[placeOf(state.hosts, host, dueAtMs)] += 1;
  state.unsaved.addHost(host.id);
  state.settle(host);
}
