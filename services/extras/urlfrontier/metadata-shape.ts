/**
 * Checks that clients can read a metadata entry. Entries are stored and returned as bytes (wire.ts), and clients
 * refuse a whole message for one unreadable entry. So a valid entry must be an entry of `map<string, StringList>`,
 * with text in UTF-8 (protobuf's encoding guide: "map fields", "strings").
 *
 * Unknown fields are skipped, as in every reader. Some writers omit an empty key or list, which some readers do not
 * accept: it is added.
 */
import { isUtf8 } from 'node:buffer';

const [keyField, valueField, valuesField] = [1, 2, 1];
const [varint, fixed64, lengthDelimited, fixed32] = [0, 1, 2, 5];
/** Field numbers have 29 bits. */
const fieldMax = 2 ** 29 - 1;
const varintBytesMax = 10;

/** The entry, with a key and a list; null: unreadable. */
export function readable(entry: Uint8Array): Uint8Array | null {
  let [hasKey, hasList] = [false, false];
  const isWhole = areFields(entry, 0, entry.length, (bytes, field, from, to) => {
    if (field === keyField) hasKey = true;
    if (field === valueField) hasList = true;
    return isEntryField(bytes, field, from, to);
  });
  if (!isWhole) return null;
  if (hasKey && hasList) return entry;
  return Buffer.concat([hasKey ? nothing : emptyKey, entry, hasList ? nothing : emptyList]);
}

const nothing = Buffer.alloc(0);
const emptyKey = Buffer.from([0x0a, 0]);
const emptyList = Buffer.from([0x12, 0]);

type Check = (bytes: Uint8Array, field: number, from: number, to: number) => boolean;

const isText = (bytes: Uint8Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if (bytes[at]! >= 0x80) return isUtf8(bytes.subarray(at, to));
  return true;
};

const isListField: Check = (bytes, field, from, to) => field !== valuesField || isText(bytes, from, to);

const isEntryField: Check = (bytes, field, from, to) => {
  if (field === keyField) return isText(bytes, from, to);
  return field !== valueField || areFields(bytes, from, to, isListField);
};

/** Do the bytes hold whole fields? All that are known are length-delimited; `check` looks into those. */
function areFields(bytes: Uint8Array, begin: number, end: number, check: Check): boolean {
  for (let at = begin; at < end; ) {
    const tag = readVarint(bytes, at, end);
    if (tag === null) return false;
    const [field, type] = [Math.floor(tag.value / 8), tag.value % 8];
    if (field === 0 || field > fieldMax) return false;
    at = tag.next;
    if (type === lengthDelimited) {
      const length = readVarint(bytes, at, end);
      if (length === null || length.value > end - length.next) return false;
      at = length.next + length.value;
      if (!check(bytes, field, length.next, at)) return false;
      continue;
    }
    if (field === keyField || field === valueField) return false;
    if (type === varint) {
      const value = readVarint(bytes, at, end);
      if (value === null) return false;
      at = value.next;
    } else if (type === fixed64) at += 8;
    else if (type === fixed32) at += 4;
    else return false;
    if (at > end) return false;
  }
  return true;
}

/** null: it does not end. */
function readVarint(bytes: Uint8Array, from: number, end: number): { value: number; next: number } | null {
  let value = 0;
  let scale = 1;
  for (let at = from; at < end && at < from + varintBytesMax; at++, scale *= 128) {
    const byte = bytes[at]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, next: at + 1 };
  }
  return null;
}
