/**
 * Indexes of queues, by host number, for clients' queries about waiting URLs. An index is created on first use, which
 * reads the queue once (about 3 µs a URL), and is then kept up to date. When the indexes have too many places in
 * total, the least recently used ones are dropped. A queue that is never queried costs nothing.
 */
import { pullLimits } from './pull-limits.ts';
import type { QueueIndex } from './queue-index.ts';

export class QueueIndexes {
  /** The most recently used is last. */
  readonly #byHost = new Map<number, QueueIndex>();
  readonly #placesMax: number;
  /** Number of times that a queue without an index was read to find one URL. */
  readonly #searches = new Map<number, number>();

  constructor(placesMax: number = pullLimits.indexedPlacesMax) {
    this.#placesMax = placesMax;
  }

  get isEmpty(): boolean {
    return this.#byHost.size === 0;
  }

  /** Returns whether a queue with this many URLs is worth an index, and fits. */
  takes(urls: number): boolean {
    return urls > pullLimits.searchedUrlsMax && urls <= this.#placesMax;
  }

  /** Counts a search, and returns whether an index would have been cheaper than the searches so far. */
  isWorthIt(host: number): boolean {
    if (this.#searches.size >= pullLimits.searchedHostsMax) this.#searches.clear();
    const searches = 1 + (this.#searches.get(host) ?? 0);
    this.#searches.set(host, searches);
    return searches > pullLimits.searchesPerIndex;
  }

  /** Returns the index for an update, which does not count as a use. */
  of(host: number): QueueIndex | undefined {
    return this.#byHost.get(host);
  }

  /** `urls`: number of URLs that wait in the queue now. */
  use(host: number, urls: number): QueueIndex | undefined {
    const index = this.#byHost.get(host);
    if (index === undefined) return undefined;
    this.#byHost.delete(host);
    // Most of its places are empty: a new index is made.
    if (index.size > 2 * urls + pullLimits.searchedUrlsMax) return undefined;
    this.#byHost.set(host, index);
    return index;
  }

  put(host: number, index: QueueIndex): void {
    this.#byHost.set(host, index);
    let places = 0;
    for (const one of this.#byHost.values()) places += one.size;
    for (const [other, { size }] of this.#byHost) {
      if (places <= this.#placesMax || other === host) break;
      this.#byHost.delete(other);
      places -= size;
    }
  }

  forget(host: number): void {
    this.#byHost.delete(host);
  }
}
