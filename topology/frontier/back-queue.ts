/**
 * Back queue: the URLs of one host, in the order they may be fetched.
 *
 * Two parts. *Bands* hold what was admitted and never leased, first in first out, one queue per front queue. *Again*
 * holds what comes back (returned, redirected, to be retried), ordered by the time it is due, then by arrival; what
 * is due goes before the bands.
 *
 * Sequence numbers name an entry's place: a band's grow by one per entry and are never reused, so that rows on disk
 * can be named by them. Source: Heydon & Najork, "Mercator" (1999), §3.3.
 */

import { bandCount } from '../policy/band.ts';
import type { Entry } from './entry.ts';

/** First in, first out; a consumed prefix is cut off now and then. */
export class Band {
  #entries: Entry[] = [];
  #head = 0;
  /** Sequence number of the first entry still queued. */
  headSeq = 0;
  /** Rows of this band in the view: the sequence number each begins with, in order. Kept by view.ts. */
  readonly rows: number[] = [];
  /** Entries below this number are in rows, or gone. */
  savedSeq = 0;

  get size(): number {
    return this.#entries.length - this.#head;
  }

  get tailSeq(): number {
    return this.headSeq + this.size;
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  shift(): Entry | undefined {
    const entry = this.#entries[this.#head];
    if (entry === undefined) return undefined;
    this.#head += 1;
    this.headSeq += 1;
    if (this.#head > 64 && 2 * this.#head > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return entry;
  }

  /** Entries from a sequence number on, at most `count`. */
  slice(fromSeq: number, count: number): readonly Entry[] {
    const from = this.#head + Math.max(0, fromSeq - this.headSeq);
    return this.#entries.slice(from, from + count);
  }
}

export interface Again {
  /** 0: at once. */
  readonly dueAtMs: number;
  /** Arrival number within the partition. */
  readonly seq: number;
  readonly entry: Entry;
}

export class BackQueue {
  readonly bands: (Band | undefined)[] = [];
  /** Sorted: by time due, then arrival. Short: what one lease brought back, and retries. */
  readonly again: Again[] = [];
  /** Bands beyond the front queues that may be drawn from, after those: of released traps. */
  readonly opened: number[] = [];

  get size(): number {
    let size = this.again.length;
    for (const band of this.bands) if (band !== undefined) size += band.size;
    return size;
  }

  band(number: number): Band {
    return (this.bands[number] ??= new Band());
  }

  /** The most urgent band with entries, counting the head of `again`; `bandCount` if there is nothing. */
  get bestBand(): number {
    let best = this.again[0]?.entry.band ?? bandCount;
    for (let number = 0; number < best; number++) if ((this.bands[number]?.size ?? 0) > 0) best = number;
    // What was deferred goes with the last of the front queues.
    return best < bandCount || this.dueAtMs === undefined ? Math.min(best, bandCount) : bandCount - 1;
  }

  /** Do the URLs of a band wait for a verdict to be taken back, rather than for their turn? */
  isHeld(band: number): boolean {
    return band >= bandCount && !this.opened.includes(band);
  }

  /** Earliest time anything in here may go; undefined if nothing may. */
  get dueAtMs(): number | undefined {
    for (let number = 0; number < bandCount; number++) if ((this.bands[number]?.size ?? 0) > 0) return 0;
    for (const number of this.opened) if ((this.bands[number]?.size ?? 0) > 0) return 0;
    return this.again[0]?.dueAtMs;
  }

  /** How many of `again` are due at `nowMs`. */
  dueCount(nowMs: number): number {
    let count = 0;
    while (count < this.again.length && this.again[count]!.dueAtMs <= nowMs) count += 1;
    return count;
  }

  putAgain(again: Again): void {
    let low = 0;
    let high = this.again.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.again[middle]!;
      if (other.dueAtMs < again.dueAtMs || (other.dueAtMs === again.dueAtMs && other.seq < again.seq)) low = middle + 1;
      else high = middle;
    }
    this.again.splice(low, 0, again);
  }
}
