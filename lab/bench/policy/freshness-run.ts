/**
 * One policy through all days, on virtual time. Visits are evenly spaced, a fixed number a day. Each goes to the page
 * that is due first, even if that is in the future or long past: so every policy spends the same bandwidth, and all of
 * it.
 */
import { ChangingPages } from './freshness-pages.ts';
import { createPolicy, type PolicyName, type World } from './freshness-policies.ts';

export interface FreshnessRun {
  readonly name: PolicyName;
  /** Share of pages with a current copy, averaged over the second half of the days. */
  readonly freshness: number;
  /** Days for which a copy has been out of date, averaged likewise. */
  readonly age: number;
  readonly visits: number;
  /** Share of those visits that found a change. */
  readonly found: number;
}

/** Every page was fetched at day 0. */
export function runPolicy(name: PolicyName, world: World, days: number, seed: number): FreshnessRun {
  const { rates, visitsPerDay } = world;
  const pages = new ChangingPages(rates, seed);
  const policy = createPolicy(name, world);
  const lastAt = new Float64Array(rates.length);
  const queue = new DueQueue(rates.length);
  for (let page = 0; page < rates.length; page++) queue.push(page, policy.next(page, 0, 0, null));
  const from = days / 2;
  const total = Math.floor(days * visitsPerDay);
  let [fresh, age, found, visits] = [0, 0, 0, 0];
  const count = (page: number, day: number) => {
    const since = Math.max(from, lastAt[page]!);
    const staleAt = pages.visit(page, day);
    const stale = Math.min(day, Math.max(since, staleAt));
    fresh += stale - since;
    if (staleAt < day) age += ((day - staleAt) ** 2 - (stale - staleAt) ** 2) / 2;
    return staleAt < day;
  };
  for (let visit = 0; visit < total; visit++) {
    const day = (visit + 1) / visitsPerDay;
    const page = queue.first;
    const changed = day > from ? count(page, day) : pages.visit(page, day) < day;
    if (day > from) {
      visits += 1;
      if (changed) found += 1;
    }
    queue.push(page, day + policy.next(page, day, day - lastAt[page]!, changed));
    lastAt[page] = day;
  }
  for (let page = 0; page < rates.length; page++) count(page, days);
  const time = rates.length * (days - from);
  return { name, freshness: fresh / time, age: age / time, visits, found: visits === 0 ? 0 : found / visits };
}

/** Pages by due time, then by page number. Every page is always in it: `push` moves one. */
class DueQueue {
  readonly #dueAt: Float64Array;
  readonly #heap: Uint32Array;
  readonly #slotOf: Uint32Array;

  constructor(pages: number) {
    this.#dueAt = new Float64Array(pages);
    this.#heap = Uint32Array.from({ length: pages }, (_, page) => page);
    this.#slotOf = Uint32Array.from({ length: pages }, (_, page) => page);
  }

  get first(): number {
    return this.#heap[0]!;
  }

  push(page: number, dueAt: number): void {
    this.#dueAt[page] = dueAt;
    let slot = this.#slotOf[page]!;
    while (slot > 0 && this.#before(page, this.#heap[(slot - 1) >> 1]!)) {
      this.#put(slot, this.#heap[(slot - 1) >> 1]!);
      slot = (slot - 1) >> 1;
    }
    for (let child = 2 * slot + 1; child < this.#heap.length; child = 2 * slot + 1) {
      if (child + 1 < this.#heap.length && this.#before(this.#heap[child + 1]!, this.#heap[child]!)) child += 1;
      if (!this.#before(this.#heap[child]!, page)) break;
      this.#put(slot, this.#heap[child]!);
      slot = child;
    }
    this.#put(slot, page);
  }

  #before(a: number, b: number): boolean {
    const byTime = this.#dueAt[a]! - this.#dueAt[b]!;
    return byTime === 0 || Number.isNaN(byTime) ? a < b : byTime < 0;
  }

  #put(slot: number, page: number): void {
    this.#heap[slot] = page;
    this.#slotOf[page] = slot;
  }
}
