/**
 * The front queues of all hosts: the number of queued entries, and where they are stored.
 *
 * An entry's place in its front queue is a sequence number. A front queue is a range of them, and a part of the range
 * is in memory:
 *
 *   row ≤ head                            the row on disk that holds the head begins at `row`
 *   [head, from)                          on disk only
 *   [from, saved)                         on disk, and in memory until memory is short
 *   [saved, tail)                         in memory only: not in the checkpoint yet
 *
 * A grant needs only counts: it takes the entries in memory, and notes those to read (`reads`), which happens before
 * the next step. No decision depends on where an entry is. A front queue that becomes empty starts over at the
 * partition's count of all entries ever queued, so that no key of a row is ever used twice.
 *
 * Ids of front queues are local to this process, and found by walking a host's few front queues in order. 33 bytes a
 * front queue that is not empty. Source of one disk queue per host: Heydon & Najork, "Mercator" (1999), §3.3.
 */
import type { Entry } from '../changes/entry.ts';
import { fitted } from '../storage/columns.ts';
import { EntryArena } from './entry-arena.ts';
import { FrontQueueList } from './front-queue-list.ts';
import { GonePlaces } from './gone-places.ts';
import { countOf, readArena, readRow, rowKey } from './queue-row.ts';

/** A taken entry that must still be read; `give` passes it to its receiver later. */
export interface Wanted {
  readonly seq: number;
  readonly give: (entry: Entry) => void;
}

type OnPush = (
  host: number,
  hostKey: string,
  entry: Entry,
  place: { readonly number: number; readonly seq: number; readonly pointer: number },
) => void;

/** Rows of front queues that started over before these rows were read. */
interface Leftover {
  readonly host: number;
  readonly number: number;
  row: number;
  readonly end: number;
  readonly wanted: Wanted[];
}

/** A front queue as the checkpoint keeps it. */
export interface SavedFrontQueue {
  readonly number: number;
  readonly row: number;
  readonly head: number;
  readonly tail: number;
  readonly gone: readonly number[];
}

export class FrontQueues {
  readonly list = new FrontQueueList();
  readonly arena = new EntryArena();
  /** Entries ever queued in this partition. */
  queuedEver = 0;
  /** Front queues with rows to read, and the entries that are wanted of each. */
  readonly reads = new Map<number, Wanted[]>();
  readonly leftovers: Leftover[] = [];
  /** Keys of rows without remaining entries, by host. */
  goneRows = new Map<number, Buffer[]>();
  /** Called for each entry pushed, with its place. */
  onPush: OnPush | undefined;
  readonly #pagesMax: number;
  /**
   * Number of pages when the oldest page was found not to be in the checkpoint. A new check is useless before there
   * is one more page, or a save.
   */
  #stuckAt = 0;
  readonly #keyOf: (host: number) => string;
  /** By front queue id; 0 is never used. */
  #head = new Uint32Array(0);
  #tail = new Uint32Array(0);
  #from = new Uint32Array(0);
  #saved = new Uint32Array(0);
  #row = new Uint32Array(0);
  /** Pointers into the arena: the last entry in memory, and the first one that is not saved. 0: none. */
  #last = new Uint32Array(0);
  #fresh = new Uint32Array(0);
  readonly #gone = new GonePlaces();

  /** Memory exceeds `memoryBytes` only by entries that are not in the checkpoint yet. */
  constructor(memoryBytes: number, keyOf: (host: number) => string) {
    this.#pagesMax = Math.max(2, Math.ceil(memoryBytes / 2 ** 20));
    this.#keyOf = keyOf;
  }

  count(frontQueue: number): number {
    return this.#tail[frontQueue]! - this.#head[frontQueue]! - this.goneCount(frontQueue);
  }

  head(frontQueue: number): number {
    return this.#head[frontQueue]!;
  }

  /** Adds an entry at the end of a front queue; returns its number among all ever queued. */
  push(host: number, hostKey: string, entry: Entry): number {
    const number = entry.frontQueue;
    const frontQueue = this.list.find(host, number) || this.#add(host, number);
    if (this.#head[frontQueue] === this.#tail[frontQueue]) this.#beginAt(frontQueue, this.queuedEver);
    // This may remove all entries of this front queue from memory, so its end is looked up afterwards.
    this.#makeRoom();
    const pointer = this.arena.add(this.#last[frontQueue]!, frontQueue, hostKey, entry);
    this.#last[frontQueue] = pointer;
    if (this.#fresh[frontQueue] === 0) this.#fresh[frontQueue] = pointer;
    const seq = this.#tail[frontQueue]!;
    this.#tail[frontQueue] = seq + 1;
    this.queuedEver += 1;
    this.onPush?.(host, hostKey, entry, { number, seq, pointer });
    if (this.queuedEver >= 0xffff_ffff)
      throw new Error(
        'a partition has queued 2^32 entries in its lifetime: move the crawl to a new folder with crawlstream dump and load',
      );
    return this.queuedEver;
  }

  /** Takes the first `count` entries. `give` is called for each that is in memory, and later for what must be read. */
  take(frontQueue: number, count: number, give: (index: number, entry: Entry) => void): void {
    const hostKey = this.#keyOf(this.list.hostOf(frontQueue));
    const number = this.list.numberOf(frontQueue);
    for (let index = 0; index < count; index++) {
      const seq = this.#head[frontQueue]!;
      if (seq >= this.#from[frontQueue]!) {
        const first = this.arena.next(this.#last[frontQueue]!);
        give(index, readArena(this.arena, first, hostKey, number));
      } else this.#want(frontQueue, { seq, give: (entry) => give(index, entry) });
      this.#advance(frontQueue);
    }
    this.#release(frontQueue);
  }

  /** Moves the head of a front queue past its first entry. */
  skip(frontQueue: number): void {
    if (this.#head[frontQueue]! < this.#from[frontQueue]!) this.#want(frontQueue);
    this.#advance(frontQueue);
    this.#release(frontQueue);
  }

  /** Takes an entry out of the middle. */
  remove(frontQueue: number, seq: number): void {
    this.#gone.add(frontQueue, seq);
    this.#passGone(frontQueue);
    this.#release(frontQueue);
  }

  /** Ascending. */
  goneOf(frontQueue: number): readonly number[] {
    return this.#gone.of(frontQueue);
  }

  goneCount(frontQueue: number): number {
    return this.#gone.count(frontQueue);
  }

  isGone(frontQueue: number, seq: number): boolean {
    return this.#gone.has(frontQueue, seq);
  }

  /** For the checkpoint; then all of the front queue is in rows. */
  saved(frontQueue: number): SavedFrontQueue {
    return {
      number: this.list.numberOf(frontQueue),
      row: this.#row[frontQueue]!,
      head: this.#head[frontQueue]!,
      tail: this.#tail[frontQueue]!,
      gone: this.goneOf(frontQueue),
    };
  }

  /** A front queue of the checkpoint: all of it on disk. */
  load(host: number, { number, row, head, tail, gone }: SavedFrontQueue): void {
    const frontQueue = this.#add(host, number);
    this.#row[frontQueue] = row;
    this.#head[frontQueue] = head;
    this.#tail[frontQueue] = tail;
    this.#from[frontQueue] = tail;
    this.#saved[frontQueue] = tail;
    for (const seq of gone) this.#gone.add(frontQueue, seq);
  }

  /** The first entry that is in no row: its pointer (0: none) and its sequence number. */
  unsaved(frontQueue: number): { readonly pointer: number; readonly seq: number } {
    return { pointer: this.#fresh[frontQueue]!, seq: Math.max(this.#saved[frontQueue]!, this.#head[frontQueue]!) };
  }

  unsavedCount(frontQueue: number): number {
    return this.#tail[frontQueue]! - this.unsaved(frontQueue).seq;
  }

  /** Call before a row with the first `count` unsaved entries is written; `last` is the last of them. */
  savedRow(frontQueue: number, last: number, count: number): void {
    const { pointer, seq } = this.unsaved(frontQueue);
    // No row precedes this one only at the very beginning of the front queue, or if memory had outrun the disk.
    if (this.#row[frontQueue] === this.#saved[frontQueue]) this.#row[frontQueue] = seq;
    this.arena.markRow(pointer);
    this.#stuckAt = 0;
    this.#saved[frontQueue] = seq + count;
    this.#fresh[frontQueue] = last === this.#last[frontQueue] ? 0 : this.arena.next(last);
  }

  /** The row to read next for a front queue with `reads`. */
  rowToRead(frontQueue: number): Buffer {
    return rowKey(this.list.hostOf(frontQueue), this.list.numberOf(frontQueue), this.#row[frontQueue]!);
  }

  /** Takes the row. Throws INVALID_RECORD if it is missing. */
  takeRow(frontQueue: number, value: Buffer | null | undefined): void {
    const row = this.#row[frontQueue]!;
    const end = row + countOf(value);
    this.#give(
      this.list.hostOf(frontQueue),
      this.list.numberOf(frontQueue),
      row,
      end,
      value!,
      this.reads.get(frontQueue)!,
    );
    if (end <= this.#head[frontQueue]!) {
      this.#dropRow(this.list.hostOf(frontQueue), this.list.numberOf(frontQueue), row);
      this.#row[frontQueue] = end;
      if (end < Math.min(this.#saved[frontQueue]!, this.#head[frontQueue]!)) return;
    }
    this.reads.delete(frontQueue);
    this.#release(frontQueue);
  }

  /** The row to read next among those of front queues that started over. */
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

  /** Passes the entries of a row to the waiting readers, which are in order. */
  #give(host: number, number: number, row: number, end: number, value: Buffer, wanted: Wanted[]): void {
    const last = wanted.at(-1)?.seq ?? -1;
    if (wanted.length === 0 || wanted[0]!.seq >= end) return;
    let next = 0;
    readRow(value, this.#keyOf(host), number, Math.min(end, last + 1) - row, (index, entry) => {
      if (wanted[next]?.seq === row + index) wanted[next++]!.give(entry());
    });
    wanted.splice(0, next);
  }

  /** The extent of a front queue, for readers of all of it: where rows begin and end, and where memory begins. */
  extent(frontQueue: number): {
    readonly row: number;
    readonly from: number;
    readonly tail: number;
    readonly first: number;
  } {
    const last = this.#last[frontQueue]!;
    const [row, from] = [this.#row[frontQueue]!, this.#from[frontQueue]!];
    return {
      row: row === this.#saved[frontQueue] ? from : row,
      from,
      tail: this.#tail[frontQueue]!,
      first: last === 0 ? 0 : this.arena.next(last),
    };
  }

  #want(frontQueue: number, wanted?: Wanted): void {
    const list = this.reads.get(frontQueue);
    if (list === undefined) this.reads.set(frontQueue, wanted === undefined ? [] : [wanted]);
    else if (wanted !== undefined) list.push(wanted);
  }

  /** Moves the head past its entry, and past later ones that are gone. */
  #advance(frontQueue: number): void {
    this.#step(frontQueue);
    this.#passGone(frontQueue);
  }

  #passGone(frontQueue: number): void {
    while (this.#gone.pass(frontQueue, this.#head[frontQueue]!)) {
      if (this.#head[frontQueue]! < this.#from[frontQueue]!) this.#want(frontQueue);
      this.#step(frontQueue);
    }
  }

  #step(frontQueue: number): void {
    const seq = this.#head[frontQueue]!;
    const head = seq + 1;
    this.#head[frontQueue] = head;
    if (seq >= this.#from[frontQueue]!) {
      const first = this.arena.next(this.#last[frontQueue]!);
      const last = this.arena.dropFirst(this.#last[frontQueue]!);
      if (this.#fresh[frontQueue] === first) this.#fresh[frontQueue] = last === 0 ? 0 : this.arena.next(last);
      this.#last[frontQueue] = last;
      this.#from[frontQueue] = head;
    }
    const row = this.#row[frontQueue]!;
    const saved = this.#saved[frontQueue]!;
    // Rows that are being read off are dropped as they are read.
    if (row === saved || this.reads.has(frontQueue)) return;
    if (head < saved && (head < this.#from[frontQueue]! || !this.#rowStartsAtHead(frontQueue))) return;
    this.#dropRow(this.list.hostOf(frontQueue), this.list.numberOf(frontQueue), row);
    this.#row[frontQueue] = head;
  }

  #rowStartsAtHead(frontQueue: number): boolean {
    return this.arena.startsRow(this.arena.next(this.#last[frontQueue]!));
  }

  #dropRow(host: number, number: number, row: number): void {
    const rows = this.goneRows.get(host);
    const key = rowKey(host, number, row);
    if (rows === undefined) this.goneRows.set(host, [key]);
    else rows.push(key);
  }

  #beginAt(frontQueue: number, seq: number): void {
    const [row, end] = [this.#row[frontQueue]!, this.#saved[frontQueue]!];
    const wanted = this.reads.get(frontQueue) ?? [];
    if (row < end)
      this.leftovers.push({
        host: this.list.hostOf(frontQueue),
        number: this.list.numberOf(frontQueue),
        row,
        end,
        wanted,
      });
    this.reads.delete(frontQueue);
    this.#head[frontQueue] = seq;
    this.#tail[frontQueue] = seq;
    this.#from[frontQueue] = seq;
    this.#saved[frontQueue] = seq;
    this.#row[frontQueue] = seq;
  }

  /** Gives memory back by taking the oldest entries out of it that are on disk. */
  #makeRoom(): void {
    const { arena } = this;
    if (arena.pages <= this.#pagesMax || arena.pages === this.#stuckAt) return;
    if (!this.#oldestIsSaved()) {
      this.#stuckAt = arena.pages;
      return;
    }
    for (const [pointer, frontQueue] of arena.oldest()) {
      if (!this.#isFirst(frontQueue, pointer)) continue;
      this.#last[frontQueue] = arena.dropFirst(this.#last[frontQueue]!);
      this.#from[frontQueue] = this.#from[frontQueue]! + 1;
    }
    arena.dropOldest();
  }

  #oldestIsSaved(): boolean {
    // Either the front queue's first unsaved entry is in the oldest page, or no unsaved entry of it is.
    for (const [pointer, frontQueue] of this.arena.oldest()) if (this.#fresh[frontQueue] === pointer) return false;
    return true;
  }

  #isFirst(frontQueue: number, pointer: number): boolean {
    const last = this.#last[frontQueue]!;
    return last !== 0 && this.arena.next(last) === pointer;
  }

  #add(host: number, number: number): number {
    const frontQueue = this.list.add(host, number);
    this.#head = fitted(this.#head, frontQueue);
    this.#tail = fitted(this.#tail, frontQueue);
    this.#from = fitted(this.#from, frontQueue);
    this.#saved = fitted(this.#saved, frontQueue);
    this.#row = fitted(this.#row, frontQueue);
    this.#last = fitted(this.#last, frontQueue);
    this.#fresh = fitted(this.#fresh, frontQueue);
    for (const column of [this.#head, this.#tail, this.#from, this.#saved, this.#row, this.#last, this.#fresh])
      column[frontQueue] = 0;
    return frontQueue;
  }

  /** Forgets a front queue that is empty and has no rows. */
  #release(frontQueue: number): void {
    if (
      this.#head[frontQueue] !== this.#tail[frontQueue] ||
      this.#row[frontQueue] !== this.#saved[frontQueue] ||
      this.reads.has(frontQueue)
    )
      return;
    this.list.remove(frontQueue);
  }
}
