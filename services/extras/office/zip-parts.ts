/**
 * The parts of a ZIP file in memory, by name. Source: PKWARE's APPNOTE.TXT 6.3.10, §4.3, as far as office files and
 * books use it: one disk, stored or deflated, no ZIP64 (a body is never that large).
 *
 * Nothing is unpacked to a disk, and a name is only looked up, so that no path leads anywhere. All parts together may
 * unpack to `officeBytesMax`, however often the file's list names the same bytes; a ZIP within a ZIP is a part that is
 * not read.
 */
import { inflateRawSync } from 'node:zlib';
import { officeLimits } from './office-limits.ts';

interface Entry {
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly size: number;
  readonly headerAt: number;
}

const endSignature = 0x06054b50;
const listSignature = 0x02014b50;
const headerSignature = 0x04034b50;
/** Size of the end record, and with the longest comment. */
const endBytes = 22;
const endBytesMax = endBytes + 0xffff;

export class ZipParts {
  readonly #file: Buffer;
  readonly #entries: ReadonlyMap<string, Entry>;
  #left: number = officeLimits.officeBytesMax;

  /** Throws an Error if the file is not a ZIP file, or is cut short. */
  constructor(body: Uint8Array) {
    this.#file = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    this.#entries = listOf(this.#file);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Undefined: there is no such part. Throws an Error if it cannot be read, or exceeds the remaining bytes when
   * unpacked.
   */
  read(name: string): Buffer | undefined {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    const { isEncrypted, method, size, headerAt } = entry;
    if (isEncrypted) throw new Error(`${name} is encrypted`);
    const file = this.#file;
    if (file.readUInt32LE(headerAt) !== headerSignature)
      throw new Error(`${name} is not at its offset in the ZIP file`);
    const from = headerAt + 30 + file.readUInt16LE(headerAt + 26) + file.readUInt16LE(headerAt + 28);
    if (from + size > file.length) throw new Error(`${name} is cut short`);
    const packed = file.subarray(from, from + size);
    // zlib takes no 0 for a limit.
    const part = method === 8 ? inflateRawSync(packed, { maxOutputLength: Math.max(1, this.#left) }) : packed;
    if ((method !== 0 && method !== 8) || part.length > this.#left) throw new Error(`${name} is not read`);
    this.#left -= part.length;
    return part;
  }
}

function listOf(file: Buffer): Map<string, Entry> {
  let end = file.length - endBytes;
  const endLeast = Math.max(0, file.length - endBytesMax);
  while (end >= endLeast && file.readUInt32LE(end) !== endSignature) end -= 1;
  if (end < endLeast) throw new Error('this is not a ZIP file');
  const count = Math.min(file.readUInt16LE(end + 10), officeLimits.officePartsMax);
  const entries = new Map<string, Entry>();
  let at = file.readUInt32LE(end + 16);
  for (let n = 0; n < count; n++) {
    if (file.readUInt32LE(at) !== listSignature) throw new Error('the central directory of the ZIP file is cut short');
    const nameLength = file.readUInt16LE(at + 28);
    const name = file.toString('utf8', at + 46, at + 46 + nameLength);
    const entry = {
      isEncrypted: (file.readUInt16LE(at + 8) & 1) === 1,
      method: file.readUInt16LE(at + 10),
      size: file.readUInt32LE(at + 20),
      headerAt: file.readUInt32LE(at + 42),
    };
    if (!entries.has(name)) entries.set(name, entry);
    at += 46 + nameLength + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return entries;
}
