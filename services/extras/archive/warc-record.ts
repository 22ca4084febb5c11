/**
 * Records of WARC 1.1 (ISO 28500:2017; iipc.github.io/warc-specifications) as bytes, before compression.
 *
 * Everything in a record, including its id, follows from the archived data, so that archiving the same response again
 * gives the same bytes.
 */
import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';

export type WarcType = 'warcinfo' | 'request' | 'response' | 'revisit' | 'metadata' | 'conversion';

export interface WarcRecord {
  readonly type: WarcType;
  /** Seed of the record's id: the same for the same record. */
  readonly identity: string;
  /** ms since the Unix epoch. */
  readonly atMs: number;
  /** Absent: the record has no URL (warcinfo). */
  readonly url?: string;
  readonly contentType: string;
  /** Further named fields, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly block: Buffer;
  /** Number of bytes at the end of `block` that are compressed already. */
  readonly packedBytes?: number;
  /** A file with the bytes that follow `block`. */
  readonly rest?: { readonly path: string; readonly bytes: number };
}

export function recordId(identity: string): string {
  // RFC 4122 §4.3: a UUID from a hash, version 5.
  const sha1 = hash('sha1', identity, 'buffer');
  sha1[6] = (sha1[6]! & 0x0f) | 0x50;
  sha1[8] = (sha1[8]! & 0x3f) | 0x80;
  const hex = sha1.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)];
  return `<urn:uuid:${parts.join('-')}>`;
}

export function warcBytes(record: WarcRecord): Buffer {
  const { block } = record;
  return Buffer.concat([headOf(record, digestOf(block), block.length), block, recordEnd]);
}

/** Bytes at the end of `warcBytes` that compression would not make shorter. */
export function packedBytesOf({ packedBytes = 0 }: WarcRecord): number {
  return packedBytes === 0 ? 0 : packedBytes + recordEnd.length;
}

/** The same of a record with a file: read twice, once for its digest, and never held. */
export async function* warcChunks(record: WarcRecord): AsyncGenerator<Buffer> {
  const { block, rest } = record;
  if (rest === undefined) return yield warcBytes(record);
  const sha1 = createHash('sha1').update(block);
  for await (const chunk of createReadStream(rest.path)) sha1.update(chunk as Buffer);
  yield headOf(record, namedDigest(sha1.digest()), block.length + rest.bytes);
  yield block;
  for await (const chunk of createReadStream(rest.path)) yield chunk as Buffer;
  yield recordEnd;
}

function headOf({ type, identity, atMs, url, contentType, fields }: WarcRecord, digest: string, bytes: number): Buffer {
  const named: (readonly [string, string])[] = [
    ['WARC-Type', type],
    ['WARC-Record-ID', recordId(identity)],
    ['WARC-Date', warcDate(atMs)],
    ...(url === undefined ? [] : [['WARC-Target-URI', url] as const]),
    ...fields,
    ['WARC-Block-Digest', digest],
    ['Content-Type', contentType],
    ['Content-Length', `${bytes}`],
  ];
  return Buffer.from(`WARC/1.1\r\n${named.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
}

const recordEnd = Buffer.from('\r\n\r\n');

/** ISO 8601 with milliseconds, as 1.1 allows. */
export function warcDate(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** SHA-1 in base32, as every other tool writes it. */
export function digestOf(bytes: Uint8Array): string {
  return namedDigest(hash('sha1', bytes, 'buffer'));
}

/** The same for a SHA-1 that is known. */
export function namedDigest(sha1: Uint8Array): string {
  return `sha1:${base32(sha1)}`;
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6. Whole groups only: 20 bytes are four of them. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += base32Digits[(held >>> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return text;
}
