import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workersWanted } from '../../../../services/hosting/options/workers.ts';

const all = { concurrency: 1_000 };

test('without --workers all cores but one fetch, up to what one frontier can feed', () => {
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

test('more workers than useful are started if the user asks for them', () => {
  assert.equal(workersWanted({ ...all, workers: 63 }, 64), 63);
});

test('no worker is without a host to fetch from', () => {
  assert.equal(workersWanted({ concurrency: 3 }, 64), 3);
  assert.equal(workersWanted({ concurrency: 3, workers: 3 }, 64), 3);
  assert.throws(() => workersWanted({ concurrency: 3, workers: 4 }, 64), /--concurrency 3 allows requests to 3 hosts/);
});
