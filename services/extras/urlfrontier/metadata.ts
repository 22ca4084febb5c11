/**
 * Metadata of a URL as bytes: its entries one after another, each preceded by its length, as on the wire.
 *
 * Entries with a key that begins with `crawlstream.` belong to this server: clients send `crawlstream.priority`, and
 * receive `crawlstream.attempts`, which is ignored if they send it back. All others belong to the client.
 */
import { frontQueueCount } from '../../../topology/url/front-queue.ts';
import { readable } from './metadata-shape.ts';

export const priorityKey = 'crawlstream.priority';
export const attemptsKey = 'crawlstream.attempts';
const ownPrefix = Buffer.from('crawlstream.');
const priorityBytes = Buffer.from(priorityKey);

/** URLs without a priority go behind urgent ones, and before less urgent ones. */
export const frontQueueDefault = 3;

/** The entries as one block of bytes. */
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

/** Splits packed metadata. An invalid entry is unreadable for all readers (metadata-shape.ts). */
export function unpackMetadata(packed: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < packed.length; ) {
    let length = 0;
    for (let shift = 0; at < packed.length; shift += 7) {
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
    // key, then value: a StringList with a digit as its first string.
    const digit = entry[priorityBytes.length + 6]! - 48;
    return digit >= 0 && digit < frontQueueCount ? digit : frontQueueDefault;
  }
  return frontQueueDefault;
}

/** Returns the entries of the metadata that a client may set. */
export function clientsOwn(entries: readonly Uint8Array[]): readonly Uint8Array[] {
  return entries.some(isServers) ? entries.filter((entry) => !isServers(entry)) : entries;
}

/** The metadata returned from storage: releases up to 0.2.0 also stored unreadable entries. */
export function givenBack(entries: readonly Uint8Array[]): readonly Uint8Array[] {
  const own = clientsOwn(entries);
  return own.every((entry) => readable(entry) === entry) ? own : own.flatMap((entry) => readable(entry) ?? []);
}

/** An entry of a key and one value, each of fewer than 100 bytes. */
export function entryOf(key: string, value: string): Uint8Array {
  const [keyBytes, valueBytes] = [Buffer.from(key), Buffer.from(value)];
  const list = Buffer.concat([Buffer.from([0x0a, valueBytes.length]), valueBytes]);
  return Buffer.concat([Buffer.from([0x0a, keyBytes.length]), keyBytes, Buffer.from([0x12, list.length]), list]);
}

/** The value of an entry made by `entryOf`, if it has this key. */
export function textOf(entry: Uint8Array, key: string): string | undefined {
  const bytes = Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength);
  const valueAt = 2 + key.length + 4;
  if (entry[1] !== key.length || entry.length < valueAt || bytes.toString('latin1', 2, 2 + key.length) !== key)
    return undefined;
  return bytes.toString('latin1', valueAt);
}

export function attemptsEntry(attempts: number): Uint8Array {
  return entryOf(attemptsKey, String(attempts));
}

function isServers(entry: Uint8Array): boolean {
  return hasAt(entry, 2, ownPrefix) && entry[0] === 0x0a && !startsWithKey(entry, priorityBytes);
}

/** True if an entry of the map begins with this key. */
function startsWithKey(entry: Uint8Array, key: Buffer): boolean {
  return entry[0] === 0x0a && entry[1] === key.length && hasAt(entry, 2, key);
}

function hasAt(entry: Uint8Array, at: number, text: Buffer): boolean {
  for (let i = 0; i < text.length; i++) if (entry[at + i] !== text[i]) return false;
  return true;
}

function lengthBytes(length: number): number {
  return length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : 4;
}

const nothing = new Uint8Array(0);
