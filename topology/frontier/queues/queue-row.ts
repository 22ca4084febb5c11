/**
 * A row of a queue on disk: neighbours of one front queue of one host, front-coded.
 *
 *   key    `q`, host number (4 bytes), front queue (1), sequence number of the first entry (4)
 *   value  count, then for each entry: flags, [depth,] [hops, attempts, expiries, [spelling,]] [payload,] number of bytes
 *          shared with the previous URL, rest
 *
 * A row has its number of entries, which gives the key of the next row. So queues are read from their heads by exact
 * keys, never by iteration, and deleted rows are never visited. Rows are written once and deleted once. Source of
 * front coding: Witten, Moffat & Bell, "Managing Gigabytes" (1999), §4.1.
 */
import { CrawlstreamError } from '../../errors.ts';
import { type Entry, spellingFlag, withHops } from '../changes/entry.ts';
import { ByteReader, type ByteWriter } from '../storage/bytes.ts';
import type { EntryArena } from './entry-arena.ts';
import { origins, otherScheme, payloadFlag, rareFlag, schemeMask } from './entry-arena.ts';

/** Entries of one row: enough to share their cost, few enough to be read for one lease. */
export const rowEntriesMax = 128;
/** A row ends once it has this many bytes. */
export const rowBytesSoft = 16 * 1024;
const sameDepthFlag = 8;
const urlBytesMax = 3 * 8192;

export function rowKey(host: number, frontQueue: number, first: number): Buffer {
  const key = Buffer.allocUnsafe(10);
  key[0] = 0x71;
  key.writeUInt32BE(host, 1);
  key[5] = frontQueue;
  key.writeUInt32BE(first, 6);
  return key;
}

/** Writes up to `count` entries, starting with the one at `pointer`; returns the pointer of the last, and how many. */
export function writeRow(
  writer: ByteWriter,
  arena: EntryArena,
  pointer: number,
  count: number,
): { readonly last: number; readonly count: number } {
  const began = writer.length;
  let fits = 0;
  let bytes = 0;
  for (let at = pointer; fits < Math.min(count, rowEntriesMax) && bytes < rowBytesSoft; fits++, at = arena.next(at)) {
    bytes += arena.length(at);
  }
  writer.uint(fits);
  let last = pointer;
  let before: { readonly buffer: Buffer; readonly from: number; readonly to: number } | undefined;
  let depthBefore = -1;
  for (let i = 0; i < fits; i++) {
    if (i > 0) last = arena.next(last);
    const buffer = arena.buffer(last);
    const from = arena.from(last);
    const to = from + arena.length(last);
    const flags = buffer[from]!;
    const reader = new ByteReader(buffer, from + 1);
    const depth = reader.uint();
    writer.byte(flags | (depth === depthBefore ? sameDepthFlag : 0));
    if (depth !== depthBefore) writer.uint(depth);
    depthBefore = depth;
    if ((flags & rareFlag) !== 0) {
      const hops = reader.uint();
      writer.uint(hops);
      for (let left = 2; left > 0; left--) writer.uint(reader.uint());
      if ((hops & spellingFlag) !== 0) writer.bytes(reader.bytes());
    }
    if ((flags & payloadFlag) !== 0) writer.bytes(reader.bytes());
    const rest = reader.at;
    const shared = before === undefined ? 0 : sharedBytes(before.buffer, before.from, before.to, buffer, rest, to);
    writer.uint(shared);
    writer.uint(to - rest - shared);
    writer.part(buffer, rest + shared, to);
    before = { buffer, from: rest, to };
  }
  if (writer.length === began) throw new Error('an empty row');
  return { last, count: fits };
}

/** Number of entries in a row. */
export function countOf(value: Uint8Array | null | undefined): number {
  if (value == null) {
    throw new CrawlstreamError(
      'INVALID_RECORD',
      'the state folder lacks a row of a queue: delete the folder; the next start rebuilds it from the changelog',
    );
  }
  return new ByteReader(value).uint();
}

/** Visits the first `count` entries of a row in order; an entry is only created if the visitor asks for it. */
export function readRow(
  value: Uint8Array,
  hostKey: string,
  frontQueue: number,
  count: number,
  visit: (index: number, entry: () => Entry) => void,
): void {
  const reader = new ByteReader(value);
  const size = Math.min(count, reader.uint());
  const url = urlBytes;
  let depth = 0;
  for (let index = 0; index < size; index++) {
    const flags = reader.byte();
    if ((flags & sameDepthFlag) === 0) depth = reader.uint();
    const rare = (flags & rareFlag) !== 0;
    const [hops, attempts, expiries] = rare ? [reader.uint(), reader.uint(), reader.uint()] : [0, 0, 0];
    const spelling = (hops! & spellingFlag) === 0 ? undefined : reader.string();
    const payload = (flags & payloadFlag) === 0 ? undefined : reader.bytes();
    const shared = reader.uint();
    const length = shared + reader.bytesInto(url, shared);
    visit(index, () => {
      const given = urlOf(flags, hostKey, url.toString('utf8', 0, length));
      const entry = withHops({ url: given, depth, attempts, expiries, frontQueue }, hops!, spelling);
      return payload === undefined ? entry : { payload: Buffer.from(payload), ...entry };
    });
  }
}

/** The entry at a pointer into the arena. */
export function readArena(arena: EntryArena, pointer: number, hostKey: string, frontQueue: number): Entry {
  const buffer = arena.buffer(pointer);
  const from = arena.from(pointer);
  const flags = buffer[from]!;
  const reader = new ByteReader(buffer, from + 1);
  const depth = reader.uint();
  const rare = (flags & rareFlag) !== 0;
  const [hops, attempts, expiries] = rare ? [reader.uint(), reader.uint(), reader.uint()] : [0, 0, 0];
  const spelling = (hops! & spellingFlag) === 0 ? undefined : reader.string();
  const payload = (flags & payloadFlag) === 0 ? undefined : Buffer.from(reader.bytes());
  const url = urlOf(flags, hostKey, buffer.toString('utf8', reader.at, from + arena.length(pointer)));
  const entry = withHops({ url, depth, attempts, expiries, frontQueue }, hops!, spelling);
  return payload === undefined ? entry : { payload, ...entry };
}

function urlOf(flags: number, hostKey: string, rest: string): string {
  const scheme = flags & schemeMask;
  return scheme === otherScheme ? rest : `${origins[scheme]}${hostKey}${rest}`;
}

/** Buffer in which URLs are assembled. */
const urlBytes = Buffer.allocUnsafe(urlBytesMax);

function sharedBytes(a: Buffer, aFrom: number, aTo: number, b: Buffer, bFrom: number, bTo: number): number {
  const most = Math.min(aTo - aFrom, bTo - bFrom);
  let shared = 0;
  while (shared < most && a[aFrom + shared] === b[bFrom + shared]) shared += 1;
  return shared;
}
