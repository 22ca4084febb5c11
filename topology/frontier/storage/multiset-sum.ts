/**
 * A 128-bit sum over fingerprints in any order; a digest uses it for the whole set (docs/design.md §4.14).
 *
 * Fingerprints are keyed hashes already, so their 64-bit sum and the sum of a mix of them are as good as sums of
 * fresh hashes.
 */
export class MultisetSum {
  /** Least significant first within each half. */
  readonly words = new Uint32Array(4);

  add(hi: number, lo: number): void {
    this.#addTo(0, hi, lo);
    this.#addTo(2, Math.imul(hi ^ (lo >>> 15), 0x2c1b3c6d) >>> 0, Math.imul(lo ^ (hi >>> 13), 0x297a2d39) >>> 0);
  }

  #addTo(at: number, hi: number, lo: number): void {
    const { words } = this;
    const low = words[at]! + lo;
    words[at] = low;
    words[at + 1] = words[at + 1]! + hi + (low > 0xffffffff ? 1 : 0);
  }
}
