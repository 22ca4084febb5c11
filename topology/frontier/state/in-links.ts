/**
 * In-links of URLs, counted as they are found: a count-min sketch with conservative update (Estan & Varghese, SIGCOMM
 * 2002; Cormode & Muthukrishnan, J. Algorithms 55, 2005). Counts are advisory (docs/design.md §3): never too small,
 * and too large by more than one in a thousand sightings only for few URLs. A sighting is a link from a source that
 * was not counted lately: fetchers drop the others before sending (the link cache).
 *
 * It is part of the state: changes carry the fingerprints of sightings, so a replay counts the same. 1 MiB, allocated
 * at the first sighting: crawls that do not score by in-links allocate none.
 */
const cellsLog2 = 19;
const mask = 2 ** cellsLog2 - 1;
const countMax = 0xffff;
/** Cells of one row of the checkpoint: 4 KiB, and 256 of them. */
const blockCells = 2048;
/** `i`, then the number of the block; the row of the total has no number. */
const keyByte = 0x69;

export class InLinks {
  #cells: Uint16Array | undefined;
  /** Number of sightings so far. */
  total = 0;
  /** Blocks that changed since they were written to the checkpoint. */
  #unsaved = new Set<number>();

  /** Number of earlier sightings of a URL, or a little more. */
  countOf(hi: number, lo: number): number {
    const cells = this.#cells;
    return cells === undefined ? 0 : Math.min(cells[hi & mask]!, cells[lo & mask]!);
  }

  /** `fingerprints`: pairs of words. */
  count(fingerprints: readonly number[]): void {
    const cells = (this.#cells ??= new Uint16Array(2 ** cellsLog2));
    for (let at = 0; at + 1 < fingerprints.length; at += 2) {
      const a = fingerprints[at]! & mask;
      const b = fingerprints[at + 1]! & mask;
      const next = Math.min(countMax, Math.min(cells[a]!, cells[b]!) + 1);
      // Only cells with the smallest count grow, because the others are too large already.
      if (cells[a]! < next) this.#set(cells, a, next);
      if (cells[b]! < next) this.#set(cells, b, next);
    }
    this.total += fingerprints.length >> 1;
  }

  #set(cells: Uint16Array, at: number, count: number): void {
    cells[at] = count;
    this.#unsaved.add(Math.floor(at / blockCells));
  }

  /** Rows of the checkpoint that changed since the last call, in the order of their keys. All belong to one position. */
  takeRows(): { readonly key: Buffer; readonly value: Buffer }[] {
    if (this.#unsaved.size === 0) return [];
    const blocks = [...this.#unsaved].sort((a, b) => a - b);
    this.#unsaved = new Set();
    const total = Buffer.alloc(6);
    total.writeUIntBE(this.total, 0, 6);
    const rows = blocks.map((block) => ({ key: Buffer.from([keyByte, block]), value: this.#blockBytes(block) }));
    return [{ key: Buffer.from([keyByte]), value: total }, ...rows];
  }

  /** Takes a row back: the total, or a block. */
  load(key: Buffer, value: Buffer): void {
    if (key.length === 1) {
      this.total = value.readUIntBE(0, 6);
      return;
    }
    const cells = (this.#cells ??= new Uint16Array(2 ** cellsLog2));
    const first = key[1]! * blockCells;
    for (let i = 0; i < blockCells; i++) cells[first + i] = value.readUInt16BE(2 * i);
  }

  #blockBytes(block: number): Buffer {
    const bytes = Buffer.allocUnsafe(2 * blockCells);
    for (let i = 0; i < blockCells; i++) bytes.writeUInt16BE(this.#cells![block * blockCells + i]!, 2 * i);
    return bytes;
  }
}
