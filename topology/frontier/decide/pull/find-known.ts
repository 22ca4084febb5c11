/**
 * The place of a URL of a served crawl: on a lease, waiting, done, forgotten, or nowhere.
 *
 * Leases, URLs to fetch again without a date, and rows not yet in the checkpoint are in memory. The rest is read
 * before the step (`readPlaces`), because decisions never wait for a disk; `unread` means that a read is needed.
 */
import type { KnownFrom } from '../../changes/changes.ts';
import type { Entry } from '../../changes/entry.ts';
import { findWaiting } from '../../checkpoint/find-waiting.ts';
import type { Lease } from '../../hosts/lease.ts';
import { type KnownUrl, knownKey, readKnown, type WaitingRow } from '../../pull/known-rows.ts';
import type { Rescheduled } from '../../queues/rescheduled-list.ts';
import type { FrontierState, Host } from '../../state/state.ts';
import type { StoreJob } from '../../storage/store-job.ts';

export interface KnownPlace {
  readonly from: KnownFrom;
  /** The stored entry; null: the URL is new. */
  readonly entry: Entry | null;
}

/** Places that were read, by `placeName`; null: the URL is in no row and no front queue. */
export type ReadPlaces = Map<string, KnownPlace | null>;

export function placeName(key: string, url: string): string {
  return `${key}\n${url}`;
}

export const nowhere: KnownPlace = { from: { in: 'new', a: 0, b: 0 }, entry: null };

/**
 * Finds whether a URL that was put before has been forgotten since. Its row says so, so only rows are read
 * (`readForgotten`), not queues. undefined: not forgotten.
 */
export function findForgotten(
  state: FrontierState,
  host: Host,
  url: string,
  read: ReadForgotten,
): KnownPlace | 'unread' | undefined {
  if (findOut(state, host, url) !== undefined || findAgain(host, url) !== undefined) return undefined;
  const [hi, lo] = state.identityOf(host.key, url);
  const { pull, changelog } = state;
  const recent = pull.known.recent(knownKey(host.id, pull.generation(host.id, changelog.offset), hi!, lo!));
  const place =
    recent === undefined ? read.get(placeName(host.key, url)) : placeOfRow(host, readKnown(recent), hi!, lo!);
  if (place === undefined && recent === undefined) return 'unread';
  return place?.from.in === 'forgotten' ? place : undefined;
}

/** Rows of URLs, by `placeName`: null if there is none, or its URL waits. */
export type ReadForgotten = ReadonlyMap<string, KnownPlace | null>;

/** The place of a URL that was put before, as far as is known. */
export function findKnown(state: FrontierState, host: Host, url: string, read: ReadPlaces): KnownPlace | 'unread' {
  const waits = findOut(state, host, url) ?? findAgain(host, url);
  if (waits !== undefined) return waits;
  const [hi, lo] = state.identityOf(host.key, url);
  const { pull, changelog } = state;
  const recent = pull.known.recent(knownKey(host.id, pull.generation(host.id, changelog.offset), hi!, lo!));
  const row = recent === undefined ? undefined : placeOfRow(host, readKnown(recent), hi!, lo!);
  if (row !== undefined) return row;
  const place = read.get(placeName(host.key, url));
  if (place === undefined) return 'unread';
  return place !== null && isThere(state, host, place) ? place : nowhere;
}

/**
 * Reads the places of URLs of known hosts. One read of rows serves all of them; each waiting URL then takes one more.
 * Without `inFrontQueues`, it reads only whether URLs are done or forgotten.
 */
export function* readPlaces(
  state: FrontierState,
  wanted: readonly { readonly key: string; readonly url: string }[],
  inFrontQueues = true,
): StoreJob<ReadPlaces> {
  const places: ReadPlaces = new Map();
  const { pull, changelog } = state;
  const names = wanted.map(({ key, url }) => [...state.identityOf(key, url)] as [number, number]);
  const keys = wanted.map(({ key }, index) => {
    const { id } = state.hosts.get(key)!;
    return knownKey(id, pull.generation(id, changelog.offset), ...names[index]!);
  });
  if (keys.length === 0) return places;
  const values = yield { read: keys };
  for (const [index, { key, url }] of wanted.entries()) {
    const value = pull.known.recent(keys[index]!) ?? values[index];
    const host = state.hosts.get(key)!;
    let place = value == null ? undefined : placeOfRow(host, readKnown(value), ...names[index]!);
    if (place === undefined && inFrontQueues) {
      const found = yield* findWaiting(state, host.id, url);
      if (found !== undefined)
        place = { from: { in: 'frontQueue', a: found.number, b: found.seq }, entry: found.entry };
    }
    places.set(placeName(key, url), place ?? null);
  }
  return places;
}

export function findOut(state: FrontierState, host: Host, url: string): KnownPlace | undefined {
  for (const id of host.leaseIds) {
    const lease = state.leases.get(id)!;
    const index = indexIn(lease, url);
    const entry = lease.entries[index];
    if (entry != null) return { from: { in: 'lease', a: id, b: index }, entry };
  }
  return undefined;
}

function findAgain(host: Host, url: string): KnownPlace | undefined {
  const again = host.queue.cameBack?.find(url);
  return again && { from: inAgain(again.seq), entry: again.entry };
}

export function inAgain(seq: number): KnownFrom {
  return { in: 'again', a: 0, b: seq };
}

/** undefined: the row is out of date, because the URL has left the place where it waited. */
function placeOfRow(
  host: Host,
  { what, url, payload, waits }: KnownUrl,
  hi: number,
  lo: number,
): KnownPlace | undefined {
  if (what === 'waits') {
    const one = waits && whereItWaits(host, waits, hi, lo);
    if (one === undefined) return undefined;
    const { depth, hop, attempts, expiries, frontQueue } = waits!;
    const entry = { url, depth, hop, attempts, expiries, frontQueue, payload };
    return { from: { in: 'again', a: one.dueAtMs, b: one.seq }, entry };
  }
  return {
    from: { in: what, a: 0, b: 0 },
    entry: { url, depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0, payload },
  };
}

function whereItWaits({ queue }: Host, { dueAtMs, seq }: WaitingRow, hi: number, lo: number): Rescheduled | undefined {
  const list = queue.rescheduled;
  if (seq === 0) return list?.find(dueAtMs, hi, lo);
  const one = list?.at(dueAtMs, seq);
  return one?.hi === hi && one.lo === lo ? one : undefined;
}

/** Returns whether a URL is still in the place where it was found. */
export function isThere(state: FrontierState, host: Host, { from, entry }: KnownPlace): boolean {
  const { frontQueues } = state.queues;
  switch (from.in) {
    case 'frontQueue': {
      const frontQueue = frontQueues.list.find(host.id, from.a);
      if (frontQueue === 0) return false;
      const { tail } = frontQueues.extent(frontQueue);
      return frontQueues.head(frontQueue) <= from.b && from.b < tail && !frontQueues.isGone(frontQueue, from.b);
    }
    case 'again':
      return from.a === 0
        ? host.queue.cameBack?.at(from.b)?.entry.url === entry?.url
        : waitsThere(state, host, from, entry);
    case 'lease':
      return state.leases.get(from.a)?.entries[from.b]?.url === entry?.url;
    default:
      return true;
  }
}

function waitsThere(state: FrontierState, host: Host, { a, b }: KnownFrom, entry: Entry | null): boolean {
  const [hi, lo] = state.identityOf(host.key, entry?.url ?? '');
  const one = host.queue.rescheduled?.at(a, b);
  return one?.hi === hi && one?.lo === lo;
}

/** A lease of a few URLs is searched; for a large one an index is made. */
const searchedMax = 32;
const indexes = new WeakMap<Lease, Map<string, number>>();

function indexIn(lease: Lease, url: string): number {
  const { entries } = lease;
  if (entries.length <= searchedMax) {
    for (let i = 0; i < entries.length; i++) if (entries[i]?.url === url) return i;
    return -1;
  }
  let index = indexes.get(lease);
  if (index === undefined) {
    index = new Map();
    for (let i = 0; i < entries.length; i++) if (entries[i] !== null) index.set(entries[i]!.url, i);
    indexes.set(lease, index);
  }
  return index.get(url) ?? -1;
}
