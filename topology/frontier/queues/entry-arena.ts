/**
 * Entries of queues in memory, as bytes in pages: 12 bytes each plus their content, without objects for the garbage
 * collector.
 *
 * An entry points to the next one of its queue, and the last one of a queue points to its first, so that a queue
 * needs one pointer. The origin of a URL is not stored: the host and a bit for the scheme determine it. Pages are
 * filled in order, so the oldest page holds the oldest entries; `front-queues.ts` empties it when memory is short.
 *
 *   word 0  next        word 1  owner (a front queue's number)        word 2  bytes · 2 + 1 if a row on disk begins here
 *   bytes   flags, depth, [hops, attempts, expiries, [spelling,]] [payload,] the URL after the origin
 */
import { type Entry, hopsOf } from '../changes/entry.ts';

const pageBits = 18;
const pageWords = 2 ** pageBits;
const headerWords = 3;
/** Flags of an entry, here and in rows. */
export const schemeMask = 3;
export const otherScheme = 2;
export const rareFlag = 4;
/** 8 is for rows (queue-row.ts). */
export const payloadFlag = 16;
export const origins = ['http://', 'https://'] as const;
/** Flags and numbers of an entry, bytes at most. */
const numbersBytesMax = 64;

/** Memory of a page when its first entry is added, bytes: a frontier with few URLs, as in a fleet, takes no more. */
const pageBytesAtFirst = 4_096;

interface Page {
  words: Uint32Array;
  bytes: Buffer;
  /** Words in use. */
  end: number;
}

export class EntryArena {
  /** By number; 0 is never used, so that no pointer is 0. */
  readonly #pages: (Page | undefined)[] = [undefined];
  /** Numbers of pages in use, oldest first; the last is being filled. */
  readonly #order: number[] = [];
  readonly #freeNumbers: number[] = [];
  /** One free page is kept for reuse. */
  #spare: Page | undefined;

  get pages(): number {
    return this.#order.length;
  }

  get bytes(): number {
    return this.#order.length * pageWords * 4;
  }

  /** Adds an entry behind `last` (0: it is its queue's only one); returns its pointer. */
  add(last: number, owner: number, hostKey: string, entry: Entry): number {
    const page = this.#pageFor(4 * headerWords + bytesMax(entry));
    const word = page.end;
    const number = this.#order.at(-1)!;
    const pointer = ((number << pageBits) | word) >>> 0;
    const from = 4 * (word + headerWords);
    const length = writeBody(page.bytes, from, hostKey, entry) - from;
    page.words[word + 1] = owner;
    page.words[word + 2] = 2 * length;
    page.end = word + headerWords + ((length + 3) >>> 2);
    if (last === 0) page.words[word] = pointer;
    else {
      page.words[word] = this.next(last);
      this.#link(last, pointer);
    }
    return pointer;
  }

  next(pointer: number): number {
    return this.#page(pointer).words[pointer & (pageWords - 1)]!;
  }

  /** Takes the first of a queue out; returns the queue's new last pointer. */
  dropFirst(last: number): number {
    const first = this.next(last);
    if (first === last) return 0;
    this.#link(last, this.next(first));
    return last;
  }

  startsRow(pointer: number): boolean {
    return (this.#page(pointer).words[(pointer & (pageWords - 1)) + 2]! & 1) === 1;
  }

  markRow(pointer: number): void {
    this.#page(pointer).words[(pointer & (pageWords - 1)) + 2]! |= 1;
  }

  /** The bytes of an entry: their position and number. */
  buffer(pointer: number): Buffer {
    return this.#page(pointer).bytes;
  }

  from(pointer: number): number {
    return 4 * ((pointer & (pageWords - 1)) + headerWords);
  }

  length(pointer: number): number {
    return this.#page(pointer).words[(pointer & (pageWords - 1)) + 2]! >>> 1;
  }

  /** The entries of the oldest page, in order; it is not the one being filled. */
  *oldest(): Generator<readonly [pointer: number, owner: number]> {
    const number = this.#order[0]!;
    const { words, end } = this.#pages[number]!;
    for (let word = 0; word < end; ) {
      yield [((number << pageBits) | word) >>> 0, words[word + 1]!];
      word += headerWords + (((words[word + 2]! >>> 1) + 3) >>> 2);
    }
  }

  /** Forgets the oldest page: no pointer leads into it any more. */
  dropOldest(): void {
    const number = this.#order.shift()!;
    this.#spare = this.#pages[number]!;
    this.#pages[number] = undefined;
    this.#freeNumbers.push(number);
  }

  #page(pointer: number): Page {
    return this.#pages[pointer >>> pageBits]!;
  }

  #link(pointer: number, next: number): void {
    this.#page(pointer).words[pointer & (pageWords - 1)] = next;
  }

  #pageFor(bytes: number): Page {
    const last = this.#order.at(-1);
    const open = last === undefined ? undefined : this.#pages[last]!;
    if (open !== undefined && 4 * (pageWords - open.end) >= bytes) return roomFor(bytes, open);
    const number = this.#freeNumbers.pop() ?? this.#pages.length;
    const page = this.#spare ?? emptyPage();
    this.#spare = undefined;
    page.end = 0;
    this.#pages[number] = page;
    this.#order.push(number);
    return roomFor(bytes, page);
  }
}

/** A character takes three bytes at the worst. */
function bytesMax({ url, spelling, payload }: Entry): number {
  return numbersBytesMax + 3 * (url.length + (spelling?.length ?? 0)) + (payload?.length ?? 0);
}

function emptyPage(): Page {
  const memory = new ArrayBuffer(pageBytesAtFirst);
  return { words: new Uint32Array(memory), bytes: Buffer.from(memory), end: 0 };
}

/** The page, with room for this many more bytes. */
function roomFor(bytes: number, page: Page): Page {
  const needed = 4 * page.end + bytes;
  if (needed <= page.bytes.length) return page;
  const memory = new ArrayBuffer(
    Math.min(4 * pageWords, Math.max(2 * page.bytes.length, 2 ** Math.ceil(Math.log2(needed)))),
  );
  const { words } = page;
  page.words = new Uint32Array(memory);
  page.words.set(words);
  page.bytes = Buffer.from(memory);
  return page;
}

function writeBody(bytes: Buffer, from: number, hostKey: string, entry: Entry): number {
  const { url, depth, attempts, expiries, payload, spelling } = entry;
  const hops = hopsOf(entry);
  const scheme = url.charCodeAt(4) === 58 ? 0 : 1;
  const origin = origins[scheme]!.length;
  const known = url.startsWith(hostKey, origin) && url.startsWith(origins[scheme]!);
  const rare = hops + attempts + expiries > 0;
  bytes[from] = (known ? scheme : otherScheme) | (rare ? rareFlag : 0) | (payload === undefined ? 0 : payloadFlag);
  let at = writeUint(bytes, from + 1, depth);
  if (rare) {
    at = writeUint(bytes, at, hops);
    at = writeUint(bytes, at, attempts);
    at = writeUint(bytes, at, expiries);
    if (spelling !== undefined) {
      at = writeUint(bytes, at, Buffer.byteLength(spelling));
      at += bytes.write(spelling, at, 'utf8');
    }
  }
  if (payload !== undefined) {
    at = writeUint(bytes, at, payload.length);
    bytes.set(payload, at);
    at += payload.length;
  }
  return at + bytes.write(known ? url.slice(origin + hostKey.length) : url, at, 'utf8');
}

function writeUint(bytes: Buffer, at: number, value: number): number {
  while (value >= 0x80) {
    bytes[at++] = (value % 0x80) | 0x80;
    value = Math.floor(value / 0x80);
  }
  bytes[at++] = value;
  return at;
}
