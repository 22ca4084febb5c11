/**
 * Metadata of a URL as bytes: its entries one after another, each with its length before it, as the wire has them.
 *
 * Two entries mean something to this server: `crawlstream.priority` on the way in, `crawlstream.attempts` on the way out.
 * All others are the client's own.
 */
import { frontQueueCount } from '../../topology/url/front-queue.ts';

export const priorityKey = 'crawlstream.priority';
export const attemptsKey = 'crawlstream.attempts';

/** URLs of no priority of their own go behind those that are urgent, and before those that are not. */
export const frontQueueDefault = 3;

/** The entries as one stretch of bytes. */
export function packMetadata(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length === 0) return nothing;
  let length = 0;
  for (const entry of entries) length += lengthBytes(entry.length) + entry.length;
  const packed = Buffer.allocUnsafe(length);
  let at = 0;
  for (const entry of entries) {
    for (let left = entry.length; ; left >>>= 7) {
      packed[at++] = left < 0x80 ? left : (left & 0x7f) | 0x80;
      if (left < 0x80) break;
    }
    packed.set(entry, at);
    at += entry.length;
  }
  return packed;
}

export function unpackMetadata(packed: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < packed.length; ) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = packed[at++]!;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    entries.push(packed.subarray(at, at + length));
    at += length;
  }
  return entries;
}

/** The front queue that the metadata asks for. */
export function frontQueueOf(entries: readonly Uint8Array[]): number {
  for (const entry of entries) {
    if (entry.length < priorityBytes.length + 7 || !startsWithKey(entry, priorityBytes)) continue;
    // key, then value: a StringList, whose first string is a digit.
    const digit = entry[priorityBytes.length + 6]! - 48;
    return digit >= 0 && digit < frontQueueCount ? digit : frontQueueDefault;
  }
  return frontQueueDefault;
}

export function attemptsEntry(attempts: number): Uint8Array {
  const key = Buffer.from(attemptsKey);
  const value = Buffer.from(String(attempts));
  const list = Buffer.concat([Buffer.from([0x0a, value.length]), value]);
  return Buffer.concat([Buffer.from([0x0a, key.length]), key, Buffer.from([0x12, list.length]), list]);
}

/** Does an entry of the map begin with this key? */
function startsWithKey(entry: Uint8Array, key: Buffer): boolean {
  if (entry[0] !== 0x0a || entry[1] !== key.length) return false;
  for (let i = 0; i < key.length; i++) if (entry[2 + i] !== key[i]) return false;
  return true;
}

function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : 4;
}

const priorityBytes = Buffer.from(priorityKey);
const nothing = new Uint8Array(0);
