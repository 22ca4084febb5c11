/**
 * Record batches, format 2 (Kafka's protocol guide, "Record Batch"): the layout of records in Produce, in Fetch and
 * on disk.
 *
 * Readers tolerate the effects of compaction and transactions: offset gaps, empty batches, and control batches (which
 * contain no user records). A batch that is cut at the end of a response is left for the next fetch. A batch with a
 * wrong checksum, or that cannot be decompressed, is returned as one record that describes it
 * (topology/damaged-batch.ts).
 */
import { damagedValue } from '../../../../topology/damaged-batch.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { crc32c } from '../../checksum/crc32c.ts';
import type { AppendRecord, LogRecord } from '../log.ts';
import { type ByteReader, type ByteWriter, int8, int16, int32, int64, slice, varint, varintBytes } from './bytes.ts';
import { type Compressor, decompressorOf } from './compression/codecs.ts';
import { compressionNames } from './compression/names.ts';
import { kafkaLimits } from './kafka-limits.ts';

export interface StampedRecord {
  readonly record: AppendRecord;
  readonly timestampMs: number;
}

export interface Producer {
  readonly id: number;
  readonly epoch: number;
  /** Sequence number of the batch's first record. */
  readonly sequence: number;
}

/** Bytes of a batch before its first record. */
export const batchHeaderBytes = 61;
const leaderEpochAt = 12;
const crcAt = 17;
const attributesAt = 21;
const maxTimestampAt = 35;

/** Upper bound of a record's bytes in a batch. */
export function recordBytesAtMost({ key, value, headers }: AppendRecord): number {
  let bytes = 40 + value.length + (key?.length ?? 0);
  if (headers) for (const name in headers) bytes += 10 + 3 * (name.length + (headers[name] as string).length);
  return bytes;
}

/** The batch is compressed as a whole, unless that makes it no smaller. */
export function writeBatch(
  w: ByteWriter,
  records: readonly StampedRecord[],
  producer: Producer,
  compressor?: Compressor,
): void {
  const start = w.length;
  const firstMs = records[0]?.timestampMs ?? 0;
  let maxMs = firstMs;
  for (const { timestampMs } of records) if (timestampMs > maxMs) maxMs = timestampMs;
  w.int64(0);
  w.int32(0);
  w.int32(-1);
  w.int8(2);
  w.int32(0);
  w.int16(0);
  w.int32(records.length - 1);
  w.int64(firstMs);
  w.int64(maxMs);
  w.int64(producer.id);
  w.int16(producer.epoch);
  w.int32(producer.sequence);
  w.int32(records.length);
  for (let i = 0; i < records.length; i++) {
    const { record, timestampMs } = records[i] as StampedRecord;
    writeRecord(w, record, i, timestampMs - firstMs);
  }
  if (compressor) compressFrom(w, start, compressor);
  w.patchInt32(start + 8, w.length - start - 12);
  w.patchInt32(start + crcAt, crc32c(w.buf, start + attributesAt, w.length));
}

function compressFrom(w: ByteWriter, start: number, { number, compress }: Compressor): void {
  const from = start + batchHeaderBytes;
  const compressed = compress(w.buf.subarray(from, w.length));
  if (compressed.length >= w.length - from) return;
  w.cutAt(from);
  w.bytes(compressed);
  w.patchInt16(start + attributesAt, number);
}

function writeRecord(w: ByteWriter, record: AppendRecord, offsetDelta: number, timestampDelta: number): void {
  const { key, value, headers } = record;
  const pairs = headers ? Object.entries(headers).map(([n, v]) => [Buffer.from(n), Buffer.from(v)] as const) : [];
  let bytes = 1 + varintBytes(timestampDelta) + varintBytes(offsetDelta) + varintBytes(pairs.length);
  bytes += key === null ? 1 : varintBytes(key.length) + key.length;
  bytes += value.length === 0 ? 1 : varintBytes(value.length) + value.length;
  for (const [n, v] of pairs) bytes += varintBytes(n.length) + n.length + varintBytes(v.length) + v.length;
  w.varint(bytes);
  w.int8(0);
  w.varint(timestampDelta);
  w.varint(offsetDelta);
  if (key === null) w.varint(-1);
  else {
    w.varint(key.length);
    w.bytes(key);
  }
  // Null, which compaction takes for a tombstone; no record of ours is empty otherwise.
  if (value.length === 0) w.varint(-1);
  else {
    w.varint(value.length);
    w.bytes(value);
  }
  w.varint(pairs.length);
  for (const part of pairs.flat()) {
    w.varint(part.length);
    w.bytes(part);
  }
}

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

export interface DecodedBatches {
  readonly records: LogRecord[];
  /** Position of the next fetch; `from` if there was no complete batch. */
  readonly next: number;
}

/**
 * Returns records at or above `from`, without those of aborted transactions. Of compressed batches, it returns as many
 * as fit into memory.
 */
export function readBatches(
  bytes: Buffer,
  topic: string,
  partition: number,
  from: number,
  aborted: readonly AbortedTransaction[],
): DecodedBatches {
  const records: LogRecord[] = [];
  const isAborted = abortedFilter(aborted);
  let next = from;
  let inflatedBytes = 0;
  for (let at = 0; at + batchHeaderBytes <= bytes.length; ) {
    const r: ByteReader = { bytes, at };
    const base = int64(r);
    const end = r.at + 4 + int32(r);
    if (end > bytes.length) break;
    if (end < at + batchHeaderBytes) {
      throw new CrawlstreamError('INVALID_RECORD', `${topic}/${partition} holds a batch at ${base} without a header`);
    }
    if (bytes[at + 16] !== 2) {
      throw new CrawlstreamError('UNSUPPORTED', `topic ${topic} holds records of a format older than Kafka 0.11`);
    }
    const batch = bytes.subarray(at, end);
    at = end;
    const leaderEpoch = batch.readInt32BE(leaderEpochAt);
    if (!isSound(batch)) {
      const last = lastOfDamaged(batch, base, bytes, end);
      next = Math.max(next, last + 1);
      if (last < from) continue;
      const timestampMs = Number(batch.readBigInt64BE(maxTimestampAt));
      const value = damaged(batch, `${topic}/${partition}, offsets ${base} to ${last},`, 'its checksum is wrong');
      records.push(recordOfDamaged(topic, partition, last, timestampMs, value, leaderEpoch));
      continue;
    }
    r.at = end - batch.length + attributesAt;
    const attributes = int16(r);
    const last = base + int32(r);
    const firstMs = int64(r);
    const maxMs = int64(r);
    const producerId = int64(r);
    r.at += 6;
    const count = int32(r);
    next = Math.max(next, last + 1);
    const body = bytes.subarray(r.at, end);
    const isControl = (attributes & 0x20) !== 0;
    if (isAborted(producerId, last, (attributes & 0x10) !== 0, isControl ? body : undefined)) continue;
    const appendMs = attributes & 8 ? maxMs : undefined;
    const codec = attributes & 7;
    const before = records.length;
    try {
      const undone =
        codec === 0 || body.length === 0 ? body : decompressorOf(codec, topic)(body, kafkaLimits.inflatedBytesMax);
      readRecords(undone, count, topic, partition, base, firstMs, appendMs, from, leaderEpoch, records);
      const isFull = records.length >= kafkaLimits.recordsAtOnceMax;
      if (isFull && records.at(-1)!.offset < last) return { records, next: records.at(-1)!.offset + 1 };
      if (codec !== 0) inflatedBytes += undone.length;
    } catch (error) {
      if (error instanceof CrawlstreamError) throw error;
      records.length = before;
      const why = `${compressionNames[codec]}: ${(error as Error).message}; its checksum is right, so its producer wrote it this way`;
      const value = damaged(batch, `${topic}/${partition}, offsets ${base} to ${last},`, `can't be undone: ${why}`);
      records.push(recordOfDamaged(topic, partition, last, maxMs, value, leaderEpoch));
    }
    if (inflatedBytes >= kafkaLimits.inflatedBytesMax || records.length >= kafkaLimits.recordsAtOnceMax) break;
  }
  return { records, next };
}

/** Stands for the records of a damaged batch, at the offset of the last. */
function recordOfDamaged(
  topic: string,
  partition: number,
  offset: number,
  timestampMs: number,
  value: Buffer,
  leaderEpoch: number,
): LogRecord {
  return { topic, partition, offset, timestampMs, key: null, value, headers: noHeaders, leaderEpoch };
}

function isSound(batch: Buffer): boolean {
  return crc32c(batch, attributesAt) === batch.readInt32BE(crcAt);
}

/**
 * The header may be wrong too: the checksum does not cover the length, from which the start of the next batch follows.
 */
function lastOfDamaged(batch: Buffer, base: number, bytes: Buffer, end: number): number {
  const nextBase = end + 8 <= bytes.length ? Number(bytes.readBigInt64BE(end)) : -1;
  if (nextBase > base) return nextBase - 1;
  const delta = batch.readInt32BE(attributesAt + 2);
  const count = batch.readInt32BE(batchHeaderBytes - 4);
  return delta >= 0 && delta === count - 1 ? base + delta : base;
}

function damaged(batch: Buffer, where: string, why: string): Buffer {
  const bytes = batch.subarray(0, kafkaLimits.damagedBytesKept);
  const kept = bytes.length < batch.length ? `, of which the first ${bytes.length} follow` : '';
  const what = `the batch at ${where} is damaged (${why}); it has ${batch.length} bytes${kept}`;
  return Buffer.from(damagedValue(what.replaceAll('\n', ' '), bytes).buffer);
}

function readRecords(
  body: Buffer,
  count: number,
  topic: string,
  partition: number,
  base: number,
  firstMs: number,
  appendMs: number | undefined,
  from: number,
  leaderEpoch: number,
  into: LogRecord[],
): void {
  const r: ByteReader = { bytes: body, at: 0 };
  for (let i = 0; i < count && into.length < kafkaLimits.recordsAtOnceMax; i++) {
    const length = varint(r);
    const end = r.at + length;
    if (length < 1) throw new RangeError('a record of no length');
    r.at++;
    const timestampMs = appendMs ?? firstMs + varint(r);
    if (appendMs !== undefined) varint(r);
    const offset = base + varint(r);
    if (offset >= from) {
      const key = slice(r, varint(r));
      const value = slice(r, varint(r)) ?? empty;
      into.push({ topic, partition, offset, timestampMs, key, value, headers: readHeaders(r), leaderEpoch });
    }
    r.at = end;
  }
}

const empty = Buffer.alloc(0);
const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

function readHeaders(r: ByteReader): Readonly<Record<string, string>> {
  const count = varint(r);
  if (count <= 0) return noHeaders;
  const headers: [string, string][] = [];
  for (let i = 0; i < count; i++) {
    const name = (slice(r, varint(r)) ?? empty).toString();
    headers.push([name, (slice(r, varint(r)) ?? empty).toString()]);
  }
  return Object.fromEntries(headers);
}

/**
 * Returns a function that decides for each batch, in offset order, whether its records are ignored: aborted records
 * and control batches.
 */
function abortedFilter(aborted: readonly AbortedTransaction[]) {
  const waiting = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset);
  const open = new Set<number>();
  return (producerId: number, lastOffset: number, isTransactional: boolean, control: Buffer | undefined): boolean => {
    while (waiting[0] && waiting[0].firstOffset <= lastOffset)
      open.add((waiting.shift() as AbortedTransaction).producerId);
    if (!control) return isTransactional && open.has(producerId);
    if (controlType(control) === 0) open.delete(producerId);
    return true;
  };
}

/** The type of the record in a control batch: 0 abort, 1 commit; -1: it cannot be read. */
function controlType(body: Buffer): number {
  const r: ByteReader = { bytes: body, at: 0 };
  try {
    varint(r);
    int8(r);
    varint(r);
    varint(r);
    return slice(r, varint(r))?.readInt16BE(2) ?? -1;
  } catch (error) {
    if (error instanceof RangeError) return -1;
    throw error;
  }
}
