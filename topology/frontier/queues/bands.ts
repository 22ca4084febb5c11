/**
 * The bands of all hosts: which entries are queued, by numbers, and where they are.
 *
 * An entry's place in its band is a sequence number. A band is a stretch of them, and its memory a part of that stretch:
 *
 *   row ≤ head                            the row on disk that holds the head begins at `row`
 *   [head, from)                          on disk only
 *   [from, saved)                         on disk, and in memory until memory is short
 *   [saved, tail)                         in memory only: not in the view yet
 *
 * What a grant needs to know are counts: it takes what is in memory, and notes what must be read (`reads`), which
 * happens before the next step. Nothing decided depends on where an entry is. A band that is empty begins anew at the
 * partition's count of all entries ever queued, so that no row's name is ever used twice.
 *
 * Numbers of bands are this process's own: found by walking a host's few bands in order. 33 bytes a band that is not
 * empty. Source of one disk queue per host: Heydon & Najork, "Mercator" (1999), §3.3.
 */
import type { Entry } from '../changes/entry.ts';
import { fitted } from '../storage/columns.ts';
import { BandList } from './band-list.ts';
import { EntryArena } from './entry-arena.ts';
import { countOf, readArena, readRow, rowKey } from './queue-row.ts';

/** An entry that was taken and must be read: whoever waits for it is told. */
export interface Wanted {
  readonly seq: number;
  readonly give: (entry: Entry) => void;
}

/** Rows of a band that began anew before they were read off. */
interface Leftover {
  readonly host: number;
  readonly number: number;
  row: number;
  readonly end: number;
  readonly wanted: Wanted[];
}

/** A band as the view keeps it. */
export interface SavedBand {
  readonly number: number;
  readonly row: number;
  readonly head: number;
  readonly tail: number;
  readonly gone: readonly number[];
}

export class Bands {
  readonly list = new BandList();
  readonly arena = new EntryArena();
  /** Entries ever queued in this partition. */
  queuedEver = 0;
  /** Bands with rows to be read, and who waits for which entry. */
  readonly reads = new Map<number, Wanted[]>();
  readonly leftovers: Leftover[] = [];
  /** Rows that are used up, by host. */
  goneRows = new Map<number, Buffer[]>();
  readonly #pagesMax: number;
  /** So many pages, and the oldest is not in the view: no use to look again before one more, or before a save. */
  #stuckAt = 0;
  readonly #keyOf: (host: number) => string;
  /** By band; 0 is never used. */
  #head = new Uint32Array(0);
  #tail = new Uint32Array(0);
  #from = new Uint32Array(0);
  #saved = new Uint32Array(0);
  #row = new Uint32Array(0);
  /** Pointers into the arena: the last entry in memory, and the first that is not saved. 0: none. */
  #last = new Uint32Array(0);
  #fresh = new Uint32Array(0);
  /** Sequence numbers inside a band's stretch that have left it, ascending. */
  readonly #gone = new Map<number, number[]>();

  /** Memory grows beyond `memoryBytes` only by what is not in the view yet. */
  constructor(memoryBytes: number, keyOf: (host: number) => string) {
    this.#pagesMax = Math.max(2, Math.ceil(memoryBytes / 2 ** 20));
    this.#keyOf = keyOf;
  }

  count(band: number): number {
    return this.#tail[band]! - this.#head[band]! - (this.#gone.get(band)?.length ?? 0);
  }

  head(band: number): number {
    return this.#head[band]!;
  }

  /** Adds an entry at a band's end; returns its number among all ever queued. */
  push(host: number, hostKey: string, entry: Entry): number {
    const number = entry.band;
    const band = this.list.find(host, number) || this.#add(host, number);
    if (this.#head[band] === this.#tail[band]) this.#beginAt(band, this.queuedEver);
    // It may take all that this band has in memory: where the band ends is looked up after.
    this.#makeRoom();
    const pointer = this.arena.add(this.#last[band]!, band, hostKey, entry);
    this.#last[band] = pointer;
    if (this.#fresh[band] === 0) this.#fresh[band] = pointer;
    this.#tail[band] = this.#tail[band]! + 1;
    this.queuedEver += 1;
    if (this.queuedEver >= 0xffff_ffff) throw new Error('a partition has queued 2^32 entries: dump and load it');
    return this.queuedEver;
  }

  /** Takes the first `count` entries. `give` is called for each that is in memory, and later for what must be read. */
  take(band: number, count: number, give: (index: number, entry: Entry) => void): void {
    const hostKey = this.#keyOf(this.list.hostOf(band));
    const number = this.list.numberOf(band);
    for (let index = 0; index < count; index++) {
      const seq = this.#head[band]!;
      if (seq >= this.#from[band]!) {
        const first = this.arena.next(this.#last[band]!);
        give(index, readArena(this.arena, first, hostKey, number));
      } else this.#want(band, { seq, give: (entry) => give(index, entry) });
      this.#advance(band);
    }
    this.#release(band);
  }

  /** Moves a band's head past its first entry, whatever it is. */
  skip(band: number): void {
    if (this.#head[band]! < this.#from[band]!) this.#want(band);
    this.#advance(band);
    this.#release(band);
  }

  /** Takes an entry out of the middle. */
  remove(band: number, seq: number): void {
    const gone = this.#gone.get(band) ?? [];
    const at = gone.findIndex((other) => other > seq);
    gone.splice(at < 0 ? gone.length : at, 0, seq);
    this.#gone.set(band, gone);
    this.#passGone(band);
    this.#release(band);
  }

  goneOf(band: number): readonly number[] {
    return this.#gone.get(band) ?? none;
  }

  /** For the view; everything of the band is in rows. */
  saved(band: number): SavedBand {
    return {
      number: this.list.numberOf(band),
      row: this.#row[band]!,
      head: this.#head[band]!,
      tail: this.#tail[band]!,
      gone: this.goneOf(band),
    };
  }

  /** A band of the view: all of it on disk. */
  load(host: number, { number, row, head, tail, gone }: SavedBand): void {
    const band = this.#add(host, number);
    this.#row[band] = row;
    this.#head[band] = head;
    this.#tail[band] = tail;
    this.#from[band] = tail;
    this.#saved[band] = tail;
    if (gone.length > 0) this.#gone.set(band, [...gone]);
  }

  /** The first entry that is in no row: its pointer (0: there is none) and its sequence number. */
  unsaved(band: number): { readonly pointer: number; readonly seq: number } {
    return { pointer: this.#fresh[band]!, seq: Math.max(this.#saved[band]!, this.#head[band]!) };
  }

  unsavedCount(band: number): number {
    return this.#tail[band]! - this.unsaved(band).seq;
  }

  /** A row with the first `count` unsaved entries, `last` the last of them, is about to be written. */
  savedRow(band: number, last: number, count: number): void {
    const { pointer, seq } = this.unsaved(band);
    // Only at the very beginning of the band, or where memory had outrun the disk, is no row before this one.
    if (this.#row[band] === this.#saved[band]) this.#row[band] = seq;
    this.arena.markRow(pointer);
    this.#stuckAt = 0;
    this.#saved[band] = seq + count;
    this.#fresh[band] = last === this.#last[band] ? 0 : this.arena.next(last);
  }

  /** The row to be read next of a band with `reads`. */
  rowToRead(band: number): Buffer {
    return rowKey(this.list.hostOf(band), this.list.numberOf(band), this.#row[band]!);
  }

  /** Takes that row. Throws INVALID_RECORD where it is missing. */
  takeRow(band: number, value: Buffer | null | undefined): void {
    const row = this.#row[band]!;
    const end = row + countOf(value);
    this.#give(this.list.hostOf(band), this.list.numberOf(band), row, end, value!, this.reads.get(band)!);
    if (end <= this.#head[band]!) {
      this.#dropRow(this.list.hostOf(band), this.list.numberOf(band), row);
      this.#row[band] = end;
      if (end < Math.min(this.#saved[band]!, this.#head[band]!)) return;
    }
    this.reads.delete(band);
    this.#release(band);
  }

  /** The row to be read next of what bands left that began anew. */
  leftoverToRead(): Buffer {
    const { host, number, row } = this.leftovers[0]!;
    return rowKey(host, number, row);
  }

  takeLeftover(value: Buffer | null | undefined): void {
    const one = this.leftovers[0]!;
    const { host, number, row, wanted } = one;
    one.row += countOf(value);
    this.#give(host, number, row, one.row, value!, wanted);
    this.#dropRow(host, number, row);
    if (one.row >= one.end) this.leftovers.shift();
  }

  /** Gives the entries of a row to those who wait for them, who are in order. */
  #give(host: number, number: number, row: number, end: number, value: Buffer, wanted: Wanted[]): void {
    const last = wanted.at(-1)?.seq ?? -1;
    if (wanted.length === 0 || wanted[0]!.seq >= end) return;
    let next = 0;
    readRow(value, this.#keyOf(host), number, Math.min(end, last + 1) - row, (index, entry) => {
      if (wanted[next]?.seq === row + index) wanted[next++]!.give(entry());
    });
    wanted.splice(0, next);
  }

  /** What a reader of the whole band needs: where rows begin and end, and where memory begins. */
  extent(band: number): { readonly row: number; readonly from: number; readonly tail: number; readonly first: number } {
    const last = this.#last[band]!;
    const [row, from] = [this.#row[band]!, this.#from[band]!];
    return {
      row: row === this.#saved[band] ? from : row,
      from,
      tail: this.#tail[band]!,
      first: last === 0 ? 0 : this.arena.next(last),
    };
  }

  #want(band: number, wanted?: Wanted): void {
    const list = this.reads.get(band);
    if (list === undefined) this.reads.set(band, wanted === undefined ? [] : [wanted]);
    else if (wanted !== undefined) list.push(wanted);
  }

  /** The head leaves its entry, and those behind it that are gone. */
  #advance(band: number): void {
    this.#step(band);
    this.#passGone(band);
  }

  #passGone(band: number): void {
    const gone = this.#gone.get(band);
    if (gone === undefined) return;
    while (gone[0] === this.#head[band]) {
      gone.shift();
      if (this.#head[band]! < this.#from[band]!) this.#want(band);
      this.#step(band);
    }
    if (gone.length === 0) this.#gone.delete(band);
  }

  #step(band: number): void {
    const seq = this.#head[band]!;
    const head = seq + 1;
    this.#head[band] = head;
    if (seq >= this.#from[band]!) {
      const first = this.arena.next(this.#last[band]!);
      const last = this.arena.dropFirst(this.#last[band]!);
      if (this.#fresh[band] === first) this.#fresh[band] = last === 0 ? 0 : this.arena.next(last);
      this.#last[band] = last;
      this.#from[band] = head;
    }
    const row = this.#row[band]!;
    const saved = this.#saved[band]!;
    // Rows that are being read off are dropped as they are read.
    if (row === saved || this.reads.has(band)) return;
    if (head < saved && (head < this.#from[band]! || !this.#rowStartsAtHead(band))) return;
    this.#dropRow(this.list.hostOf(band), this.list.numberOf(band), row);
    this.#row[band] = head;
  }

  #rowStartsAtHead(band: number): boolean {
    return this.arena.startsRow(this.arena.next(this.#last[band]!));
  }

  #dropRow(host: number, number: number, row: number): void {
    const rows = this.goneRows.get(host);
    const key = rowKey(host, number, row);
    if (rows === undefined) this.goneRows.set(host, [key]);
    else rows.push(key);
  }

  #beginAt(band: number, seq: number): void {
    const [row, end] = [this.#row[band]!, this.#saved[band]!];
    const wanted = this.reads.get(band) ?? [];
    if (row < end)
      this.leftovers.push({ host: this.list.hostOf(band), number: this.list.numberOf(band), row, end, wanted });
    this.reads.delete(band);
    this.#head[band] = seq;
    this.#tail[band] = seq;
    this.#from[band] = seq;
    this.#saved[band] = seq;
    this.#row[band] = seq;
  }

  /** Gives memory back by taking the oldest entries out of it that are on disk. */
  #makeRoom(): void {
    const { arena } = this;
    if (arena.pages <= this.#pagesMax || arena.pages === this.#stuckAt) return;
    if (!this.#oldestIsSaved()) {
      this.#stuckAt = arena.pages;
      return;
    }
    for (const [pointer, band] of arena.oldest()) {
      if (!this.#isFirst(band, pointer)) continue;
      this.#last[band] = arena.dropFirst(this.#last[band]!);
      this.#from[band] = this.#from[band]! + 1;
    }
    arena.dropOldest();
  }

  #oldestIsSaved(): boolean {
    // The first of a band that is not saved is in the oldest page, or none of that page is.
    for (const [pointer, band] of this.arena.oldest()) if (this.#fresh[band] === pointer) return false;
    return true;
  }

  #isFirst(band: number, pointer: number): boolean {
    const last = this.#last[band]!;
    return last !== 0 && this.arena.next(last) === pointer;
  }

  #add(host: number, number: number): number {
    const band = this.list.add(host, number);
    this.#head = fitted(this.#head, band);
    this.#tail = fitted(this.#tail, band);
    this.#from = fitted(this.#from, band);
    this.#saved = fitted(this.#saved, band);
    this.#row = fitted(this.#row, band);
    this.#last = fitted(this.#last, band);
    this.#fresh = fitted(this.#fresh, band);
    for (const column of [this.#head, this.#tail, this.#from, this.#saved, this.#row, this.#last, this.#fresh])
      column[band] = 0;
    return band;
  }

  /** Forgets a band that is empty and has no rows. */
  #release(band: number): void {
    if (this.#head[band] !== this.#tail[band] || this.#row[band] !== this.#saved[band] || this.reads.has(band)) return;
    this.list.remove(band);
  }
}

const none: readonly number[] = [];
