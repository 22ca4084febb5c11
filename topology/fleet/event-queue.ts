/** Events to come: a binary heap by time, then by the order in which they were added. */

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
}

export class EventQueue {
  readonly #heap: Event[] = [];
  #order = 0;

  /** undefined: nothing is to happen any more. */
  get nextMs(): number | undefined {
    return this.#heap[0]?.atMs;
  }

  at(atMs: number, act: () => void): void {
    const heap = this.#heap;
    const event = { atMs, order: this.#order++, act };
    let slot = heap.length;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      if (isBefore(heap[parent]!, event)) break;
      heap[slot] = heap[parent]!;
      slot = parent;
    }
    heap[slot] = event;
  }

  /** Removes the next event and runs it. */
  run(): void {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined) return;
    const last = heap.pop()!;
    if (heap.length > 0) {
      let slot = 0;
      for (;;) {
        let child = 2 * slot + 1;
        if (child >= heap.length) break;
        if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
        if (!isBefore(heap[child]!, last)) break;
        heap[slot] = heap[child]!;
        slot = child;
      }
      heap[slot] = last;
    }
    first.act();
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
