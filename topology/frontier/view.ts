/**
 * The view: a partition's state as rows of the state store, written now and then in one batch with its position.
 *
 * The changelog is the truth and the view a shortcut: what was not written yet is read from the changelog again.
 * `saveRows` gives what changed since the last time; `loadRow` takes a row back, in any order but `queueRow`s after
 * their host (the key order of a scan does that).
 *
 * | first byte | key | value |
 * | --- | --- | --- |
 * | h | host key | id, facts, head of each band |
 * | l | lease id | host, entries, deadline, delay |
 * | m | | changelog position, clock, counters, input positions, policy, quota, next ids |
 * | p | host id | hops of other hosts' robots.txt that wait for it |
 * | q | host id, band, first sequence number | up to 64 entries |
 * | r | host id, arrival number | an entry that came back, and when it is due |
 * | s | list, block | fingerprints: seen/seen-rows.ts |
 * | i | block | counts of in-links; without a block: their sum |
 * | t | host key | its standing and released traps |
 * | u | fingerprint | what is kept of a URL that was fetched or given up on |
 */
import type { RobotsHop } from '../../schemas/types.ts';
import { CrawlstreamError } from '../errors.ts';
import { bandCount } from '../policy/band.ts';
import type { Band } from './back-queue.ts';
import { BackQueue } from './back-queue.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { readHostFacts, writeHostFacts, writeUrlRecord } from './change-codec.ts';
import { inputTopics } from './changelog.ts';
import { readCounters, writeCounters } from './counters.ts';
import { readEntry, writeEntry } from './entry.ts';
import { readRobotsHop, writeRobotsHop } from './robots-hop-bytes.ts';
import { saveSeen } from './seen/seen-rows.ts';
import type { FrontierState, Host, Lease } from './state.ts';
import { nothingUnsaved } from './state.ts';

export const viewVersion = 2;
const entriesPerRow = 64;

export interface Row {
  readonly key: Buffer;
  /** null: the row is gone. */
  readonly value: Buffer | null;
}

/** Rows that changed since the last call, the position among them; to be written as one batch. */
export function saveRows(state: FrontierState): Row[] {
  const rows: Row[] = [];
  const { unsaved } = state;
  state.unsaved = nothingUnsaved();
  for (const host of unsaved.hosts) {
    rows.push({ key: keyOf('h', host.key), value: hostValue(host) });
    host.queue.bands.forEach((band, number) => {
      if (band !== undefined) saveBand(rows, host.id, number, band);
    });
  }
  for (const host of unsaved.robotsHops) {
    const hops = state.robotsHops.get(host);
    rows.push({ key: keyOf('p', host.id), value: hops === undefined ? null : robotsHopsValue(hops) });
  }
  for (const id of unsaved.leases) {
    const lease = state.leases.get(id);
    rows.push({ key: keyOf('l', id), value: lease === undefined ? null : leaseValue(lease) });
  }
  for (const [seq, { hostId, again }] of unsaved.again) {
    const writer = new ByteWriter(128);
    if (again !== null) {
      writer.uint(again.dueAtMs);
      writeEntry(writer, again.entry);
    }
    rows.push({ key: keyOf('r', hostId, seq), value: again === null ? null : writer.take() });
  }
  for (const hostKey of state.traps.unsaved) {
    rows.push({ key: keyOf('t', hostKey), value: Buffer.from(state.traps.save(hostKey)) });
  }
  state.traps.unsaved = new Set();
  rows.push(...state.inLinks.takeRows());
  rows.push(...saveSeen(state.seen));
  for (const record of unsaved.records) {
    const [hi, lo] = state.fingerprintOf(record.url);
    const writer = new ByteWriter(256);
    writeUrlRecord(writer, record);
    rows.push({ key: keyOf('u', hi!, lo!), value: writer.take() });
  }
  rows.push({ key: metaKey, value: metaValue(state) });
  return rows.sort((a, b) => Buffer.compare(a.key, b.key));
}

export const metaKey = Buffer.from('m');

/** Range of all rows a restart reads: records of finished URLs are looked up one by one, never loaded. */
export const loadRange = { gte: Buffer.from('h'), lt: Buffer.from('u') };

/** Puts a row into a state that is being loaded. Throws INVALID_RECORD on a row that makes no sense. */
export function loadRow(state: FrontierState, key: Buffer, value: Buffer): void {
  const reader = new ByteReader(value);
  switch (String.fromCharCode(key[0]!)) {
    case 'h':
      return loadHost(state, key.toString('utf8', 1), reader);
    case 'l':
      return loadLease(state, key.readUIntBE(1, 6), reader);
    case 'm':
      return loadMeta(state, reader);
    case 'p': {
      const hops: RobotsHop[] = [];
      while (!reader.done) hops.push(readRobotsHop(reader));
      state.robotsHops.set(hostOf(state, key.readUIntBE(1, 6)), hops);
      return;
    }
    case 'q':
      return loadQueue(hostOf(state, key.readUIntBE(1, 6)), key.readUIntBE(7, 6), key.readUIntBE(13, 6), reader);
    case 'r': {
      const again = { dueAtMs: reader.uint(), seq: key.readUIntBE(7, 6), entry: readEntry(reader) };
      hostOf(state, key.readUIntBE(1, 6)).queue.putAgain(again);
      return;
    }
    case 's':
      return state.seenLoader.take(key, value);
    case 'i':
      return state.inLinks.load(key, value);
    case 't':
      return loadTraps(state, key.toString('utf8', 1), value.toString());
    default:
      throw new CrawlstreamError('INVALID_RECORD', `the state folder holds a row of unknown kind ${key[0]}`);
  }
}

/** After the last row. */
export function loaded(state: FrontierState): void {
  state.seenLoader.end();
  for (const host of state.hostsById) state.settle(host);
}

function keyOf(kind: string, ...parts: readonly (string | number)[]): Buffer {
  if (typeof parts[0] === 'string') return Buffer.from(`${kind}${parts[0]}`);
  const key = Buffer.alloc(1 + 6 * parts.length, kind);
  parts.forEach((part, index) => {
    key.writeUIntBE(part as number, 1 + 6 * index, 6);
  });
  return key;
}

function hostValue(host: Host): Buffer {
  const writer = new ByteWriter(128);
  writer.uint(host.id);
  writeHostFacts(writer, host.facts);
  for (let number = 0; number < bandCount; number++) writer.uint(host.queue.bands[number]?.headSeq ?? 0);
  host.queue.bands.forEach((band, number) => {
    if (number < bandCount || band === undefined) return;
    writer.uint(number);
    writer.uint(band.headSeq);
  });
  return writer.take();
}

function loadHost(state: FrontierState, key: string, reader: ByteReader): void {
  const host: Host = { id: reader.uint(), key, facts: readHostFacts(reader), queue: new BackQueue(), leaseId: 0 };
  for (let number = 0; number < bandCount; number++) loadHead(host, number, reader.uint());
  while (!reader.done) loadHead(host, reader.uint(), reader.uint());
  state.addHost(host);
}

function loadHead(host: Host, number: number, headSeq: number): void {
  if (headSeq === 0) return;
  const band = host.queue.band(number);
  band.headSeq = headSeq;
  band.savedSeq = headSeq;
}

function loadTraps(state: FrontierState, hostKey: string, json: string): void {
  state.traps.load(hostKey, json);
  state.host(hostKey).queue.opened.push(...state.traps.of(hostKey).released.map(({ band }) => band));
}

/** Deletes rows that are used up, writes entries that are in none. */
function saveBand(rows: Row[], hostId: number, number: number, band: Band): void {
  while (band.rows.length > 0 && (band.rows[1] ?? band.savedSeq) <= band.headSeq) {
    rows.push({ key: keyOf('q', hostId, number, band.rows.shift()!), value: null });
  }
  for (let seq = Math.max(band.savedSeq, band.headSeq); seq < band.tailSeq; seq += entriesPerRow) {
    const writer = new ByteWriter(64 * entriesPerRow);
    for (const entry of band.slice(seq, entriesPerRow)) writeEntry(writer, entry);
    rows.push({ key: keyOf('q', hostId, number, seq), value: writer.take() });
    band.rows.push(seq);
  }
  band.savedSeq = band.tailSeq;
}

function loadQueue(host: Host, number: number, firstSeq: number, reader: ByteReader): void {
  const band = host.queue.band(number);
  band.rows.push(firstSeq);
  let seq = firstSeq;
  for (; !reader.done; seq++) {
    const entry = readEntry(reader);
    if (seq >= band.headSeq) band.push(entry);
  }
  band.savedSeq = seq;
}

function robotsHopsValue(hops: readonly RobotsHop[]): Buffer {
  const writer = new ByteWriter(256);
  for (const hop of hops) writeRobotsHop(writer, hop);
  return writer.take();
}

function leaseValue(lease: Lease): Buffer {
  const writer = new ByteWriter(1024);
  writer.uint(lease.host.id);
  writer.uint(lease.deadlineMs);
  writer.uint(lease.delayMs);
  for (const entry of lease.entries) {
    writer.boolean(entry !== null);
    if (entry !== null) writeEntry(writer, entry);
  }
  return writer.take();
}

function loadLease(state: FrontierState, id: number, reader: ByteReader): void {
  const host = hostOf(state, reader.uint());
  const deadlineMs = reader.uint();
  const delayMs = reader.uint();
  const entries = [];
  while (!reader.done) entries.push(reader.boolean() ? readEntry(reader) : null);
  state.leases.set(id, { id, host, entries, deadlineMs, delayMs });
  host.leaseId = id;
}

function metaValue(state: FrontierState): Buffer {
  const writer = new ByteWriter(1024);
  writer.byte(viewVersion);
  writer.uint(state.changelog.offset);
  writer.int(state.changelog.epoch);
  writer.uint(state.changelog.seq);
  writer.uint(state.nowMs);
  writer.uint(state.policyVersion);
  writer.string(state.policyJson);
  writer.uint(state.nextLeaseId);
  writer.uint(state.nextAgainSeq);
  for (const topic of inputTopics) {
    writer.uint(state.positions[topic].offset);
    writer.uint(state.positions[topic].slice);
  }
  writeCounters(writer, state.counters);
  writer.uint(state.quotaWanted);
  writer.uint(state.quotaBook.size);
  for (const [partition, row] of state.quotaBook) {
    for (const value of [partition, row.granted, row.returned, row.wanted, row.version]) writer.uint(value);
  }
  return writer.take();
}

function loadMeta(state: FrontierState, reader: ByteReader): void {
  const version = reader.byte();
  if (version !== viewVersion) {
    throw new CrawlstreamError(
      'UNSUPPORTED',
      `the state folder has format ${version}, this version reads ${viewVersion}`,
    );
  }
  state.changelog = { offset: reader.uint(), epoch: reader.int(), seq: reader.uint() };
  state.nowMs = reader.uint();
  state.setPolicy(reader.uint(), reader.string());
  state.nextLeaseId = reader.uint();
  state.nextAgainSeq = reader.uint();
  for (const topic of inputTopics) state.positions[topic] = { offset: reader.uint(), slice: reader.uint() };
  state.counters = readCounters(reader);
  state.quotaWanted = reader.uint();
  for (let left = reader.uint(); left > 0; left--) {
    const partition = reader.uint();
    const row = { granted: reader.uint(), returned: reader.uint(), wanted: reader.uint(), version: reader.uint() };
    state.quotaBook.set(partition, row);
  }
}

function hostOf(state: FrontierState, id: number): Host {
  const host = state.hostsById[id];
  if (host === undefined) throw new CrawlstreamError('INVALID_RECORD', `the state folder lacks host number ${id}`);
  return host;
}
