/**
 * Indexes of the queues about whose waiting URLs clients ask, by host number. An index is made the first time, which
 * reads the queue once (some 3 µs a URL), and kept up from then on; those that were not used the longest are forgotten where
 * all together have too many places. A queue that nobody asks about costs nothing.
 */
import { pullLimits } from './pull-limits.ts';
import type { QueueIndex } from './queue-index.ts';

export class QueueIndexes {
  /** Used last, last. */
  readonly #byHost = new Map<number, QueueIndex>();
  readonly #placesMax: number;
  /** Times that queues without an index were read to find one URL. */
  readonly #searches = new Map<number, number>();

  constructor(placesMax: number = pullLimits.indexedPlacesMax) {
    this.#placesMax = placesMax;
  }

  get isEmpty(): boolean {
    return this.#byHost.size === 0;
  }

  /** Would a queue of so many URLs fit, and be worth it? */
  takes(urls: number): boolean {
    return urls > pullLimits.searchedUrlsMax && urls <= this.#placesMax;
  }

  /** Reading the queue once more would cost as much as an index, all in all: what is found often is indexed. */
  isWorthIt(host: number): boolean {
    if (this.#searches.size >= pullLimits.searchedHostsMax) this.#searches.clear();
    const searches = 1 + (this.#searches.get(host) ?? 0);
    this.#searches.set(host, searches);
    return searches > pullLimits.searchesPerIndex;
  }

  /** To keep it up: this is no use of it. */
  of(host: number): QueueIndex | undefined {
    return this.#byHost.get(host);
  }

  /** `urls`: that wait in the queue now. */
  use(host: number, urls: number): QueueIndex | undefined {
    const index = this.#byHost.get(host);
    if (index === undefined) return undefined;
    this.#byHost.delete(host);
    // Most of its places have been left: another is made.
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
