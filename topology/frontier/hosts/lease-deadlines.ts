/**
 * The order in which leases expire: by deadline, then by number. A heap; ended leases are removed when they reach its
 * top.
 */

interface Deadline {
  readonly deadlineMs: number;
  readonly id: number;
}

/** The heap is rebuilt when it has this many times more leases than are active. */
const slack = 4;
const sizeMin = 1_024;

export class LeaseDeadlines {
  #heap: Deadline[] = [];
  readonly #isOut: (id: number) => boolean;

  constructor(isOut: (id: number) => boolean) {
    this.#isOut = isOut;
  }

  /** `out`: how many leases are out. */
  add(id: number, deadlineMs: number, out: number): void {
    if (this.#heap.length > sizeMin + slack * out) {
      // A sorted array is a heap.
      this.#heap = this.#heap.filter((one) => this.#isOut(one.id)).sort((a, b) => (isBefore(a, b) ? -1 : 1));
    }
    const one = { id, deadlineMs };
    const heap = this.#heap;
    let slot = heap.push(one) - 1;
    for (let parent = (slot - 1) >> 1; slot > 0 && isBefore(one, heap[parent]!); parent = (slot - 1) >> 1) {
      heap[slot] = heap[parent]!;
      slot = parent;
    }
    heap[slot] = one;
  }

  /** The earliest deadline of a current lease. */
  get firstMs(): number | undefined {
    while (this.#heap.length > 0 && !this.#isOut(this.#heap[0]!.id)) this.#dropFirst();
    return this.#heap[0]?.deadlineMs;
  }

  /** Leases with a deadline up to `toMs`, in order; they are not in here any more. */
  takeUpTo(toMs: number): number[] {
    const taken: number[] = [];
    for (let first = this.firstMs; first !== undefined && first <= toMs; first = this.firstMs) {
      taken.push(this.#heap[0]!.id);
      this.#dropFirst();
    }
    return taken;
  }

  #dropFirst(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let slot = 0;
    for (let child = 1; child < heap.length; child = 2 * slot + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[slot] = heap[child]!;
      slot = child;
    }
    heap[slot] = last;
  }
}

function isBefore(a: Deadline, b: Deadline): boolean {
  return a.deadlineMs < b.deadlineMs || (a.deadlineMs === b.deadlineMs && a.id < b.id);
}
