/** A binary heap: the least first. */
export class MinHeap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    const items = this.#items;
    let slot = items.push(item) - 1;
    for (let parent = (slot - 1) >> 1; slot > 0 && this.#isBefore(item, items[parent]!); parent = (slot - 1) >> 1) {
      items[slot] = items[parent]!;
      slot = parent;
    }
    items[slot] = item;
  }

  keepOnly(isKept: (item: T) => boolean): void {
    const kept = this.#items.filter(isKept);
    this.#items.length = 0;
    for (const item of kept) this.add(item);
  }

  take(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return first;
    let slot = 0;
    for (let child = 1; child < items.length; child = 2 * slot + 1) {
      if (child + 1 < items.length && this.#isBefore(items[child + 1]!, items[child]!)) child += 1;
      if (!this.#isBefore(items[child]!, last)) break;
      items[slot] = items[child]!;
      slot = child;
    }
    items[slot] = last;
    return first;
  }
}
