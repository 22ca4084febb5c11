/**
 * The cash of each URL: a count-min sketch with withdrawals (Cormode & Muthukrishnan, J. Algorithms 55, 2005, §3:
 * point queries where every true value is at least 0).
 *
 * Each URL has two cells. Received cash is added to both, spent cash is taken from both, and the URL's cash is the
 * smaller of the two. So each row sums up all cash, and an answer is never too small, except by rounding. It is too
 * large by the cash of other URLs in the same cell: on average, the cash of URLs / cells pages. Beyond two million
 * URLs a partition, pages with little cash can no longer be distinguished; the few with much cash still can.
 *
 * The sketch is part of the state: changes carry amounts and fingerprints, so a replay adds the same numbers in the
 * same order. It takes 4 MiB, allocated when the first cash arrives; a crawl without cash allocates none.
 */
const cellsLog2 = 19;
export const cellCount = 2 ** cellsLog2;
const mask = cellCount - 1;
/** Cells of one row of the checkpoint: 4 KiB, and 1,024 of them. */
export const blockCells = 1024;

export class CashSketch {
  #high: Float32Array | undefined;
  #low: Float32Array | undefined;
  /** Blocks that changed since the last checkpoint; those of the second row follow those of the first. */
  #unsaved = new Set<number>();
  /** Blocks that ever had cash. */
  readonly #used = new Set<number>();

  /** The cash of a URL, or a little more. */
  heldBy(hi: number, lo: number): number {
    return this.#high === undefined ? 0 : Math.min(this.#high[hi & mask]!, this.#low![lo & mask]!);
  }

  /** Adds cash to a URL; a negative `amount` spends it. */
  add(hi: number, lo: number, amount: number): void {
    const [high, low] = this.#rows();
    const [a, b] = [hi & mask, lo & mask];
    high[a] = Math.max(0, high[a]! + amount);
    low[b] = Math.max(0, low[b]! + amount);
    this.#touched(Math.floor(a / blockCells));
    this.#touched(Math.floor((cellCount + b) / blockCells));
  }

  /** Blocks that changed since the last call, by number, ascending. */
  takeBlocks(): { readonly block: number; readonly value: Buffer }[] {
    const blocks = [...this.#unsaved].sort((a, b) => a - b);
    this.#unsaved = new Set();
    return blocks.map((block) => {
      const value = Buffer.allocUnsafe(4 * blockCells);
      this.#cellsOf(block).forEach((cash, at) => {
        value.writeFloatBE(cash, 4 * at);
      });
      return { block, value };
    });
  }

  load(block: number, value: Buffer): void {
    const cells = this.#cellsOf(block);
    this.#used.add(block);
    for (let at = 0; at < blockCells; at++) cells[at] = value.readFloatBE(4 * at);
  }

  /** A 32-bit hash of all cells; 0 if there was never any cash. */
  checksum(): number {
    let sum = 0;
    for (const block of [...this.#used].sort((a, b) => a - b)) {
      const cells = this.#cellsOf(block);
      const words = new Uint32Array(cells.buffer, cells.byteOffset, cells.length);
      const first = (block * blockCells) % cellCount;
      for (let at = 0; at < words.length; at++) {
        if (words[at] !== 0) sum = Math.imul(sum ^ words[at]! ^ Math.imul(first + at, 0x9e3779b1), 0x01000193);
      }
    }
    return sum >>> 0;
  }

  #touched(block: number): void {
    this.#unsaved.add(block);
    this.#used.add(block);
  }

  #rows(): readonly [Float32Array, Float32Array] {
    return [(this.#high ??= new Float32Array(cellCount)), (this.#low ??= new Float32Array(cellCount))];
  }

  #cellsOf(block: number): Float32Array {
    const [high, low] = this.#rows();
    const first = block * blockCells;
    return first < cellCount
      ? high.subarray(first, first + blockCells)
      : low.subarray(first - cellCount, first - cellCount + blockCells);
  }
}
