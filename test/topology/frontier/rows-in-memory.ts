/** A state store as a map, whose jobs run at once: what an owner does with rows, without an owner. */
import type { StoreJob } from '../../../topology/frontier/seen/store-job.ts';
import type { FrontierState } from '../../../topology/frontier/state.ts';
import { loaded, loadRanges, loadRow, metaKey, type Row } from '../../../topology/frontier/view.ts';

export class RowsInMemory {
  readonly #rows = new Map<string, Buffer>();

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
    while (!next.done) next = job.next(this.#answer(next.value.read ?? [], next.value.write ?? []));
    return next.value;
  }

  /** The next request of a job, and no more; false: there was none. */
  runOne(job: StoreJob): boolean {
    const next = job.next([]);
    if (!next.done) this.#answer(next.value.read ?? [], next.value.write ?? []);
    return !next.done;
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

  #answer(read: readonly Uint8Array[], write: readonly Row[]): (Buffer | undefined)[] {
    this.write(write);
    return read.map((key) => this.#rows.get(Buffer.from(key).toString('hex')));
  }
}
