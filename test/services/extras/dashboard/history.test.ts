import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshnessOfAll } from '../../../../services/extras/dashboard/freshness-of-all.ts';
import { type Sample, summed } from '../../../../services/extras/dashboard/history.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

const sample = (atMs: number, page: number): Sample => ({ atMs, counters: { ...zeroCounters(), page } });

test('partitions are summed at evenly spaced moments, and interpolated between their commits', () => {
  const one = [sample(0, 0), sample(1_000, 100)];
  const other = [sample(0, 10), sample(500, 20), sample(1_000, 20)];
  const { atMs, columns } = summed([one, [], other], 5);
  assert.deepEqual(atMs, [0, 250, 500, 750, 1_000]);
  assert.deepEqual(columns.page, [10, 40, 70, 95, 120]);
});

test('before its first commit and after its last a partition is constant', () => {
  const { columns } = summed(
    [
      [sample(400, 5_000), sample(600, 5_000)],
      [sample(0, 1), sample(1_000, 1)],
    ],
    3,
  );
  assert.deepEqual(columns.page, [5_001, 5_001, 5_001]);
});

test('a crawl without commits has no history, and one with a single commit has one point', () => {
  assert.deepEqual(summed([[], []], 10).atMs, []);
  const { atMs, columns } = summed([[sample(7, 3)]], 10);
  assert.deepEqual([atMs, columns.page], [[7], [3]]);
});

test('freshness is weighted by pages, takes the largest age, and is unknown if no partition knows it', () => {
  const of = (pages: number, fresh: number | null, ageP50S: number) => ({
    freshness: { pages, fresh, ageP50S, ageP95S: null, withinGoal: 1, sitemapTrust: null },
  });
  const all = freshnessOfAll([of(100, 0.5, 30), of(300, 0.9, 10), of(1_000, null, 20), { freshness: null }])!;
  assert.deepEqual([all.pages, all.fresh, all.ageP50S, all.ageP95S], [1_400, 0.8, 30, null]);
  assert.equal(all.withinGoal, 1);
  assert.equal(freshnessOfAll([{ freshness: null }]), null);
});
