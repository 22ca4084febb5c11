/**
 * The fingerprints admitted since the last run was written, in order; a restart fills the table from them.
 *
 * They are stored as lists of blocks; the newest list grows. A save rewrites its last block until the block is full,
 * so rows are few and large whatever the rate. When the table is about to become a run, the next list begins, and the
 * older lists are deleted once the run exists.
 */
import type { Row } from '../storage/store-job.ts';
import { blockBytes, blockFingerprints, blockKey } from './runs.ts';

const blockWords = 2 * blockFingerprints;
const tailWordsAtFirst = 64;

export interface FingerprintList {
  readonly id: number;
  /** Fingerprints. */
  readonly count: number;
}

export class FingerprintLog {
  /** Lists that are complete, oldest first. */
  #ended: readonly FingerprintList[] = [];
  #id: number;
  /** Complete blocks of the list that grows. */
  #blocks = 0;
  /** Its last block, which grows to `blockFingerprints`, and how many words of it are filled. */
  #tail = new Uint32Array(tailWordsAtFirst);
  #filled = 0;
  #tailChanged = false;
  /** Complete blocks that are not yet saved. */
  #unsaved: Row[] = [];

  constructor(id: number) {
    this.#id = id;
  }

  /** Oldest first; the last one grows. */
  get lists(): readonly FingerprintList[] {
    return [...this.#ended, { id: this.#id, count: this.#blocks * blockFingerprints + this.#filled / 2 }];
  }

  append(hi: number, lo: number): void {
    if (this.#filled === this.#tail.length) this.#tail = grown(this.#tail, 2 * this.#tail.length);
    this.#tail[this.#filled] = hi;
    this.#tail[this.#filled + 1] = lo;
    this.#filled += 2;
    this.#tailChanged = true;
    if (this.#filled < blockWords) return;
    this.#unsaved.push(this.#tailRow(this.#tail));
    this.#blocks += 1;
    this.#newTail();
  }

  /** Begins another list; returns those before it. */
  cut(id: number): readonly FingerprintList[] {
    this.#ended = this.lists;
    if (this.#tailChanged) this.#unsaved.push(this.#tailRow(this.#tail.slice(0, this.#filled)));
    this.#id = id;
    this.#blocks = 0;
    this.#newTail();
    return this.#ended;
  }

  drop(lists: readonly FingerprintList[]): void {
    this.#ended = this.#ended.filter(({ id }) => !lists.some((list) => list.id === id));
  }

  /** Rows to write since the last call. */
  save(): Row[] {
    const rows = this.#unsaved;
    this.#unsaved = [];
    if (this.#tailChanged) rows.push(this.#tailRow(this.#tail.slice(0, this.#filled)));
    this.#tailChanged = false;
    return rows;
  }

  /** Continues after a restart with the stored lists; `tail`: content of the last block, if it is not full. */
  resume(lists: readonly FingerprintList[], tail: Uint32Array): void {
    const last = lists.at(-1)!;
    this.#ended = lists.slice(0, -1);
    this.#id = last.id;
    this.#blocks = Math.floor(last.count / blockFingerprints);
    this.#tail = grown(tail, blockWords);
    this.#filled = tail.length;
  }

  #newTail(): void {
    this.#tail = new Uint32Array(blockWords);
    this.#filled = 0;
    this.#tailChanged = false;
  }

  #tailRow(words: Uint32Array): Row {
    return { key: blockKey(this.#id, this.#blocks), value: blockBytes(words) };
  }
}

function grown(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(Math.min(length, blockWords));
  longer.set(words);
  return longer;
}
