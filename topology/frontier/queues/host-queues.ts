/**
 * Back queues: the URLs of each host, in the order they may be fetched.
 *
 * Two parts. *Bands* hold what was admitted and never leased, first in first out, one queue per front queue (`bands.ts`).
 * *Again* holds what comes back (returned, redirected, to be retried), ordered by the time it is due, then by arrival;
 * what is due goes before the bands. It is in memory: what leases brought back, and retries, are few.
 *
 * Source: Heydon & Najork, "Mercator" (1999), §3.3.
 */
import { bandCount } from '../../url/band.ts';
import type { Entry } from '../changes/entry.ts';
import type { Bands } from './bands.ts';
import { budgetBand } from './held-bands.ts';

export interface Again {
  /** 0: at once. */
  readonly dueAtMs: number;
  /** Arrival number within the host's own; given anew once none waits. */
  readonly seq: number;
  readonly entry: Entry;
}

export class HostQueues {
  readonly bands: Bands;
  readonly again = new Map<number, Again[]>();
  /** Bands beyond the front queues that may be drawn from, after those: of released traps. */
  readonly opened = new Map<number, readonly number[]>();

  constructor(bands: Bands) {
    this.bands = bands;
  }

  putAgain(host: number, dueAtMs: number, entry: Entry): void {
    const list = this.again.get(host);
    if (list === undefined) {
      this.again.set(host, [{ dueAtMs, seq: 1, entry }]);
      return;
    }
    let seq = 1;
    for (const other of list) seq = Math.max(seq, other.seq + 1);
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle]!.dueAtMs <= dueAtMs) low = middle + 1;
      else high = middle;
    }
    list.splice(low, 0, { dueAtMs, seq, entry });
  }

  /** Takes `count` out, from the one at `index` on. */
  takeAgain(host: number, index: number, count: number): Again[] {
    const list = this.again.get(host);
    if (list === undefined || count === 0) return [];
    const taken = list.splice(index, count);
    if (list.length === 0) this.again.delete(host);
    return taken;
  }

  /** Takes one URL out of the middle; returns when it was due. `band` null: of what came back. */
  takeOut(host: number, { band, seq }: { readonly band: number | null; readonly seq: number }): number {
    if (band !== null) {
      this.bands.remove(this.bands.list.find(host, band), seq);
      return 0;
    }
    const index = this.again.get(host)!.findIndex((one) => one.seq === seq);
    return this.takeAgain(host, index, 1)[0]!.dueAtMs;
  }
}

/** One host's queue, to look at. */
export class HostQueue {
  readonly #queues: HostQueues;
  readonly #host: number;

  constructor(queues: HostQueues, host: number) {
    this.#queues = queues;
    this.#host = host;
  }

  get again(): readonly Again[] {
    return this.#queues.again.get(this.#host) ?? none;
  }

  get opened(): readonly number[] {
    return this.#queues.opened.get(this.#host) ?? none;
  }

  get size(): number {
    const { bands } = this.#queues;
    let size = this.again.length;
    for (let band = bands.list.firstOf(this.#host); band !== 0; band = bands.list.nextOf(band))
      size += bands.count(band);
    return size;
  }

  /** What waits for its turn in the front queues, or in a trap's band that is open, or comes back. */
  get frontSize(): number {
    const { bands } = this.#queues;
    let size = this.again.length;
    for (let band = bands.list.firstOf(this.#host); band !== 0; band = bands.list.nextOf(band)) {
      const number = bands.list.numberOf(band);
      if (number < bandCount || (number !== budgetBand && !this.isHeld(number))) size += bands.count(band);
    }
    return size;
  }

  sizeOf(number: number): number {
    const { bands } = this.#queues;
    const band = bands.list.find(this.#host, number);
    return band === 0 ? 0 : bands.count(band);
  }

  /** Bands that are not empty, ascending. */
  bands(): { readonly number: number; readonly size: number; readonly band: number }[] {
    const { bands } = this.#queues;
    const found = [];
    for (let band = bands.list.firstOf(this.#host); band !== 0; band = bands.list.nextOf(band)) {
      const size = bands.count(band);
      if (size > 0) found.push({ number: bands.list.numberOf(band), size, band });
    }
    return found;
  }

  /** The most urgent band with entries, counting the head of `again`; `bandCount` if there is nothing. */
  get bestBand(): number {
    const best = this.again[0]?.entry.band ?? bandCount;
    const first = this.#firstBand();
    if (first < best) return first;
    // What was deferred goes with the last of the front queues.
    return best < bandCount || this.dueAtMs === undefined ? Math.min(best, bandCount) : bandCount - 1;
  }

  /** Do the URLs of a band wait for a verdict to be taken back, rather than for their turn? */
  isHeld(number: number): boolean {
    return number >= bandCount && !this.opened.includes(number);
  }

  /** Earliest time anything in here may go; undefined if nothing may. */
  get dueAtMs(): number | undefined {
    if (this.#firstBand() < bandCount) return 0;
    for (const number of this.opened) if (this.sizeOf(number) > 0) return 0;
    return this.again[0]?.dueAtMs;
  }

  /** How many of `again` are due at `nowMs`. */
  dueCount(nowMs: number): number {
    const { again } = this;
    let count = 0;
    while (count < again.length && again[count]!.dueAtMs <= nowMs) count += 1;
    return count;
  }

  /** The first front queue with entries; `bandCount`: none. */
  #firstBand(): number {
    const { bands } = this.#queues;
    for (let band = bands.list.firstOf(this.#host); band !== 0; band = bands.list.nextOf(band)) {
      const number = bands.list.numberOf(band);
      if (number >= bandCount) break;
      if (bands.count(band) > 0) return number;
    }
    return bandCount;
  }
}

const none: readonly never[] = [];
