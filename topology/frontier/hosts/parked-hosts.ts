/**
 * Hosts that would be ready but for their domain, which waits: they are off the clock, so that no step costs time for each of
 * them. Once the domain may be contacted again, one of them goes back on the clock: by a draw among front queues as on the
 * clock, then the one that was served longest ago.
 *
 * It is layout, not state: a new owner has all hosts on its clock, and parks them again as it comes to them.
 * Memory: some 24 bytes a parked host.
 */
import { MinHeap } from '../storage/min-heap.ts';
import { drawFrontQueue, refreshHosts } from './clock.ts';

interface Parked {
  readonly id: number;
  /** Since when it is ready: after it was served last. */
  readonly sinceMs: number;
}

interface Domain {
  /** By the heap of the clock in which the host would stand. */
  readonly queues: MinHeap<Parked>[];
  size: number;
  /** When to look at it; Infinity: once its lease ends. */
  wakeAtMs: number;
}

interface Wake {
  readonly domain: string;
  readonly atMs: number;
}

const isBefore = (a: Parked, b: Parked) => a.sinceMs < b.sinceMs || (a.sinceMs === b.sinceMs && a.id < b.id);
const isSooner = (a: Wake, b: Wake) => a.atMs < b.atMs || (a.atMs === b.atMs && a.domain < b.domain);

export class ParkedHosts {
  readonly #domains = new Map<string, Domain>();
  #wakes = new MinHeap<Wake>(isSooner);

  get isEmpty(): boolean {
    return this.#domains.size === 0;
  }

  /** When a domain is to be looked at next; undefined: none is. */
  get nextAtMs(): number | undefined {
    this.#dropStale();
    return this.#wakes.first?.atMs;
  }

  park(domain: string, id: number, queue: number, sinceMs: number): void {
    let one = this.#domains.get(domain);
    if (one === undefined) {
      const queues = Array.from({ length: refreshHosts + 1 }, () => new MinHeap<Parked>(isBefore));
      this.#domains.set(domain, (one = { queues, size: 0, wakeAtMs: Number.POSITIVE_INFINITY }));
    }
    one.queues[queue]!.add({ id, sinceMs });
    one.size += 1;
  }

  /** A domain with parked hosts is due no later than then. */
  wake(domain: string, atMs: number): void {
    const one = this.#domains.get(domain);
    if (one === undefined || one.wakeAtMs <= atMs) return;
    one.wakeAtMs = atMs;
    this.#wakes.add({ domain, atMs });
  }

  /** A domain whose time has come; it is not woken again unless asked. */
  takeDue(nowMs: number): string | undefined {
    this.#dropStale();
    const { first } = this.#wakes;
    if (first === undefined || first.atMs > nowMs) return undefined;
    this.#wakes.take();
    this.#domains.get(first.domain)!.wakeAtMs = Number.POSITIVE_INFINITY;
    return first.domain;
  }

  /** The next host of a domain; undefined: none is parked. */
  takeHost(domain: string, random: () => number): number | undefined {
    const one = this.#domains.get(domain);
    if (one === undefined) return undefined;
    const drawn = drawFrontQueue((queue) => one.queues[queue]!.size, random) ?? refreshHosts;
    const host = one.queues[drawn]!.take();
    one.size -= 1;
    if (one.size === 0) this.#domains.delete(domain);
    return host?.id;
  }

  clear(): void {
    this.#domains.clear();
    this.#wakes = new MinHeap<Wake>(isSooner);
  }

  #dropStale(): void {
    for (let first = this.#wakes.first; first !== undefined; first = this.#wakes.first) {
      if (this.#domains.get(first.domain)?.wakeAtMs === first.atMs) return;
      this.#wakes.take();
    }
  }
}
