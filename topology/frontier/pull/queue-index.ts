/**
 * An index of one queue: by fingerprint, the place of each URL in the front queues, and the row that holds it.
 *
 * Places are only added. A URL that has left its place is still found, so callers must check the place against the
 * queue (`isThere`) and against the URL. At most 19 bytes a place.
 */

/** A place in a front queue. */
export interface IndexedPlace {
  readonly number: number;
  readonly seq: number;
  /** Pointer into the arena, if the entry is in memory. */
  readonly pointer: number;
}

const smallest = 1024;
/** Flag beside a number: the URL has had several places. Numbers end at 47 (queues/held-queues.ts). */
const severalFlag = 0x80;

export class QueueIndex {
  #mask = smallest - 1;
  #hi = new Uint32Array(smallest);
  #lo = new Uint32Array(smallest);
  #seq = new Uint32Array(smallest);
  #pointer = new Uint32Array(smallest);
  /** Number of the front queue, and one more, with a flag; 0: the slot is empty. */
  #number = new Uint8Array(smallest);
  /** By front queue: first sequence numbers of its rows, ascending. */
  readonly #rows = new Map<number, number[]>();
  /** Number of places, including those that their URLs have left. */
  size = 0;

  add(hi: number, lo: number, { number, seq, pointer }: IndexedPlace): void {
    if (4 * (this.size + 1) > 3 * (this.#mask + 1)) this.#grow();
    const slot = this.#slotOf(hi, lo);
    const several = this.#number[slot] === 0 ? 0 : severalFlag;
    if (several === 0) this.size += 1;
    this.#hi[slot] = hi;
    this.#lo[slot] = lo;
    this.#seq[slot] = seq;
    this.#pointer[slot] = pointer;
    this.#number[slot] = (number + 1) | several;
  }

  /** True if the URL has had only one place. */
  isSole(hi: number, lo: number): boolean {
    return (this.#number[this.#slotOf(hi, lo)]! & severalFlag) === 0;
  }

  /** The newest place of the URL. */
  find(hi: number, lo: number): IndexedPlace | undefined {
    const slot = this.#slotOf(hi, lo);
    const number = this.#number[slot]! & ~severalFlag;
    return number === 0 ? undefined : { number: number - 1, seq: this.#seq[slot]!, pointer: this.#pointer[slot]! };
  }

  /** Adds a row; rows are added in ascending order. */
  addRow(number: number, first: number): void {
    const rows = this.#rows.get(number);
    if (rows === undefined) this.#rows.set(number, [first]);
    else rows.push(first);
  }

  /** First sequence number of the row that holds a place. */
  rowOf({ number, seq }: IndexedPlace): number {
    const rows = this.#rows.get(number) ?? [];
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle]! <= seq) low = middle + 1;
      else high = middle;
    }
    if (low === 0) throw new Error(`no row is known to hold entry ${seq} of front queue ${number}`);
    return rows[low - 1]!;
  }

  /** The slot of the fingerprint, or an empty one. */
  #slotOf(hi: number, lo: number): number {
    let slot = (lo ^ Math.imul(hi, 0x9e3779b1)) & this.#mask;
    while (this.#number[slot] !== 0 && (this.#hi[slot] !== hi || this.#lo[slot] !== lo)) slot = (slot + 1) & this.#mask;
    return slot;
  }

  #grow(): void {
    const [hi, lo, seq, pointer, number] = [this.#hi, this.#lo, this.#seq, this.#pointer, this.#number];
    const slots = 2 * number.length;
    this.#mask = slots - 1;
    [this.#hi, this.#lo] = [new Uint32Array(slots), new Uint32Array(slots)];
    [this.#seq, this.#pointer] = [new Uint32Array(slots), new Uint32Array(slots)];
    this.#number = new Uint8Array(slots);
    for (let from = 0; from < number.length; from++) {
      if (number[from] === 0) continue;
      const to = this.#slotOf(hi[from]!, lo[from]!);
      this.#hi[to] = hi[from]!;
      this.#lo[to] = lo[from]!;
      this.#seq[to] = seq[from]!;
      this.#pointer[to] = pointer[from]!;
      this.#number[to] = number[from]!;
    }
  }
}
