import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyStats } from '../../../services/fetcher/fetcher-stats.ts';
import { secondsBounds, waitBounds } from '../../../services/runtime/metrics/distribution.ts';

test('an idle fetcher reports no samples', () => {
  const { requestSeconds, hostIntervalSeconds, outcomes, hooks, ...counts } = emptyStats();
  assert.deepEqual([...new Set(Object.values(counts))], [0]);
  assert.deepEqual([outcomes, hooks], [{}, []]);
  assert.deepEqual([requestSeconds.bounds, hostIntervalSeconds.bounds], [secondsBounds, waitBounds]);
  assert.deepEqual([requestSeconds.sum, hostIntervalSeconds.sum], [0, 0]);
});
