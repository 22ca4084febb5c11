/**
 * Cache of fingerprints that were recently found to be seen: 8-way, one set per cache line.
 *
 * Links repeat: most targets of a page's links were linked to moments ago (menus, footers). A fingerprint in the
 * cache is certainly seen; one that is missing may be. A set's ways are overwritten in turn, oldest first.
 */

const ways = 8;

export class RecentCache {
  readonly #slots: Uint32Array;
  readonly #mask: number;
  #turn = 0;

  /** `bytes` is rounded down to a power of two. */
  constructor(bytes: number) {
    const sets = 2 ** Math.max(0, Math.floor(Math.log2(bytes / (8 * ways))));
    this.#slots = new Uint32Array(2 * ways * sets);
    this.#mask = sets - 1;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  has(hi: number, lo: number): boolean {
    const slots = this.#slots;
    const from = 2 * ways * (lo & this.#mask);
    for (let at = from; at < from + 2 * ways; at += 2) if (slots[at] === hi && slots[at + 1] === lo) return true;
    return false;
  }

  /** Adds a fingerprint that is not there. */
  add(hi: number, lo: number): void {
    const at = 2 * (ways * (lo & this.#mask) + this.#turn);
    this.#turn = (this.#turn + 1) & (ways - 1);
    this.#slots[at] = hi;
    this.#slots[at + 1] = lo;
  }
}
