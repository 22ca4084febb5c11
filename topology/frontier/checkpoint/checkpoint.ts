/**
 * The checkpoint: a partition's state as rows of the state store, written now and then up to a position
 * (save-checkpoint.ts).
 *
 * The changelog is the truth; the checkpoint is a shortcut. Changes after its position are read from the changelog.
 *
 * | first byte | key | value |
 * | --- | --- | --- |
 * | a | host number, chunk | due times of URLs that clients rescheduled: queues/rescheduled-list.ts |
 * | b | budget key | its account: budgets/budgets-state.ts |
 * | c | block | cash of URLs; without a block: its scale |
 * | d | block, or nothing | schedule of revisits: recrawl/due-rows.ts |
 * | e | host key | rewritings of its URLs: state/equivalences.ts |
 * | h | host number | key, facts, front queues, URLs to fetch again, leases: host-row.ts |
 * | m | | changelog position, clock, counters, input positions, policy, quota, next numbers |
 * | m | a | the newest changelog record in the rows of hosts, which may be ahead of the position |
 * | q | host number, front queue, first sequence number | URLs of a front queue: queues/queue-row.ts |
 * | s | list, block | fingerprints: seen/seen-rows.ts |
 * | i | block | counts of in-links; without a block: their sum |
 * | p | host number, fingerprint | a purged URL: purge/purge-state.ts |
 * | k | host number, generation, fingerprint | a URL of a served crawl that a client put: pull/known-rows.ts |
 * | u | fingerprint | the record of a URL that was fetched or given up |
 */
import { CrawlstreamError } from '../../errors.ts';
import { inputTopics, type RecordMark, readMark, writeMark } from '../changes/changelog.ts';
import { readCounters, writeCounters } from '../changes/counters.ts';
import { loadDueRow } from '../recrawl/due-rows.ts';
import type { FrontierState } from '../state/state.ts';
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { ascending } from '../storage/fields.ts';
import { loadHost } from './host-row.ts';

export const checkpointVersion = 3;
/** Version of a checkpoint with rows that an older release would ignore: such a release refuses this version. */
const rescheduledVersion = 4;
/** The same, for a crawl with tags. */
const taggedVersion = 5;
const versions: readonly number[] = [checkpointVersion, rescheduledVersion, taggedVersion];

export const metaKey = Buffer.from('m');
export const aheadKey = Buffer.from('ma');

/** Ranges of all rows a restart reads after the position: queues and records of finished URLs are read row by row. */
export const loadRanges = [
  { gte: Buffer.from('a'), lt: Buffer.from('f') },
  { gte: Buffer.from('h'), lt: Buffer.from('j') },
  { gte: Buffer.from('p'), lt: Buffer.from('q') },
  { gte: Buffer.from('s'), lt: Buffer.from('t') },
] as const;

/**
 * Puts a row into a state that is being loaded, the position's (`metaKey`) before all others. Throws INVALID_RECORD on a
 * row that makes no sense.
 */
export function loadRow(state: FrontierState, key: Buffer, value: Buffer): void {
  switch (String.fromCharCode(key[0]!)) {
    case 'a':
      return state.queues.listOf(key.readUInt32BE(1)).load(key.readUInt32BE(5), value);
    case 'b':
      return state.budgets.load(key.toString('utf8', 1), value);
    case 'c':
      return state.cash.load(key, value);
    case 'd':
      return loadDueRow(state.recrawl, key, value);
    case 'e':
      return state.equivalences.load(key.toString('utf8', 1), value);
    case 'h':
      return loadHost(state, key.readUInt32BE(1), value);
    case 'm':
      return loadMeta(state, new ByteReader(value));
    case 'p':
      return state.purge.load(key);
    case 's':
      return state.seenLoader.take(key, value);
    case 'i':
      return state.inLinks.load(key, value);
    default:
      throw new CrawlstreamError('INVALID_RECORD', `the state folder contains a row of unknown kind ${key[0]}`);
  }
}

/** After the last row. */
export function loaded(state: FrontierState): void {
  state.seenLoader.end();
  state.recrawl.table.loaded();
  state.leases.loaded();
}

export function metaValue(state: FrontierState): Buffer {
  const writer = new ByteWriter(1024);
  writer.byte(versionOf(state));
  writer.uint(state.changelog.offset);
  writer.int(state.changelog.epoch);
  writer.uint(state.changelog.seq);
  writer.uint(state.nowMs);
  writer.uint(state.policyVersion);
  writer.string(state.policyJson);
  writer.uint(state.leases.nextId);
  writer.uint(state.hosts.met);
  writer.uint(state.queues.frontQueues.queuedEver);
  for (const word of state.queued.sum.words) writer.uint(word);
  for (const topic of inputTopics) {
    writer.uint(state.positions[topic].offset);
    writer.uint(state.positions[topic].slice);
  }
  writeCounters(writer, state.counters);
  writer.uint(state.quota.wanted);
  writer.uint(state.quota.book.size);
  for (const [partition, row] of state.quota.book) {
    for (const value of [partition, row.granted, row.returned, row.wanted, row.version]) writer.uint(value);
  }
  writer.string(state.load.source);
  writer.uint(state.load.line);
  writer.boolean(state.load.isDone);
  const { taken } = state.leases;
  writer.int(taken.position);
  writer.uint(taken.from);
  ascending.write(writer, taken.ids);
  writeMark(writer, state.changelog.read);
  writeMark(writer, state.changelog.counted);
  writer.uint(state.foreignRecords);
  for (const topic of inputTopics) writer.int(state.inputEpochs[topic]);
  if (state.tagSets.size > 0) state.tagSets.save(writer);
  return writer.take();
}

function versionOf({ tagSets, queues }: FrontierState): number {
  if (tagSets.size > 0) return taggedVersion;
  return queues.rescheduled.size > 0 ? rescheduledVersion : checkpointVersion;
}

/**
 * Written together with the rows of hosts, so that a reader can check whether the changelog still has the records
 * they were built from.
 */
export function aheadValue({ changelog }: FrontierState): Buffer {
  const writer = new ByteWriter(32);
  writeMark(writer, changelog.read);
  return writer.take();
}

export function readAhead(value: Buffer): RecordMark | null {
  return readMark(new ByteReader(value));
}

function loadMeta(state: FrontierState, reader: ByteReader): void {
  const version = reader.byte();
  if (!versions.includes(version)) {
    throw new CrawlstreamError(
      'UNSUPPORTED',
      `the state folder has format ${version}, but this release reads ${versions.join(', ')}`,
    );
  }
  const changelog = { offset: reader.uint(), epoch: reader.int(), seq: reader.uint() };
  state.changelog = { ...changelog, read: null, counted: null };
  state.nowMs = reader.uint();
  state.setPolicy(reader.uint(), reader.string());
  state.leases.nextId = reader.uint();
  state.hosts.met = reader.uint();
  state.queues.frontQueues.queuedEver = reader.uint();
  for (let i = 0; i < 4; i++) state.queued.sum.words[i] = reader.uint();
  for (const topic of inputTopics) state.positions[topic] = { offset: reader.uint(), slice: reader.uint() };
  state.counters = readCounters(reader);
  state.quota.wanted = reader.uint();
  for (let left = reader.uint(); left > 0; left--) {
    const partition = reader.uint();
    const row = { granted: reader.uint(), returned: reader.uint(), wanted: reader.uint(), version: reader.uint() };
    state.quota.book.set(partition, row);
  }
  // A checkpoint by a release without `load` ends here.
  if (!reader.done) state.load = { source: reader.string(), line: reader.uint(), isDone: reader.boolean() };
  if (!reader.done) state.leases.taken.load(reader.int(), reader.uint(), ascending.read(reader));
  // So does one by a release that did not check whether its changelog has lost records.
  if (!reader.done) {
    state.changelog = { ...changelog, read: readMark(reader), counted: readMark(reader) };
    state.foreignRecords = reader.uint();
    for (const topic of inputTopics) state.inputEpochs[topic] = reader.int();
  }
  if (!reader.done) state.tagSets.load(reader);
}
