/** A seen test over rows in memory: saves, jobs and restarts, as an owner makes them, with crashes where a test wants them. */
import type { SeenConfig } from '../../../../topology/frontier/seen/seen-config.ts';
import { SeenLoader, saveSeen } from '../../../../topology/frontier/seen/seen-rows.ts';
import { SeenTest } from '../../../../topology/frontier/seen/seen-test.ts';
import type { Row, StoreJob } from '../../../../topology/frontier/storage/store-job.ts';

export class RowsStore {
  readonly rows = new Map<string, Buffer>();
  /** Requests a job made, of all. */
  requests = 0;

  open(config: SeenConfig): SeenTest {
    const seen = new SeenTest(config);
    const loader = new SeenLoader(seen);
    const keys = [...this.rows.keys()].sort();
    for (const key of keys) loader.take(Buffer.from(key, 'hex'), this.rows.get(key)!);
    loader.end();
    return seen;
  }

  save(seen: SeenTest): void {
    this.write(saveSeen(seen));
  }

  write(rows: readonly Row[]): void {
    for (const { key, value } of rows) {
      if (value === null) this.rows.delete(key.toString('hex'));
      else this.rows.set(key.toString('hex'), Buffer.from(value));
    }
  }

  /** Runs a job; with `requests`, abandons it after so many. */
  run(job: StoreJob, requests = Number.POSITIVE_INFINITY): void {
    let next = job.next([]);
    for (let made = 0; !next.done && made < requests; made++) {
      this.requests += 1;
      const { read, write } = next.value;
      if (write !== undefined) this.write(write);
      const values = (read ?? []).map((key) => this.rows.get(Buffer.from(key).toString('hex')));
      next = job.next(values);
    }
  }

  /** Runs every job that is due. */
  work(seen: SeenTest): void {
    for (let job = seen.work(true); job !== null; job = seen.work(true)) this.run(job);
  }

  get bytes(): number {
    let bytes = 0;
    for (const value of this.rows.values()) bytes += value.length;
    return bytes;
  }
}
