/** A state store as a map, with jobs that run at once: an owner's work on rows, without an owner. */

import { loaded, loadRanges, loadRow, metaKey } from '../../topology/frontier/checkpoint/checkpoint.ts';
import type { FrontierState } from '../../topology/frontier/state/state.ts';
import type { Row, StoreJob, StoreReply, StoreRequest } from '../../topology/frontier/storage/store-job.ts';

export class RowsInMemory {
  readonly #rows = new Map<string, Buffer>();
  /** Rows that were read by name so far. */
  readCount = 0;

  /** In the order of their keys, which are hexadecimal. */
  entries(): readonly (readonly [key: string, value: Buffer])[] {
    return [...this.#rows].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  get bytes(): number {
    let bytes = 0;
    for (const [key, value] of this.#rows) bytes += key.length / 2 + value.length;
    return bytes;
  }

  /** Rows of one kind. */
  count(kind: string): number {
    return [...this.#rows.keys()].filter((key) => key.startsWith(Buffer.from(kind).toString('hex'))).length;
  }

  write(rows: readonly Row[]): void {
    for (const { key, value } of rows) {
      if (value === null) this.#rows.delete(key.toString('hex'));
      else this.#rows.set(key.toString('hex'), Buffer.from(value));
    }
  }

  run<Result>(job: StoreJob<Result>): Result {
    let next = job.next([]);
    while (!next.done) next = job.next(this.#answer(next.value));
    return next.value;
  }

  /** Runs only the next request of a job, and returns its result; undefined: there was none. */
  runOne(job: StoreJob, reply: StoreReply): StoreReply | undefined {
    const next = job.next(reply);
    return next.done ? undefined : this.#answer(next.value);
  }

  load(state: FrontierState): void {
    const meta = this.#rows.get(metaKey.toString('hex'));
    if (meta === undefined) {
      this.#rows.clear();
      return;
    }
    loadRow(state, metaKey, meta);
    for (const { gte, lt } of loadRanges) {
      const [from, to] = [gte.toString('hex'), lt.toString('hex')];
      const keys = [...this.#rows.keys()].filter((key) => key >= from && key < to).sort();
      for (const key of keys) loadRow(state, Buffer.from(key, 'hex'), this.#rows.get(key)!);
    }
    loaded(state);
  }

  #answer({ read = [], write = [], scan }: StoreRequest): StoreReply {
    this.write(write);
    this.readCount += read.length;
    if (scan === undefined) return read.map((key) => this.#rows.get(Buffer.from(key).toString('hex')));
    const [from, to] = [scan.gte.toString('hex'), scan.lt.toString('hex')];
    const keys = [...this.#rows.keys()].filter((key) => key >= from && key < to).sort();
    return keys.slice(0, scan.limit).flatMap((key) => [Buffer.from(key, 'hex'), this.#rows.get(key)]);
  }
}
