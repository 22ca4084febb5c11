import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainStats } from '../../../../services/application/workers/worker-orders.ts';
import { addEnded, sumStats } from '../../../../services/application/workers/worker-stats.ts';

const stats = (n: number): PlainStats => ({
  leasesMax: 10 * n,
  leasesRunning: n,
  tasksWaiting: n,
  networksAway: n,
  tasksMisrouted: n,
  tasksUndecodable: n,
  requestsInFlight: n,
  requestsWaiting: n,
  requests: 100 * n,
  bytes: 1_000 * n,
  outcomes: { fetched: 90 * n, ...(n > 1 && { timeout: n }) },
  openOrigins: n,
  pacedHosts: n,
  requestSeconds: { counts: [n, 2 * n], sum: 3 * n },
  hostIntervalSeconds: { counts: [n], sum: n },
  tooLarge: n,
  hooks: [{ plugin: 'one', hook: 'urlFilter', calls: n, seconds: n, faults: n }],
});

test('the figures of several fetchers add up, including those of an ended one', () => {
  const sum = sumStats([addEnded(stats(1), stats(2)), stats(4)]);
  const { requestSeconds, hostIntervalSeconds, ...rest } = sum;
  assert.deepEqual(rest, {
    leasesMax: 40,
    leasesRunning: 4,
    tasksWaiting: 4,
    networksAway: 4,
    tasksMisrouted: 7,
    tasksUndecodable: 7,
    requestsInFlight: 4,
    requestsWaiting: 4,
    requests: 700,
    bytes: 7_000,
    outcomes: { fetched: 630, timeout: 6 },
    openOrigins: 4,
    pacedHosts: 4,
    tooLarge: 7,
    hooks: [{ plugin: 'one', hook: 'urlFilter', calls: 7, seconds: 7, faults: 7 }],
  });
  assert.deepEqual([...requestSeconds.counts.slice(0, 3)], [7, 14, 0]);
  assert.equal(requestSeconds.sum, 21);
  assert.deepEqual([hostIntervalSeconds.counts[0], hostIntervalSeconds.sum], [7, 7]);
});
