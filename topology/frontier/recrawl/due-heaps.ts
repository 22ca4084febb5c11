/**
 * Due times in order, a queue for each host, over one set of columns: pairing heaps, linked by row number.
 *
 * Rows are ordered by (due time, fingerprint), so the results depend only on the content: a heap loaded from a
 * checkpoint, or replayed, yields the same rows in the same order.
 *
 * Source: Fredman, Sedgewick, Sleator & Tarjan, "The pairing heap" (Algorithmica 1, 1986). O(1) to add or to read the
 * first, O(log n) amortised to remove any row. Cost: 12 bytes a row, 4 a host.
 */
import { fitted } from '../storage/columns.ts';

/** Returns whether row a precedes row b. */
export type Before = (a: number, b: number) => boolean;

/** Links hold row + 1, so 0 means none. */
export class DueHeaps {
  readonly #before: Before;
  #child = new Uint32Array(0);
  #next = new Uint32Array(0);
  /** Previous sibling, or the parent of a first child. */
  #previous = new Uint32Array(0);
  #rootOf = new Uint32Array(0);

  constructor(before: Before) {
    this.#before = before;
  }

  /** The first row of a host; -1: none. */
  first(host: number): number {
    return host < this.#rootOf.length ? this.#rootOf[host]! - 1 : -1;
  }

  add(host: number, row: number): void {
    this.#rootOf = fitted(this.#rootOf, host);
    this.#child = fitted(this.#child, row);
    this.#next = fitted(this.#next, row);
    this.#previous = fitted(this.#previous, row);
    this.#child[row] = 0;
    this.#next[row] = 0;
    this.#previous[row] = 0;
    this.#rootOf[host] = this.#meld(this.#rootOf[host]!, row + 1);
  }

  remove(host: number, row: number): void {
    const rest = this.#meldSiblings(this.#child[row]!);
    if (this.#rootOf[host] === row + 1) {
      this.#rootOf[host] = rest;
      return;
    }
    const [before, after] = [this.#previous[row]!, this.#next[row]!];
    if (this.#child[before - 1] === row + 1) this.#child[before - 1] = after;
    else this.#next[before - 1] = after;
    if (after !== 0) this.#previous[after - 1] = before;
    this.#rootOf[host] = this.#meld(this.#rootOf[host]!, rest);
  }

  /**
   * Rows of a host for which `wanted` holds, starting with the first, in no order. Rows after a row that fails are
   * skipped.
   */
  *upTo(host: number, wanted: (row: number) => boolean): Generator<number> {
    const open = [this.first(host) + 1];
    for (let link = open.pop(); link !== undefined; link = open.pop()) {
      if (link === 0 || !wanted(link - 1)) continue;
      yield link - 1;
      for (let child = this.#child[link - 1]!; child !== 0; child = this.#next[child - 1]!) open.push(child);
    }
  }

  #meld(a: number, b: number): number {
    if (a === 0 || b === 0) return a || b;
    const [parent, child] = this.#before(b - 1, a - 1) ? [b, a] : [a, b];
    const first = this.#child[parent - 1]!;
    this.#next[child - 1] = first;
    if (first !== 0) this.#previous[first - 1] = child;
    this.#previous[child - 1] = parent;
    this.#child[parent - 1] = child;
    this.#next[parent - 1] = 0;
    this.#previous[parent - 1] = 0;
    return parent;
  }

  /** Pairs from the left, then all of them from the right. */
  #meldSiblings(first: number): number {
    let pairs = 0;
    for (let link = first; link !== 0; ) {
      const a = link;
      const b = this.#next[a - 1]!;
      link = b === 0 ? 0 : this.#next[b - 1]!;
      this.#next[a - 1] = 0;
      this.#previous[a - 1] = 0;
      if (b !== 0) {
        this.#next[b - 1] = 0;
        this.#previous[b - 1] = 0;
      }
      const pair = this.#meld(a, b);
      // The list of pairs, newest first, goes by the `previous` of roots, which have none.
      this.#previous[pair - 1] = pairs;
      pairs = pair;
    }
    let root = 0;
    for (let link = pairs; link !== 0; ) {
      const next = this.#previous[link - 1]!;
      this.#previous[link - 1] = 0;
      root = this.#meld(root, link);
      link = next;
    }
    return root;
  }
}
