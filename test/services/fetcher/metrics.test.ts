import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { FetcherStats } from '../../../services/fetcher/fetcher-stats.ts';
import { fetcherMetrics } from '../../../services/fetcher/metrics.ts';

it('a fetcher’s figures are exported under their metric names', async () => {
  const spread = (of: string) => ({ of }) as unknown as FetcherStats['requestSeconds'];
  const stats: FetcherStats = {
    ...{
      leasesMax: 1,
      leasesRunning: 2,
      tasksWaiting: 3,
      networksAway: 1,
      tasksMisrouted: 4,
      tasksUndecodable: 17,
      requestsInFlight: 5,
      requestsWaiting: 6,
    },
    ...{ requests: 7, bytes: 8, outcomes: { fetched: 9, gone: 10 }, openOrigins: 11, pacedHosts: 12, tooLarge: 13 },
    ...{ requestSeconds: spread('requests'), hostIntervalSeconds: spread('intervals') },
    hooks: [{ plugin: 'p', hook: 'parse', calls: 14, seconds: 15, faults: 16 }],
  };
  const reported: unknown[] = [];
  await fetcherMetrics({ stats: () => stats })({
    value: (...one: unknown[]) => reported.push(one),
    spread: (...one: unknown[]) => reported.push(one),
  } as never);
  const hook = { plugin: 'p', hook: 'parse' };
  assert.deepEqual(reported, [
    ['crawlstream_fetcher_leases', 2],
    ['crawlstream_fetcher_leases_max', 1],
    ['crawlstream_fetcher_tasks_waiting', 3],
    ['crawlstream_fetcher_networks_away', 1],
    ['crawlstream_fetcher_tasks_misrouted_total', 4],
    ['crawlstream_dead_letters_total', 17, { writer: 'fetcher', reason: 'undecodable' }],
    ['crawlstream_dead_letters_total', 4, { writer: 'fetcher', reason: 'misrouted' }],
    ['crawlstream_fetcher_requests_in_flight', 5],
    ['crawlstream_fetcher_requests_waiting', 6],
    ['crawlstream_fetcher_hosts', 12],
    ['crawlstream_fetcher_origins', 11],
    ['crawlstream_fetcher_requests_total', 7],
    ['crawlstream_fetcher_received_bytes_total', 8],
    ['crawlstream_fetcher_fetches_total', 9, { outcome: 'fetched' }],
    ['crawlstream_fetcher_fetches_total', 10, { outcome: 'gone' }],
    ['crawlstream_fetcher_records_too_large_total', 13],
    ['crawlstream_plugin_calls_total', 14, hook],
    ['crawlstream_plugin_seconds_total', 15, hook],
    ['crawlstream_plugin_faults_total', 16, hook],
    ['crawlstream_fetcher_request_seconds', spread('requests')],
    ['crawlstream_fetcher_host_interval_seconds', spread('intervals')],
  ]);
});
