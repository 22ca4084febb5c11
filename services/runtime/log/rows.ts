/**
 * Rows of the embedded log in its store. Integers are big-endian, so that key order is number order.
 *
 *   L m t <name>                                     topic: JSON {id, partitions, retention}
 *   L m o <topic u16> <partition u16>                trimmed: first offset u48, first row not yet deleted u48
 *   L m s <segment u32>                              segment: start time u48, then per partition <topic> <partition> <first offset u48>
 *   L m g <group> 0 <topic name> 0 <partition u16>   committed offset u48
 *   L r <segment u32> <topic u16> <partition u16> <offset u48> <time ms u48> <key length + 1 u16> <key> <headers>   record: the value, bare
 *
 * A row's key holds everything of a record except the value, so that values are never copied to be framed. Every 64
 * MB or so, a new segment starts. Later rows then never sort among older ones, so RocksDB's compactions leave old
 * table files alone, instead of merging each partition's new rows into them (which would rewrite a page about ten
 * times over a long crawl).
 */
import type { AppendRecord, LogRecord } from './log.ts';

export type Headers = Readonly<Record<string, string>>;

/** First byte of all keys of the log; other users of the same store must use another. */
const logSpace = 0x4c;
const metaSpace = 0x6d;
const recordSpace = 0x72;
const recordPrefixBytes = 10;
const recordFixedBytes = 24;
const noHeaders: Headers = Object.freeze({});

export const topicRows = metaRange('t');
export const trimRows = metaRange('o');
export const segmentRows = metaRange('s');

function metaRange(kind: string): { gte: Buffer; lt: Buffer } {
  const code = kind.charCodeAt(0);
  return { gte: Buffer.from([logSpace, metaSpace, code]), lt: Buffer.from([logSpace, metaSpace, code + 1]) };
}

export function topicKey(name: string): Buffer {
  return Buffer.concat([topicRows.gte, Buffer.from(name)]);
}

export function topicOfKey(key: Buffer): string {
  return key.toString('utf8', topicRows.gte.length);
}

export function trimKey(topicId: number, partition: number): Buffer {
  const key = Buffer.alloc(7);
  trimRows.gte.copy(key);
  key.writeUInt16BE(topicId, 3);
  key.writeUInt16BE(partition, 5);
  return key;
}

export function segmentKey(segment: number): Buffer {
  const key = Buffer.alloc(7);
  segmentRows.gte.copy(key);
  key.writeUInt32BE(segment, 3);
  return key;
}

export function commitKey(group: string, topic: string, partition: number): Buffer {
  const number = Buffer.alloc(2);
  number.writeUInt16BE(partition);
  return Buffer.concat([metaRange('g').gte, Buffer.from(`${group}\0${topic}\0`), number]);
}

/** Rows of groups with names that begin so. */
export function commitRange(prefix: string): { gte: Buffer; lt: Buffer } {
  const gte = Buffer.concat([metaRange('g').gte, Buffer.from(prefix)]);
  return { gte, lt: Buffer.concat([gte, Buffer.from([0xff])]) };
}

export function groupOfKey(key: Buffer): string {
  const from = metaRange('g').gte.length;
  return key.toString('utf8', from, key.indexOf(0, from));
}

/** The rows of one partition's offsets `from` to `to`, without `to`, in one segment. */
export function recordRange(segment: number, topicId: number, partition: number, from: number, to: number) {
  return { gte: recordPrefix(segment, topicId, partition, from), lt: recordPrefix(segment, topicId, partition, to) };
}

function recordPrefix(segment: number, topicId: number, partition: number, offset: number): Buffer {
  const key = Buffer.allocUnsafe(recordPrefixBytes + 6);
  writePrefix(key, segment, topicId, partition, offset);
  return key;
}

function writePrefix(key: Buffer, segment: number, topicId: number, partition: number, offset: number): void {
  key[0] = logSpace;
  key[1] = recordSpace;
  write32(key, 2, segment);
  key[6] = topicId >>> 8;
  key[7] = topicId;
  key[8] = partition >>> 8;
  key[9] = partition;
  write48(key, 10, offset);
}

export function recordKey(segment: number, topicId: number, record: LogRecord): Buffer {
  const { key, headers } = record;
  const keyBytes = key === null ? 0 : key.length;
  const headerBytes = headers === noHeaders ? 0 : headerLength(headers);
  const row = Buffer.allocUnsafe(recordFixedBytes + keyBytes + headerBytes);
  writePrefix(row, segment, topicId, record.partition, record.offset);
  write48(row, 16, record.timestampMs);
  const lengthCode = key === null ? 0 : keyBytes + 1;
  row[22] = lengthCode >>> 8;
  row[23] = lengthCode;
  if (key !== null) row.set(key, recordFixedBytes);
  if (headerBytes > 0) writeHeaders(row, recordFixedBytes + keyBytes, headers);
  return row;
}

export function recordOf(topic: string, row: Buffer, value: Buffer): LogRecord {
  const lengthCode = row.readUInt16BE(22);
  const headersAt = recordFixedBytes + Math.max(0, lengthCode - 1);
  return {
    topic,
    partition: row.readUInt16BE(8),
    offset: offsetOfKey(row),
    timestampMs: row.readUIntBE(16, 6),
    key: lengthCode === 0 ? null : row.subarray(recordFixedBytes, headersAt),
    value,
    headers: headersAt === row.length ? noHeaders : readHeaders(row, headersAt),
  };
}

export function offsetOfKey(row: Buffer): number {
  return row.readUIntBE(10, 6);
}

/** Shares the bytes of the appended record. */
export function newRecord(given: AppendRecord, offset: number, timestampMs: number): LogRecord {
  return {
    topic: given.topic,
    partition: given.partition,
    offset,
    timestampMs,
    key: given.key === null ? null : asBuffer(given.key),
    value: asBuffer(given.value),
    headers: given.headers ?? noHeaders,
  };
}

/** Bytes of the headers as stored: two length words and two strings each. */
export function headerLength(headers: Headers): number {
  let bytes = 0;
  for (const name in headers) bytes += 4 + Buffer.byteLength(name) + Buffer.byteLength(headers[name] as string);
  return bytes;
}

function writeHeaders(row: Buffer, at: number, headers: Headers): void {
  for (const name in headers) {
    for (const text of [name, headers[name] as string]) {
      const length = row.write(text, at + 2);
      row.writeUInt16BE(length, at);
      at += 2 + length;
    }
  }
}

function readHeaders(row: Buffer, at: number): Headers {
  const texts: string[] = [];
  while (at < row.length) {
    const end = at + 2 + row.readUInt16BE(at);
    texts.push(row.toString('utf8', at + 2, end));
    at = end;
  }
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < texts.length; i += 2) pairs.push([texts[i] as string, texts[i + 1] as string]);
  return Object.fromEntries(pairs);
}

export interface FirstOffset {
  readonly topicId: number;
  readonly partition: number;
  readonly offset: number;
}

export function segmentValue(startMs: number, firsts: readonly FirstOffset[]): Buffer {
  const value = Buffer.allocUnsafe(6 + firsts.length * 10);
  write48(value, 0, startMs);
  firsts.forEach(({ topicId, partition, offset }, i) => {
    value.writeUInt16BE(topicId, 6 + i * 10);
    value.writeUInt16BE(partition, 8 + i * 10);
    write48(value, 10 + i * 10, offset);
  });
  return value;
}

export function readSegmentValue(value: Buffer): { startMs: number; firsts: FirstOffset[] } {
  const firsts: FirstOffset[] = [];
  for (let at = 6; at < value.length; at += 10) {
    const offset = value.readUIntBE(at + 4, 6);
    firsts.push({ topicId: value.readUInt16BE(at), partition: value.readUInt16BE(at + 2), offset });
  }
  return { startMs: value.readUIntBE(0, 6), firsts };
}

/** One or two offsets in a row. */
export function offsetsValue(...offsets: readonly number[]): Buffer {
  const value = Buffer.allocUnsafe(offsets.length * 6);
  offsets.forEach((offset, i) => {
    write48(value, i * 6, offset);
  });
  return value;
}

export function readOffset(value: Buffer, index = 0): number {
  return value.readUIntBE(index * 6, 6);
}

function write32(bytes: Buffer, at: number, n: number): void {
  bytes[at] = n >>> 24;
  bytes[at + 1] = n >>> 16;
  bytes[at + 2] = n >>> 8;
  bytes[at + 3] = n;
}

function write48(bytes: Buffer, at: number, n: number): void {
  const high = Math.floor(n / 2 ** 32);
  bytes[at] = high >>> 8;
  bytes[at + 1] = high;
  write32(bytes, at + 2, n >>> 0);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
