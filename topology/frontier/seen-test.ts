/**
 * Seen test: "has this URL been admitted before?" An exact set of 64-bit fingerprints.
 *
 * 256 open-addressing tables in typed arrays, chosen by the top byte of the fingerprint, each growing by itself, so
 * that no growth pauses the partition for long. 11–17 bytes a URL. The fingerprint 0,0 is stored as 0,1.
 * Probes are bounded by the load factor and by keyed fingerprints, which a hostile site cannot aim.
 *
 * Source: the exact tier of DESIGN §4 (storage); Heydon & Najork, "Mercator" (1999), §3.2 for the test itself.
 * Odds of one false "seen" among n URLs: n² / 2^65, 3·10⁻⁴ at 100 M.
 */

const segments = 256;
const initialSlots = 16;
const loadMax = 0.75;

interface Segment {
  /** Pairs of high and low word. */
  slots: Uint32Array;
  used: number;
}

export class SeenTest {
  readonly #segments: Segment[] = Array.from({ length: segments }, () => ({
    slots: new Uint32Array(2 * initialSlots),
    used: 0,
  }));
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(hi: number, lo: number): boolean {
    if (hi === 0 && lo === 0) lo = 1;
    const { slots } = this.#segments[hi >>> 24]!;
    const slot = slotOf(slots, hi, lo);
    return slots[slot] !== 0 || slots[slot + 1] !== 0;
  }

  /** Adds a fingerprint; false if it was there. */
  add(hi: number, lo: number): boolean {
    if (hi === 0 && lo === 0) lo = 1;
    const segment = this.#segments[hi >>> 24]!;
    const slot = slotOf(segment.slots, hi, lo);
    if (segment.slots[slot] !== 0 || segment.slots[slot + 1] !== 0) return false;
    segment.slots[slot] = hi;
    segment.slots[slot + 1] = lo;
    segment.used += 1;
    this.#size += 1;
    if (segment.used > (loadMax * segment.slots.length) / 2) grow(segment);
    return true;
  }

  /** Every fingerprint, in no order. */
  forEach(visit: (hi: number, lo: number) => void): void {
    for (const { slots } of this.#segments) {
      for (let slot = 0; slot < slots.length; slot += 2) {
        if (slots[slot] !== 0 || slots[slot + 1] !== 0) visit(slots[slot]!, slots[slot + 1]!);
      }
    }
  }
}

/** Where the fingerprint is, or the empty slot where it belongs. */
function slotOf(slots: Uint32Array, hi: number, lo: number): number {
  const mask = slots.length / 2 - 1;
  // The low word alone would do for placing; the high word's lower bits guard against a weak low word.
  let at = (lo ^ Math.imul(hi, 0x9e3779b1)) & mask;
  for (;;) {
    const slot = 2 * at;
    const slotHi = slots[slot]!;
    const slotLo = slots[slot + 1]!;
    if ((slotHi === hi && slotLo === lo) || (slotHi === 0 && slotLo === 0)) return slot;
    at = (at + 1) & mask;
  }
}

function grow(segment: Segment): void {
  const old = segment.slots;
  const slots = new Uint32Array(2 * old.length);
  for (let i = 0; i < old.length; i += 2) {
    const hi = old[i]!;
    const lo = old[i + 1]!;
    if (hi === 0 && lo === 0) continue;
    const slot = slotOf(slots, hi, lo);
    slots[slot] = hi;
    slots[slot + 1] = lo;
  }
  segment.slots = slots;
}
