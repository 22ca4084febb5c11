/**
 * Reading and writing the frontier's own formats: the changelog and the rows of its checkpoint.
 *
 * Integers are unsigned LEB128 (up to 2^53), signed ones are zigzag; strings are a length in bytes and UTF-8.
 * A reader throws INVALID_RECORD at the first byte that makes no sense, and never allocates by an unchecked length.
 */
import { CrawlstreamError } from '../../errors.ts';

/** Four groups of seven bits. Higher bits are divided off once, since each remainder of a large number costs 20 ns. */
const lowBits = 2 ** 28;
/** Up to here a loop writes faster than a call into the runtime; host keys and hashes are shorter. */
const shortChars = 64;

const nothing = Buffer.alloc(0);

export class ByteWriter {
  #bytes = nothing;
  readonly #initialBytes: number;
  #length = 0;

  /** `initialBytes`: allocated with the first byte. Many writers are never used: most steps of a waiting crawl change nothing. */
  constructor(initialBytes = 1024) {
    this.#initialBytes = initialBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Throws for a number that could not be read back unchanged, because its record would be damaged for good. */
  uint(value: number): void {
    if (!(value >= 0)) throw new RangeError(`${value} is not an unsigned number`);
    this.#reserve(8);
    const bytes = this.#bytes;
    let at = this.#length;
    while (value >= lowBits) {
      const high = Math.floor(value / lowBits);
      const low = value - high * lowBits;
      bytes[at] = (low & 0x7f) | 0x80;
      bytes[at + 1] = ((low >>> 7) & 0x7f) | 0x80;
      bytes[at + 2] = ((low >>> 14) & 0x7f) | 0x80;
      bytes[at + 3] = (low >>> 21) | 0x80;
      at += 4;
      value = high;
    }
    while (value >= 0x80) {
      bytes[at++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    bytes[at] = value;
    this.#length = at + 1;
  }

  int(value: number): void {
    this.uint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  boolean(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#bytes.writeUInt32BE(value >>> 0, this.#length);
    this.#length += 4;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#bytes.writeDoubleBE(value, this.#length);
    this.#length += 8;
  }

  string(value: string): void {
    const chars = value.length;
    this.#reserve(3 * chars + 8);
    // URLs are ASCII after normalisation: the length is written as for ASCII, and writing starts over if a character is
    // not.
    const start = this.#length;
    this.uint(chars);
    if (chars <= shortChars && this.#shortString(value)) return;
    if (this.#bytes.write(value, this.#length, 'utf8') === chars) {
      this.#length += chars;
      return;
    }
    this.#length = start;
    this.uint(Buffer.byteLength(value));
    this.#length += this.#bytes.write(value, this.#length, 'utf8');
  }

  /** False: a character is not ASCII, and nothing was written. */
  #shortString(value: string): boolean {
    const bytes = this.#bytes;
    const start = this.#length;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      bytes[start + i] = code;
    }
    this.#length = start + value.length;
    return true;
  }

  bytes(value: Uint8Array): void {
    this.uint(value.length);
    this.raw(value);
  }

  /** Appends bytes with no length before them. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  /** Bytes `from` to `to` of a buffer, with no length before them. */
  part(bytes: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    bytes.copy(this.#bytes, this.#length, from, to);
    this.#length += to - from;
  }

  /** Returns the written bytes in a new buffer, and empties the writer. */
  take(): Buffer {
    const taken = Buffer.allocUnsafe(this.#length);
    this.#bytes.copy(taken, 0, 0, this.#length);
    this.#length = 0;
    return taken;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#initialBytes, 2 * this.#bytes.length, this.#length + more));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

export class ByteReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = at;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Index of the next value. */
  get at(): number {
    return this.#at;
  }

  uint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 8; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw invalid('a number in it does not end');
  }

  int(): number {
    const value = this.uint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw invalid('it ends too early');
    return byte;
  }

  boolean(): boolean {
    return this.byte() === 1;
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#skip(4));
  }

  double(): number {
    return this.#bytes.readDoubleBE(this.#skip(8));
  }

  string(): string {
    const length = this.uint();
    const from = this.#skip(length);
    return this.#bytes.toString('utf8', from, from + length);
  }

  bytes(): Buffer {
    const length = this.uint();
    const from = this.#skip(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** Copies bytes with their length before them to `at`; returns how many. */
  bytesInto(target: Buffer, at: number): number {
    const length = this.uint();
    const from = this.#skip(length);
    if (at + length > target.length) throw invalid('a text in it is too long');
    this.#bytes.copy(target, at, from, from + length);
    return length;
  }

  #skip(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw invalid('it ends too early');
    this.#at = from + length;
    return from;
  }
}

function invalid(why: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_RECORD', `a record of the frontier cannot be decoded: ${why}`);
}
