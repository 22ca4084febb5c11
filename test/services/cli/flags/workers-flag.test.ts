import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workersWanted } from '../../../../services/cli/flags/workers-flag.ts';

const all = { concurrency: 1_000 };

test('without --workers the cores less one fetch, and no more than one frontier can feed', () => {
  const byCores = [1, 2, 3, 8, 9, 64].map((cores) => [cores, workersWanted(all, cores)]);
  assert.deepEqual(byCores, [
    [1, 1],
    [2, 1],
    [3, 2],
    [8, 7],
    [9, 7],
    [64, 7],
  ]);
});

test('who asks for more workers than help gets them', () => {
  assert.equal(workersWanted({ ...all, workers: 63 }, 64), 63);
});

test('no worker is without a host to fetch from', () => {
  assert.equal(workersWanted({ concurrency: 3 }, 64), 3);
  assert.equal(workersWanted({ concurrency: 3, workers: 3 }, 64), 3);
  assert.throws(() => workersWanted({ concurrency: 3, workers: 4 }, 64), /--concurrency 3 allows requests to 3 hosts/);
});
