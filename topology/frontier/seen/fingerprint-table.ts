/**
 * A sorted set of 64-bit fingerprints in typed arrays.
 *
 * Open addressing with linear probing in 256 segments, chosen by the top byte. Each segment grows separately, so that
 * no growth pauses a partition. The place of a fingerprint grows with its value, and a cluster is kept sorted (Amble
 * & Knuth, "Ordered hash tables", 1974), so the whole table is sorted with gaps. It can be written as a sorted run in
 * one pass, growing reads and writes in order, and a search for an absent value ends at the first larger one.
 *
 * Fingerprints must be spread evenly over all bits, as keyed hashes are (url/fingerprint.ts), so nobody without the
 * key can aim at one place. 0,0 is stored as 0,1.
 *
 * 10 to 16 bytes each: a segment is between half and three quarters full.
 */

const segmentCount = 256;
const slotsInitial = 16;
/** Slots after the last place, for displaced fingerprints; doubled if they do not suffice. */
const slotsBeyond = 48;
const loadMax = 0.75;
const growth = 1.5;

interface Segment {
  /** Pairs of high and low word; 0,0: empty. The last pair always is. */
  slots: Uint32Array;
  /** Places, without `slotsBeyond`. */
  capacity: number;
  used: number;
}

export class FingerprintTable {
  readonly #segments: Segment[];
  #size = 0;

  /** `expected`: fingerprints to make room for. */
  constructor(expected = 0) {
    const capacity = Math.max(slotsInitial, Math.ceil(expected / segmentCount / (0.93 * loadMax)));
    this.#segments = capacity === slotsInitial ? Array(segmentCount).fill(unused) : emptySegments(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** Memory it takes. */
  get bytes(): number {
    let bytes = 0;
    for (const segment of this.#segments) if (segment !== unused) bytes += segment.slots.byteLength;
    return bytes;
  }

  has(hi: number, lo: number): boolean {
    if (hi === 0 && lo === 0) lo = 1;
    const { slots, capacity } = this.#segments[hi >>> 24]!;
    const at = search(slots, capacity, hi, lo);
    return slots[at] === hi && slots[at + 1] === lo;
  }

  /** Adds a fingerprint; false if it was there already. */
  add(hi: number, lo: number): boolean {
    if (hi === 0 && lo === 0) lo = 1;
    const segment = this.#segmentOf(hi);
    const at = search(segment.slots, segment.capacity, hi, lo);
    if (segment.slots[at] === hi && segment.slots[at + 1] === lo) return false;
    if (!insertAt(segment.slots, at, hi, lo)) {
      lengthen(segment);
      insertAt(segment.slots, at, hi, lo);
    }
    segment.used += 1;
    this.#size += 1;
    if (segment.used > loadMax * segment.capacity) grow(segment);
    return true;
  }

  /** To write in. */
  #segmentOf(hi: number): Segment {
    let segment = this.#segments[hi >>> 24]!;
    if (segment === unused) this.#segments[hi >>> 24] = segment = emptySegment(slotsInitial);
    return segment;
  }

  /** Every fingerprint in ascending order, as packed pairs: `count` fingerprints an array, fewer in the last. */
  *blocks(count: number): Generator<Uint32Array> {
    let block = new Uint32Array(2 * count);
    let filled = 0;
    for (const { slots } of this.#segments) {
      for (let at = 0; at < slots.length; at += 2) {
        const hi = slots[at]!;
        const lo = slots[at + 1]!;
        if (hi === 0 && lo === 0) continue;
        block[filled] = hi;
        block[filled + 1] = lo;
        filled += 2;
        if (filled < block.length) continue;
        yield block;
        block = new Uint32Array(2 * count);
        filled = 0;
      }
    }
    if (filled > 0) yield block.slice(0, filled);
  }
}

function emptySegments(capacity: number): Segment[] {
  return Array.from({ length: segmentCount }, () => emptySegment(capacity));
}

function emptySegment(capacity: number): Segment {
  return { slots: new Uint32Array(2 * (capacity + slotsBeyond)), capacity, used: 0 };
}

/** Stands for each segment without a fingerprint, so that a frontier of few URLs takes no memory for the others. */
const unused: Segment = emptySegment(slotsInitial);

/** Index of the fingerprint, or of where it belongs: an empty slot, or the first larger one. */
function search(slots: Uint32Array, capacity: number, hi: number, lo: number): number {
  let at = homeOf(capacity, hi, lo);
  for (;;) {
    const slotHi = slots[at]!;
    const slotLo = slots[at + 1]!;
    if (slotHi > hi || (slotHi === hi && slotLo >= lo) || (slotHi === 0 && slotLo === 0)) return at;
    at += 2;
  }
}

/**
 * The place of a fingerprint, which grows with it. The top byte chooses the segment; the next 32 bits decide the place
 * in it.
 */
function homeOf(capacity: number, hi: number, lo: number): number {
  return 2 * Math.floor((((hi << 8) | (lo >>> 24)) >>> 0) * capacity * 2 ** -32);
}

/** Moves the entries up to the next gap; returns false, without any change, if the gap is the last slot. */
function insertAt(slots: Uint32Array, at: number, hi: number, lo: number): boolean {
  let gap = at;
  while (slots[gap] !== 0 || slots[gap + 1] !== 0) gap += 2;
  if (gap === slots.length - 2) return false;
  for (; gap > at; gap -= 2) {
    slots[gap] = slots[gap - 2]!;
    slots[gap + 1] = slots[gap - 1]!;
  }
  slots[at] = hi;
  slots[at + 1] = lo;
  return true;
}

function lengthen(segment: Segment): void {
  const beyond = segment.slots.length / 2 - segment.capacity;
  const slots = new Uint32Array(2 * (segment.capacity + 2 * beyond));
  slots.set(segment.slots);
  segment.slots = slots;
}

function grow(segment: Segment): void {
  const old = segment.slots;
  segment.capacity = Math.ceil(segment.capacity * growth);
  segment.slots = new Uint32Array(2 * (segment.capacity + slotsBeyond));
  let next = 0;
  for (let i = 0; i < old.length; i += 2) {
    const hi = old[i]!;
    const lo = old[i + 1]!;
    if (hi === 0 && lo === 0) continue;
    const at = Math.max(next, homeOf(segment.capacity, hi, lo));
    next = at + 2;
    if (next === segment.slots.length) lengthen(segment);
    segment.slots[at] = hi;
    segment.slots[at + 1] = lo;
  }
}
