import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crawlOn } from '../../../../lab/bench/fetcher/cores-model.ts';

/** A plain queue: each page takes a worker, then the one process; cores are handed out in slices of a quarter millisecond. */
function played(cores: number, workers: number, own: number, worker: number): number {
  const slice = 0.25;
  const pages = 4_000;
  const left = Array.from({ length: workers }, () => 0);
  let [begun, waiting, done, ownLeft, ticks, next] = [0, 0, 0, 0, 0, 0];
  while (done < pages) {
    ticks += 1;
    let free = cores;
    if (ownLeft === 0 && waiting > 0) {
      waiting -= 1;
      ownLeft = own;
    }
    if (ownLeft > 0) {
      free -= 1;
      ownLeft -= slice;
      if (ownLeft <= 0) {
        done += 1;
        ownLeft = 0;
      }
    }
    for (let n = 0; n < workers && free > 0; n++) {
      const at = (next + n) % workers;
      // A worker that is far ahead waits for the process.
      if (left[at] === 0 && begun < pages && waiting < 4 * workers) {
        begun += 1;
        left[at] = worker;
      }
      if (left[at]! > 0) {
        free -= 1;
        left[at] = Math.max(0, left[at]! - slice);
        if (left[at] === 0) waiting += 1;
      }
    }
    next = (next + 1) % workers;
  }
  return (1_000 * pages) / (ticks * slice);
}

describe('a crawl on n cores', () => {
  it('a crawl on n cores is bound by its workers, then by the process with the log, and by cores with as many workers', () => {
    const costs = { ownMillis: 0.25, workerMillis: 0.75 };
    assert.deepEqual(crawlOn(2, 1, costs), { pagesPerSecond: 1_000 / 0.75, bound: 'workers' });
    assert.deepEqual(crawlOn(4, 3, costs), { pagesPerSecond: 4_000, bound: 'frontier and log' });
    assert.deepEqual(crawlOn(64, 63, costs), { pagesPerSecond: 4_000, bound: 'frontier and log' });
    assert.deepEqual(crawlOn(2, 2, costs), { pagesPerSecond: 2_000, bound: 'cores' });
  });

  it('a crawl on n cores is predicted within a twentieth of a simulation of the same work', () => {
    for (const [ownMillis, workerMillis] of [
      [0.25, 0.75],
      [0.25, 2],
      [0.5, 0.5],
    ] as const)
      for (const [cores, workers] of [
        [2, 1],
        [2, 2],
        [4, 3],
        [16, 15],
      ] as const) {
        const { pagesPerSecond } = crawlOn(cores, workers, { ownMillis, workerMillis });
        const ratio = played(cores, workers, ownMillis, workerMillis) / pagesPerSecond;
        assert.ok(
          ratio > 0.95 && ratio < 1.05,
          `${cores} cores, ${workers} workers, ${ownMillis}+${workerMillis}: ${ratio}`,
        );
      }
  });

  it('a crawl on n cores is not predicted from impossible costs', () => {
    assert.throws(() => crawlOn(2, 1, { ownMillis: 0, workerMillis: 1 }), /ownMillis is 0: it must be above 0/);
    assert.throws(() => crawlOn(2, 1, { ownMillis: Number.NaN, workerMillis: 1 }), /ownMillis is NaN/);
  });
});
