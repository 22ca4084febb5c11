/**
 * Every URL that is to be visited again: when, and what decisions need to know of it without reading its row from disk.
 *
 * Typed columns by row number, a table to find a row by its URL's fingerprint, a heap of each host's rows by due time.
 * Row numbers are layout, not state. Cost: 24 bytes a URL here, 12 in the heaps, 6 to 12 in the table: 50 with what
 * growing columns keep free. Times are whole seconds since the Unix epoch.
 */
import { RateClasses } from '../../policy/recrawl/rate-classes.ts';
import { fitted } from '../storage/columns.ts';
import { DueDays } from './due-days.ts';
import { inUseFlag, packFlags, unpackFlags } from './due-flags.ts';
import { DueHeaps } from './due-heaps.ts';
import { comparePlaces, type DuePlace, placeOfRow, reversedBits } from './due-order.ts';
import { DueSum } from './due-sum.ts';

/** The values of one URL's row. */
export interface Due {
  readonly hi: number;
  readonly lo: number;
  readonly host: number;
  readonly dueS: number;
  /** The last visit that could show a change. 0: none. */
  readonly visitedS: number;
  /** Number of the place it counts under: changes/changes.ts. */
  readonly status: number;
  readonly frontQueue: number;
  /** policy/recrawl/rate-classes.ts; `noRate`: not known. */
  readonly rateClass: number;
  /** A sitemap or a feed said that it has changed. */
  readonly fromSitemap: boolean;
  /** The URL is on lease for the visit that was due. */
  readonly out: boolean;
  /** A refetch was requested while the URL was on lease: it is due when the lease is over. */
  readonly pushed: boolean;
  /** The content dedup says that it is nearly the same as another page. */
  readonly duplicate: boolean;
  /** New URLs that its links have led to since its last visit: due-flags.ts. */
  readonly gained: number;
}

export const noRate = 0xffff;
/** Early in 2106, when 32 bits end: a visit that is due later would be due at once. */
const latestDueS = 0xffff_fffe;
const indexLeast = 64;
/** Slots for each row of an index that a walk passes, at most. */
const sparsest = 32;

export class DueTable {
  readonly classes = new RateClasses();
  readonly sum = new DueSum();
  /** Rows in use, and those of them that are on lease. */
  size = 0;
  out = 0;
  /** Rows ever used; those beyond are free. */
  #end = 0;
  #free: number[] = [];
  #hi = new Uint32Array(0);
  #lo = new Uint32Array(0);
  #host = new Uint32Array(0);
  #due = new Uint32Array(0);
  #visited = new Uint32Array(0);
  /** Flags of due-flags.ts. */
  #flags = new Uint16Array(0);
  #class = new Uint16Array(0);
  readonly #heaps = new DueHeaps((a, b) => this.#isBefore(a, b));
  /** Open addressing, row + 1 by the low word of its fingerprint; at most two thirds full. */
  #index = new Uint32Array(indexLeast);
  /** URLs by the day they are due; null: no policy asks. */
  days: DueDays | null = null;
  /** Rows changed since they were last written (due-rows.ts), by block. */
  readonly unsaved = new Set<number>();

  /** -1: it is not scheduled. */
  find(hi: number, lo: number): number {
    const mask = this.#index.length - 1;
    for (let at = lo & mask; this.#index[at] !== 0; at = (at + 1) & mask) {
      const row = this.#index[at]! - 1;
      if (this.#lo[row] === lo && this.#hi[row] === hi) return row;
    }
    return -1;
  }

  at(row: number): Due {
    const flags = this.#flags[row]!;
    return {
      hi: this.#hi[row]!,
      lo: this.#lo[row]!,
      host: this.#host[row]!,
      dueS: this.#due[row]!,
      visitedS: this.#visited[row]!,
      rateClass: this.#class[row]!,
      ...unpackFlags(flags),
    };
  }

  /** Rows up to here may be in use. */
  get end(): number {
    return this.#end;
  }

  /** Slots of the index. */
  get places(): number {
    return this.#index.length;
  }

  inUse(row: number): boolean {
    return (this.#flags[row]! & inUseFlag) !== 0;
  }

  /** Adds a URL, or replaces its row. */
  put(due: Due): void {
    const before = this.find(due.hi, due.lo);
    if (before >= 0) this.remove(before);
    const row = this.#free.pop() ?? this.#end;
    this.putAt(row, due.dueS > latestDueS ? { ...due, dueS: latestDueS } : due);
  }

  /** Fills a free row, from a checkpoint that is loaded. */
  putAt(row: number, due: Due): void {
    this.#fit(row);
    this.#hi[row] = due.hi;
    this.#lo[row] = due.lo;
    this.#host[row] = due.host;
    this.#due[row] = due.dueS;
    this.#visited[row] = due.visitedS;
    this.#flags[row] = packFlags(due);
    this.#class[row] = due.rateClass;
    this.size += 1;
    if (3 * this.size > 2 * this.#index.length) this.#grow();
    else this.#link(row);
    if (due.out) this.out += 1;
    else {
      this.#heaps.add(due.host, row);
      this.days?.count(due.dueS, 1);
    }
    this.sum.add(due, 1);
    if (due.rateClass !== noRate) this.classes.count(due.rateClass, 1);
    this.#touch(row);
  }

  remove(row: number): Due {
    const due = this.at(row);
    if (due.out) this.out -= 1;
    else {
      this.#heaps.remove(due.host, row);
      this.days?.count(due.dueS, -1);
    }
    this.#unlink(row);
    this.#flags[row] = 0;
    this.#free.push(row);
    this.size -= 1;
    this.sum.add(due, -1);
    if (due.rateClass !== noRate) this.classes.count(due.rateClass, -1);
    this.#touch(row);
    return due;
  }

  /** Counts URLs by the day they are due from now on, or no more. */
  countDays(on: boolean): void {
    if (on === (this.days !== null)) return;
    this.days = on ? new DueDays() : null;
    for (let row = 0; on && row < this.#end; row++)
      if (this.inUse(row) && !this.at(row).out) this.days!.count(this.#due[row]!, 1);
  }

  /** When the first URL of a host is due, s; undefined: none is scheduled. */
  firstDueS(host: number): number | undefined {
    const row = this.#heaps.first(host);
    return row < 0 ? undefined : this.#due[row]!;
  }

  /** URLs of a host that are due by `nowS`, counted up to `most`. */
  dueCount(host: number, nowS: number, most: number): number {
    let count = 0;
    for (const _ of this.#heaps.upTo(host, (row) => this.#due[row]! <= nowS)) if (++count >= most) break;
    return count;
  }

  /** Puts the first `count` URLs of a host on lease, in order. */
  take(host: number, count: number): Due[] {
    return Array.from({ length: count }, () => {
      const due = this.remove(this.#heaps.first(host));
      this.put({ ...due, out: true });
      return due;
    });
  }

  /** At most `most` rows from a place on, in the order of due-order.ts. */
  rowsFrom(from: DuePlace, most: number): number[] {
    this.#shrink();
    const shift = Math.clz32(this.#index.length) + 1;
    const rows: number[] = [];
    for (let at = from.reversed >>> shift; at < this.#index.length && rows.length < most; at++)
      rows.push(...this.#linkedAt(reversedBits(at) >>> shift, from));
    return rows.slice(0, most);
  }

  /** Rows that belong to a slot of the index, from a place on, in order. */
  #linkedAt(slot: number, from: DuePlace): number[] {
    const mask = this.#index.length - 1;
    const rows: number[] = [];
    for (let at = slot; this.#index[at] !== 0; at = (at + 1) & mask) {
      const row = this.#index[at]! - 1;
      if ((this.#lo[row]! & mask) === slot && comparePlaces(this.#placeOf(row), from) >= 0) rows.push(row);
    }
    return rows.sort((a, b) => comparePlaces(this.#placeOf(a), this.#placeOf(b)));
  }

  #placeOf(row: number): DuePlace {
    return placeOfRow(this.#hi[row]!, this.#lo[row]!);
  }

  /** All URLs that are still on lease become due at `dueS`. Returns the numbers of their hosts. */
  endLeases(dueS: number): Set<number> {
    const hosts = new Set<number>();
    for (let row = 0; row < this.#end && this.out > 0; row++) {
      if (!this.inUse(row) || !this.at(row).out) continue;
      const due = this.remove(row);
      this.put({ ...due, dueS, fromSitemap: false, out: false, pushed: false });
      hosts.add(due.host);
    }
    return hosts;
  }

  /** Rows that are free below `end`, after a load. */
  loaded(): void {
    this.#free = [];
    for (let row = this.#end - 1; row >= 0; row--) if (!this.inUse(row)) this.#free.push(row);
    this.unsaved.clear();
  }

  #isBefore(a: number, b: number): boolean {
    const by = this.#due[a]! - this.#due[b]! || this.#hi[a]! - this.#hi[b]! || this.#lo[a]! - this.#lo[b]!;
    return by < 0;
  }

  #fit(row: number): void {
    if (row < this.#end) return;
    this.#end = row + 1;
    this.#hi = fitted(this.#hi, row);
    this.#lo = fitted(this.#lo, row);
    this.#host = fitted(this.#host, row);
    this.#due = fitted(this.#due, row);
    this.#visited = fitted(this.#visited, row);
    this.#flags = fitted(this.#flags, row);
    this.#class = fitted(this.#class, row);
  }

  #touch(row: number): void {
    this.unsaved.add(Math.floor(row / blockRows));
  }

  #link(row: number): void {
    const mask = this.#index.length - 1;
    let at = this.#lo[row]! & mask;
    while (this.#index[at] !== 0) at = (at + 1) & mask;
    this.#index[at] = row + 1;
  }

  /** Closes the gap in the index: rows that were displaced past it move back. */
  #unlink(row: number): void {
    const mask = this.#index.length - 1;
    let gap = this.#lo[row]! & mask;
    while (this.#index[gap] !== row + 1) gap = (gap + 1) & mask;
    for (let at = (gap + 1) & mask; this.#index[at] !== 0; at = (at + 1) & mask) {
      const home = this.#lo[this.#index[at]! - 1]! & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      this.#index[gap] = this.#index[at]!;
      gap = at;
    }
    this.#index[gap] = 0;
  }

  /**
   * Makes the index smaller if nearly all of it is empty. A bound on empty slots would end a step by the size of the
   * index, which is layout: another owner would decide otherwise.
   */
  #shrink(): void {
    let length = this.#index.length;
    while (length > indexLeast && length > sparsest * this.size) length /= 2;
    if (length < this.#index.length) this.#linkAll(length);
  }

  #grow(): void {
    this.#linkAll(2 * this.#index.length);
  }

  #linkAll(length: number): void {
    this.#index = new Uint32Array(length);
    for (let row = 0; row < this.#end; row++) if (this.inUse(row)) this.#link(row);
  }
}

/** Rows that are written together: few, for visits touch them at random. */
export const blockRows = 8;
