/**
 * Record batches, format 2 (Kafka's protocol guide, "Record Batch"): how records lie in Produce and Fetch and on disk.
 *
 * Readers tolerate what compaction and transactions leave: offsets with holes, empty batches, control batches (which
 * hold no records of anybody). A batch cut short at the end of a response is left for the next fetch. Checksums are not
 * checked on reading, as TCP has its own; the changelog's digests would find what a disk spoils.
 */
import { gunzipSync } from 'node:zlib';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { AppendRecord, LogRecord } from '../log.ts';
import { type ByteReader, type ByteWriter, int8, int16, int32, int64, slice, varint, varintBytes } from './bytes.ts';
import { crc32c } from './crc32c.ts';

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
const crcAt = 17;
const attributesAt = 21;

/** Upper bound of what a record takes in a batch. */
export function recordBytesAtMost({ key, value, headers }: AppendRecord): number {
  let bytes = 40 + value.length + (key?.length ?? 0);
  if (headers) for (const name in headers) bytes += 10 + 3 * (name.length + (headers[name] as string).length);
  return bytes;
}

export function writeBatch(w: ByteWriter, records: readonly StampedRecord[], producer: Producer): void {
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
  w.patchInt32(start + 8, w.length - start - 12);
  w.patchInt32(start + crcAt, crc32c(w.buf, start + attributesAt, w.length));
}

function writeRecord(w: ByteWriter, record: AppendRecord, offsetDelta: number, timestampDelta: number): void {
  const { key, value, headers } = record;
  const pairs = headers ? Object.entries(headers).map(([n, v]) => [Buffer.from(n), Buffer.from(v)] as const) : [];
  let bytes = 1 + varintBytes(timestampDelta) + varintBytes(offsetDelta) + varintBytes(pairs.length);
  bytes += key === null ? 1 : varintBytes(key.length) + key.length;
  bytes += varintBytes(value.length) + value.length;
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
  w.varint(value.length);
  w.bytes(value);
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
  /** Where to fetch next; `from` if there was no whole batch. */
  readonly next: number;
}

const codecNames = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

/** Records at or above `from`, without those of aborted transactions. */
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
  for (let at = 0; at + batchHeaderBytes <= bytes.length; ) {
    const r: ByteReader = { bytes, at };
    const base = int64(r);
    const end = r.at + 4 + int32(r);
    if (end > bytes.length) break;
    if (bytes[at + 16] !== 2) throw unsupported(topic, 'records of a format older than Kafka 0.11');
    r.at = at + attributesAt;
    const attributes = int16(r);
    const last = base + int32(r);
    const firstMs = int64(r);
    const maxMs = int64(r);
    const producerId = int64(r);
    r.at += 6;
    const count = int32(r);
    at = end;
    next = Math.max(next, last + 1);
    const body = decompressed(bytes.subarray(r.at, end), attributes & 7, topic);
    const isControl = (attributes & 0x20) !== 0;
    if (isAborted(producerId, last, (attributes & 0x10) !== 0, isControl ? body : undefined)) continue;
    const appendMs = attributes & 8 ? maxMs : undefined;
    readRecords(body, count, topic, partition, base, firstMs, appendMs, from, records);
  }
  return { records, next };
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
  into: LogRecord[],
): void {
  const r: ByteReader = { bytes: body, at: 0 };
  for (let i = 0; i < count; i++) {
    const length = varint(r);
    const end = r.at + length;
    r.at++;
    const timestampMs = appendMs ?? firstMs + varint(r);
    if (appendMs !== undefined) varint(r);
    const offset = base + varint(r);
    if (offset >= from) {
      const key = slice(r, varint(r));
      const value = slice(r, varint(r)) ?? empty;
      into.push({ topic, partition, offset, timestampMs, key, value, headers: readHeaders(r) });
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

/** Says of each batch, in offset order, whether its records are nobody's: aborted, or a control batch. */
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

/** Of the one record in a control batch: 0 abort, 1 commit. */
function controlType(body: Buffer): number {
  const r: ByteReader = { bytes: body, at: 0 };
  varint(r);
  int8(r);
  varint(r);
  varint(r);
  return slice(r, varint(r))?.readInt16BE(2) ?? -1;
}

function decompressed(body: Buffer, codec: number, topic: string): Buffer {
  if (codec === 0) return body;
  if (codec === 1) return gunzipSync(body);
  throw unsupported(
    topic,
    `records compressed with ${codecNames[codec] ?? codec}: have its producers use gzip or none`,
  );
}

function unsupported(topic: string, what: string): CrawlstreamError {
  return new CrawlstreamError('UNSUPPORTED', `topic ${topic} holds ${what}`);
}
