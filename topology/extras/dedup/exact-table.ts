/**
 * A table from the first 64 bits of a content's hash to its node: open addressing, linear probing, 24 to 48 B an entry.
 */
const none = 0xffffffff;

export class ExactTable {
  #highs = new Uint32Array(1024);
  #lows = new Uint32Array(1024);
  #nodes = new Uint32Array(1024).fill(none);
  #size = 0;

  get(hi: number, lo: number): number | undefined {
    const node = this.#nodes[this.#slotOf(hi, lo)]!;
    return node === none ? undefined : node;
  }

  set(hi: number, lo: number, node: number): void {
    if (2 * this.#size >= this.#nodes.length) this.#grow();
    const slot = this.#slotOf(hi, lo);
    if (this.#nodes[slot] === none) this.#size += 1;
    this.#highs[slot] = hi;
    this.#lows[slot] = lo;
    this.#nodes[slot] = node;
  }

  /**
   * The entry of the hash, or the free one for it. The halves come from a cryptographic hash, so any of their bits
   * can be used.
   */
  #slotOf(hi: number, lo: number): number {
    const mask = this.#nodes.length - 1;
    let slot = lo & mask;
    while (this.#nodes[slot] !== none && (this.#highs[slot] !== hi || this.#lows[slot] !== lo))
      slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [highs, lows, nodes] = [this.#highs, this.#lows, this.#nodes];
    this.#highs = new Uint32Array(2 * nodes.length);
    this.#lows = new Uint32Array(2 * nodes.length);
    this.#nodes = new Uint32Array(2 * nodes.length).fill(none);
    this.#size = 0;
    for (const [slot, node] of nodes.entries()) if (node !== none) this.set(highs[slot]!, lows[slot]!, node);
  }
}
