/**
 * Records of WARC 1.1 (ISO 28500:2017; iipc.github.io/warc-specifications) as bytes, before compression.
 *
 * Everything in a record follows from what is archived, its id included, so that archiving the same response again
 * gives the same bytes.
 */
import { createHash } from 'node:crypto';

export type WarcType = 'warcinfo' | 'request' | 'response' | 'revisit' | 'metadata';

export interface WarcRecord {
  readonly type: WarcType;
  /** What the record's id is derived from: the same for the same record. */
  readonly identity: string;
  /** ms since the Unix epoch. */
  readonly atMs: number;
  /** Absent: of no URL (warcinfo). */
  readonly url?: string;
  readonly contentType: string;
  /** Further named fields, in order. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly block: Buffer;
}

export function recordId(identity: string): string {
  // RFC 4122 §4.3: a UUID from a hash, version 5.
  const hash = createHash('sha1').update(identity).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)];
  return `<urn:uuid:${parts.join('-')}>`;
}

export function warcBytes({ type, identity, atMs, url, contentType, fields, block }: WarcRecord): Buffer {
  const named: (readonly [string, string])[] = [
    ['WARC-Type', type],
    ['WARC-Record-ID', recordId(identity)],
    ['WARC-Date', warcDate(atMs)],
    ...(url === undefined ? [] : [['WARC-Target-URI', url] as const]),
    ...fields,
    ['WARC-Block-Digest', digestOf(block)],
    ['Content-Type', contentType],
    ['Content-Length', `${block.length}`],
  ];
  const head = `WARC/1.1\r\n${named.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), block, recordEnd]);
}

const recordEnd = Buffer.from('\r\n\r\n');

/** ISO 8601 with milliseconds, as 1.1 allows. */
export function warcDate(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** SHA-1 in base32, as every other tool writes it. */
export function digestOf(bytes: Uint8Array): string {
  return `sha1:${base32(createHash('sha1').update(bytes).digest())}`;
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
