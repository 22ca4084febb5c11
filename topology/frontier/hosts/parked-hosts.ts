/**
 * Hosts that would be ready if their domain did not wait. They are off the clock, so that a step costs no time for
 * each of them. Once the domain may be contacted again, one of them goes back on the clock: drawn among front queues
 * as on the clock, then the one that has waited longest.
 *
 * A host is parked at most once. With its first change, it goes back on the clock and leaves this set.
 *
 * This is layout, not state: a new owner has all hosts on its clock, and parks them again as it reaches them. Memory:
 * about 150 bytes a parked host. A domain without parked hosts keeps its wake time until then.
 */
import { MinHeap } from '../storage/min-heap.ts';
import { drawFrontQueue, refreshHosts } from './clock.ts';

interface Parked {
  readonly id: number;
  readonly domain: string;
  /** Heap of the clock to which the host belongs. */
  readonly queue: number;
  /** Since when it is ready, after its last lease. */
  readonly sinceMs: number;
}

interface Domain {
  /** By heap of the clock. The heaps may contain hosts that have left. */
  readonly queues: (MinHeap<Parked> | undefined)[];
  /** Number of parked hosts, by heap and in all. */
  readonly sizes: number[];
  size: number;
  /** Number of places of hosts that have left. */
  left: number;
}

interface Wake {
  readonly domain: string;
  readonly atMs: number;
}

const isBefore = (a: Pick<Parked, 'id' | 'sinceMs'>, b: Pick<Parked, 'id' | 'sinceMs'>) =>
  a.sinceMs < b.sinceMs || (a.sinceMs === b.sinceMs && a.id < b.id);
const isSooner = (a: Wake, b: Wake) => a.atMs < b.atMs || (a.atMs === b.atMs && a.domain < b.domain);

/** Places of hosts that have left are dropped beyond this number plus the number of parked hosts. */
const leftMax = 16;

export class ParkedHosts {
  readonly #hosts = new Map<number, Parked>();
  readonly #domains = new Map<string, Domain>();
  /**
   * When to check a domain; none: once its lease ends. The entry outlasts the last parked host, because often the
   * same host is parked again with the same time.
   */
  readonly #wakeAtMs = new Map<string, number>();
  #wakes = new MinHeap<Wake>(isSooner);

  get isEmpty(): boolean {
    return this.#domains.size === 0;
  }

  /** When the next domain must be checked, ms; undefined: none. */
  get nextAtMs(): number | undefined {
    this.#dropStale();
    return this.#wakes.first?.atMs;
  }

  park(domain: string, id: number, queue: number, sinceMs: number): void {
    this.leave(id);
    let one = this.#domains.get(domain);
    if (one === undefined) {
      one = { queues: [], sizes: new Array<number>(refreshHosts + 1).fill(0), size: 0, left: 0 };
      this.#domains.set(domain, one);
    }
    const parked = { id, domain, queue, sinceMs };
    this.#hosts.set(id, parked);
    one.queues[queue] ??= new MinHeap<Parked>(isBefore);
    one.queues[queue].add(parked);
    one.sizes[queue]! += 1;
    one.size += 1;
  }

  /** The host is on the clock again, or on no list at all. Its place would otherwise count twice, as of then and as of now. */
  leave(id: number): void {
    const parked = this.#hosts.get(id);
    if (parked === undefined) return;
    const one = this.#domains.get(parked.domain)!;
    this.#forget(one, parked);
    one.left += 1;
    if (one.left <= one.size + leftMax) return;
    for (const queue of one.queues) queue?.keepOnly((place) => this.#hosts.get(place.id) === place);
    one.left = 0;
  }

  /** A domain with parked hosts is due no later than then. */
  wake(domain: string, atMs: number): void {
    if (!this.#domains.has(domain) || (this.#wakeAtMs.get(domain) ?? Number.POSITIVE_INFINITY) <= atMs) return;
    this.#wakeAtMs.set(domain, atMs);
    this.#wakes.add({ domain, atMs });
  }

  /** A domain with a check due; the check is then removed. */
  takeDue(nowMs: number): string | undefined {
    this.#dropStale();
    const { first } = this.#wakes;
    if (first === undefined || first.atMs > nowMs) return undefined;
    this.#wakes.take();
    this.#wakeAtMs.delete(first.domain);
    return first.domain;
  }

  /** The next host of a domain; undefined: none is parked. */
  takeHost(domain: string, random: () => number): number | undefined {
    const one = this.#domains.get(domain);
    if (one === undefined) return undefined;
    const drawn = drawFrontQueue((queue) => one.sizes[queue]!, random) ?? refreshHosts;
    const places = one.queues[drawn];
    for (let parked = places?.take(); parked !== undefined; parked = places?.take()) {
      if (this.#hosts.get(parked.id) === parked) {
        this.#forget(one, parked);
        return parked.id;
      }
      one.left -= 1;
    }
    return undefined;
  }

  /** The host of a front queue that has waited longest, if it has waited longer than `other`. */
  takeBefore(domain: string, queue: number, other: { readonly id: number; readonly sinceMs: number }) {
    const one = this.#domains.get(domain);
    const places = one?.queues[queue];
    if (one === undefined || places === undefined) return undefined;
    for (let { first } = places; first !== undefined; { first } = places) {
      const isParked = this.#hosts.get(first.id) === first;
      if (isParked && !isBefore(first, other)) return undefined;
      places.take();
      if (!isParked) {
        one.left -= 1;
        continue;
      }
      this.#forget(one, first);
      return first.id;
    }
    return undefined;
  }

  #forget(one: Domain, { id, domain, queue }: Parked): void {
    this.#hosts.delete(id);
    one.sizes[queue]! -= 1;
    one.size -= 1;
    if (one.size === 0) this.#domains.delete(domain);
  }

  clear(): void {
    this.#hosts.clear();
    this.#domains.clear();
    this.#wakeAtMs.clear();
    this.#wakes = new MinHeap<Wake>(isSooner);
  }

  #dropStale(): void {
    for (let first = this.#wakes.first; first !== undefined; first = this.#wakes.first) {
      const isCurrent = this.#wakeAtMs.get(first.domain) === first.atMs;
      if (isCurrent && this.#domains.has(first.domain)) return;
      if (isCurrent) this.#wakeAtMs.delete(first.domain);
      this.#wakes.take();
    }
  }
}
