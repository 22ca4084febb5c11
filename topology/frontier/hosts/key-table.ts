/**
 * Host keys and their numbers: an open-addressing table over keyed hashes, with the keys' bytes in separate pages.
 *
 * Numbers are assigned in the order of arrival, and never used again. The bytes are always compared: no collision of
 * hashes can merge two hosts, and as the hash is keyed (url/fingerprint.ts), an attacker cannot aim at one slot. The
 * table has 64 segments, so that no growth pauses the partition for long.
 *
 * Cost: 15 bytes a host beside its key (hash 4, place of the key 4, slots 7), 0.15 µs a look-up, and next to nothing
 * for the key of the last one.
 */
import { fingerprint } from '../../url/fingerprint.ts';
import { fitted } from '../storage/columns.ts';

const segmentBits = 6;
const slotsMin = 16;
const loadMax = 0.75;
const pageBits = 20;
const pageBytes = 2 ** pageBits;
/** The first page begins with this many, and doubles: a frontier of few hosts takes no more. */
const pageBytesAtFirst = 1_024;
/** Stands for each segment without a key. */
const unused = new Int32Array(slotsMin);
/** Length of a key, before its bytes. */
const lengthBytes = 2;
/** A name has 253 characters at most, and a port six: anything longer is not a host. */
export const hostKeyBytesMax = 1_024;

/** Key of the hashes, which outsiders must not know. */
export interface FingerprintKey {
  readonly hi: number;
  readonly lo: number;
}

export class KeyTable {
  readonly #key: FingerprintKey;
  /** Host numbers plus one, by slot; 0: free. */
  readonly #segments: Int32Array[] = Array(2 ** segmentBits).fill(unused);
  readonly #used = new Uint32Array(2 ** segmentBits);
  #hashes = new Uint32Array(0);
  #places = new Uint32Array(0);
  readonly #pages: Buffer[] = [];
  #end = 0;
  #size = 0;
  readonly #fingerprint = new Uint32Array(2);
  /** The last key that was looked up, and its number: the links of a page lead to few hosts. */
  #lastKey = '';
  #lastNumber = -1;

  constructor(key: FingerprintKey) {
    this.#key = key;
  }

  /** Numbers given; all are below. */
  get size(): number {
    return this.#size;
  }

  /** -1: unknown. */
  find(key: string): number {
    if (key === this.#lastKey) return this.#lastNumber;
    const segment = this.#hash(key);
    const slots = this.#segments[segment]!;
    return this.#note(key, slots[this.#slotOf(slots, key, this.#fingerprint[1]!)]! - 1);
  }

  #note(key: string, number: number): number {
    this.#lastKey = key;
    this.#lastNumber = number;
    return number;
  }

  /** Gives a key that is not there a number that is free. */
  add(key: string, number: number): void {
    const segment = this.#hash(key);
    if (this.#segments[segment] === unused) this.#segments[segment] = new Int32Array(slotsMin);
    if (++this.#used[segment]! > loadMax * this.#segments[segment]!.length) this.#grow(segment);
    const slots = this.#segments[segment]!;
    const hash = this.#fingerprint[1]!;
    slots[this.#slotOf(slots, key, hash)] = number + 1;
    this.#hashes = fitted(this.#hashes, number);
    this.#places = fitted(this.#places, number);
    this.#hashes[number] = hash;
    this.#places[number] = this.#store(key);
    this.#size = Math.max(this.#size, number + 1);
    this.#note(key, number);
  }

  keyOf(number: number): string {
    const place = this.#places[number]!;
    const page = this.#pages[place >>> pageBits]!;
    const at = (place & (pageBytes - 1)) + lengthBytes;
    return page.toString('utf8', at, at + page.readUInt16LE(at - lengthBytes));
  }

  /** The key's segment; leaves the hash in `#fingerprint`. */
  #hash(key: string): number {
    fingerprint(key, this.#key.hi, this.#key.lo, this.#fingerprint);
    return this.#fingerprint[0]! >>> (32 - segmentBits);
  }

  /** The slot of the key, or the free slot for it. */
  #slotOf(slots: Int32Array, key: string, hash: number): number {
    const mask = slots.length - 1;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const number = slots[at]! - 1;
      if (number < 0 || (this.#hashes[number] === hash && this.#isKey(number, key))) return at;
    }
  }

  #isKey(number: number, key: string): boolean {
    const place = this.#places[number]!;
    const page = this.#pages[place >>> pageBits]!;
    const at = (place & (pageBytes - 1)) + lengthBytes;
    const length = page[at - lengthBytes]! | (page[at - 1]! << 8);
    if (length !== key.length) return this.keyOf(number) === key;
    for (let i = 0; i < length; i++) {
      const code = key.charCodeAt(i);
      if (code > 0x7f) return this.keyOf(number) === key;
      if (page[at + i] !== code) return false;
    }
    return true;
  }

  #store(key: string): number {
    const bytes = Buffer.byteLength(key);
    if (bytes > hostKeyBytesMax)
      throw new Error(`a host key has ${bytes} bytes, but at most ${hostKeyBytesMax} are allowed`);
    const page = this.#pageFor(lengthBytes + bytes);
    const place = (this.#pages.length - 1) * pageBytes + this.#end;
    page.writeUInt16LE(bytes, this.#end);
    page.write(key, this.#end + lengthBytes, 'utf8');
    this.#end += lengthBytes + bytes;
    return place;
  }

  /** The last page, with room for so many bytes. */
  #pageFor(bytes: number): Buffer {
    const last = this.#pages.at(-1);
    if (last === undefined || this.#end + bytes > pageBytes) {
      this.#end = 0;
      const page = Buffer.allocUnsafeSlow(last === undefined ? pageBytesAtFirst + bytes : pageBytes);
      this.#pages.push(page);
      return page;
    }
    if (this.#end + bytes <= last.length) return last;
    const longer = Buffer.allocUnsafeSlow(Math.min(pageBytes, Math.max(2 * last.length, this.#end + bytes)));
    last.copy(longer, 0, 0, this.#end);
    this.#pages[this.#pages.length - 1] = longer;
    return longer;
  }

  #grow(segment: number): void {
    const old = this.#segments[segment]!;
    const slots = new Int32Array(2 * old.length);
    const mask = slots.length - 1;
    for (const entry of old) {
      if (entry === 0) continue;
      let at = this.#hashes[entry - 1]! & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = entry;
    }
    this.#segments[segment] = slots;
  }
}
