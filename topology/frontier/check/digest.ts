/**
 * Digest: a hash over one partition's logical state. Equal digests mean equal state.
 *
 * It is the sum, modulo 2^128, of a hash of each canonical row. Rows name hosts and URLs, never host numbers or
 * layout, so that a state rebuilt by replay, loaded from a checkpoint or kept by a standby has the same digest.
 * docs/design.md §4.14.
 *
 * Queued URLs are numbered over the whole partition as they are admitted, and the numbers are state: a queue on disk
 * is identified by its range of numbers, and the digest has a sum over all URLs ever queued. So the digest also
 * covers the order in which the changelog admitted URLs, even of different hosts: all readers of one changelog agree
 * on it. A state built from the inputs alone, in another order, has another digest, even if each of its queues holds
 * the same URLs.
 */
import { fingerprint } from '../../url/fingerprint.ts';
import { inputTopics } from '../changes/changelog.ts';
import { type HostFacts, newHostFacts } from '../changes/changes.ts';
import { countersPresent } from '../changes/counters.ts';
import type { Entry } from '../changes/entry.ts';
import { entryOfRow } from '../pull/known-rows.ts';
import { retimingFields } from '../recrawl/retiming.ts';
import { knownKeyOf } from '../state/reschedule.ts';
import type { FrontierState, Host } from '../state/state.ts';

/** A row: its kind, then the fields that identify it, then its values. */
export type CanonicalRow = readonly [kind: RowKind, ...fields: (string | number)[]];
export type RowKind =
  | 'policy'
  | 'next'
  | 'position'
  | 'counter'
  | 'quota'
  | 'host'
  | 'lanes'
  | 'robotsHop'
  | 'budget'
  | 'trap'
  | 'purged'
  | 'equivalence'
  | 'inLinks'
  | 'cash'
  | 'released'
  | 'everQueued'
  | 'band'
  | 'again'
  | 'rescheduled'
  | 'lease'
  | 'leased'
  | 'leasedPage'
  | 'taken'
  | 'schedule'
  | 'trust'
  | 'sitemaps'
  | 'seen'
  | 'pulled'
  | 'load'
  | 'tags';

/** 32 hexadecimal digits. */
export function digest(state: FrontierState): string {
  const sum = new RowSum();
  eachRow(state, (row) => sum.add(row));
  return sum.hex();
}

/**
 * The digest as earlier versions computed it, with each URL that clients of a served crawl had rescheduled. It is
 * known only right after rows of such a version were loaded, while all these URLs are in memory; otherwise undefined.
 */
export function earlierDigest(state: FrontierState): string | undefined {
  const sum = new RowSum();
  let isKnown = true;
  eachRow(state, (row) => {
    if (row[0] !== 'rescheduled') return sum.add(row);
    const { id, key, queue } = state.hosts.get(`${row[1]}`)!;
    let order = queue.again.length;
    for (const one of queue.rescheduled!.behind()) {
      const waits = state.pull.known.recent(knownKeyOf(state, id, one));
      if (waits === undefined) isKnown = false;
      else sum.add(['again', key, order++, one.dueAtMs, ...fieldsOf(entryOfRow(waits))]);
    }
  });
  return isKnown ? sum.hex() : undefined;
}

/** The state as canonical rows, in no particular order: by them one can name what two states differ in. */
export function eachRow(state: FrontierState, visit: (row: CanonicalRow) => void): void {
  visit(['policy', state.policyVersion, state.policyJson]);
  visit(['next', state.leases.nextId, state.quota.wanted]);
  for (const topic of inputTopics)
    visit(['position', topic, state.positions[topic].offset, state.positions[topic].slice]);
  for (const name of countersPresent(state.counters)) visit(['counter', name, state.counters[name]]);
  for (const [partition, row] of state.quota.book) {
    visit(['quota', partition, row.granted, row.returned, row.wanted, row.version]);
  }
  for (const host of state.hosts.values()) eachHostRow(state, host, visit);
  for (const [id, { own, most, nextAtMs, freeAtMs, troubledFrom }] of state.hosts.hostSlots.entries) {
    visit(['lanes', state.hosts.at(id).key, own, most, nextAtMs, troubledFrom, ...freeAtMs]);
  }
  visit(['everQueued', state.queues.frontQueues.queuedEver, ...state.queued.sum.words]);
  for (const id of state.robotsHops.hosts()) {
    const host = state.hosts.at(id);
    state.robotsHops.of(id).forEach(({ url, asked, partition }, order) => {
      visit(['robotsHop', host.key, order, url, partition, ...asked]);
    });
  }
  if (state.inLinks.total > 0) visit(['inLinks', state.inLinks.total]);
  visit(['cash', ...state.cash.rows]);
  for (const [key, { period, used, sources }] of state.budgets.accounts) {
    visit(['budget', key, period, used, ...sources.save()]);
  }
  for (const [key, { trapped, released }] of state.traps.active) {
    for (const { pattern, reason, detail, frontQueue } of trapped)
      visit(['trap', key, pattern, reason, detail, frontQueue]);
    released.forEach(({ pattern, frontQueue }, order) => {
      visit(['released', key, order, pattern, frontQueue]);
    });
  }
  for (const [host, fingerprints] of state.purge.urls) {
    for (let at = 0; at < fingerprints.length; at += 2)
      visit(['purged', state.hosts.at(host).key, fingerprints[at]!, fingerprints[at + 1]!]);
  }
  for (const lease of state.leases.values()) {
    visit(['lease', lease.id, lease.host.key, lease.deadlineMs, lease.delayMs]);
    lease.entries.forEach((entry, index) => {
      if (entry !== null) visit(['leased', lease.id, index, ...fieldsOf(entry)]);
    });
    for (const [index, { visitedAtMs, changedAtMs, signature, history, gain }] of lease.pages) {
      const gained = gain === undefined ? [] : Object.values(gain);
      visit(['leasedPage', lease.id, index, visitedAtMs, changedAtMs, signature, ...Object.values(history), ...gained]);
    }
  }
  const { taken } = state.leases;
  if (taken.position >= 0) visit(['taken', taken.position, taken.from, ...taken.ids]);
  const { source, line, isDone } = state.load;
  if (source !== '') visit(['load', source, line, isDone ? 1 : 0]);
  visit(['seen', state.seen.size, ...state.seen.sum.words]);
  state.tagSets.all.forEach((tags, at) => {
    visit(['tags', at, ...tags]);
  });
  for (const [key, host] of state.equivalences.hosts) {
    for (const [rewriting, { proofs, against, targets }] of host)
      visit(['equivalence', key, rewriting, proofs, against, ...targets]);
  }
  if (state.recrawl.isEmpty) return;
  visit(scheduleRow(state.recrawl));
  for (const [host, { fromSitemap: factTexts, proved, lastDueS }] of state.recrawl.trust)
    visit(['trust', state.hosts.at(host).key, factTexts, proved, lastDueS]);
  for (const [host, { dueS, sinceS, tries, secure }] of state.recrawl.sitemaps.entries())
    visit(['sitemaps', state.hosts.at(host).key, dueS, sinceS, tries, secure ? 1 : 0]);
}

/** The size and the price of the schedule, and how far a new policy has moved its pages. */
export function scheduleRow({ table, price, pricedAtMs, credit, retiming }: FrontierState['recrawl']): CanonicalRow {
  const walk = retimingFields(retiming);
  return ['schedule', table.size, table.out, ...table.sum.words, price, pricedAtMs, credit, ...walk];
}

/** Later fields are included only if they are set, so that older digests still match. */
const laterFacts: ReadonlySet<keyof HostFacts> = new Set(['bytes', 'ownDelayIsLeast', 'serverErrors']);
const factNames = (Object.keys(newHostFacts) as (keyof HostFacts)[]).filter((name) => !laterFacts.has(name));

function eachHostRow(state: FrontierState, host: Host, visit: (row: CanonicalRow) => void): void {
  const { key, facts, queue } = host;
  const pulled = state.pull.rowOf(host.id);
  if (pulled !== null) visit(['pulled', key, ...pulled]);
  const bytes = facts.bytes > 0 ? [facts.bytes] : [];
  const least = facts.ownDelayIsLeast ? ['least'] : [];
  const errors = facts.serverErrors > 0 ? [`errors ${facts.serverErrors}`] : [];
  const factTexts = factNames.map((name) => `${facts[name]}`);
  visit(['host', key, ...host.leaseIds, ...factTexts, ...bytes, ...least, ...errors]);
  const { frontQueues } = state.queues;
  for (const { number, size, frontQueue } of queue.frontQueues()) {
    visit(['band', key, number, size, frontQueues.head(frontQueue), ...frontQueues.goneOf(frontQueue)]);
  }
  queue.again.forEach(({ dueAtMs, entry }, order) => {
    visit(['again', key, order, dueAtMs, ...fieldsOf(entry)]);
  });
  const { rescheduled } = queue;
  if (rescheduled !== undefined) visit(['rescheduled', key, rescheduled.size, ...rescheduled.sum]);
}

function fieldsOf(entry: Entry): readonly (string | number)[] {
  const { url, depth, hop, attempts, expiries, frontQueue, payload, tags, spelling } = entry;
  const fields: (string | number)[] = [url, depth, hop, attempts, expiries, frontQueue];
  if (tags !== undefined) fields.push(tags);
  if (spelling !== undefined) fields.push(spelling);
  return payload === undefined ? fields : [...fields, Buffer.from(payload).toString('base64')];
}

/** Four 32-bit words, least significant first. */
export class RowSum {
  readonly #words = new Uint32Array(4);
  readonly #hash = new Uint32Array(4);

  add(row: readonly (string | number)[]): void {
    const text = row.join('\u0000');
    fingerprint(text, 1, 2, this.#hash.subarray(0, 2));
    fingerprint(text, 3, 4, this.#hash.subarray(2, 4));
    this.#addWords(this.#hash);
  }

  /** All that was added to another. */
  addSum(other: RowSum): void {
    this.#addWords(other.#words);
  }

  #addWords(words: Uint32Array): void {
    let carry = 0;
    for (let i = 0; i < 4; i++) {
      const total = this.#words[i]! + words[i]! + carry;
      this.#words[i] = total >>> 0;
      carry = total > 0xffffffff ? 1 : 0;
    }
  }

  hex(): string {
    return [...this.#words]
      .reverse()
      .map((word) => word.toString(16).padStart(8, '0'))
      .join('');
  }
}
