/** The fetcher's metrics, and how far its group is behind. */
import type { Clock } from '../runtime/clock.ts';
import type { Log, Position } from '../runtime/log/log.ts';
import { tellLag } from '../runtime/metrics/lag.ts';
import type { MetricSource } from '../runtime/metrics/metrics.ts';
import type { Fetcher } from './fetcher.ts';

export interface MeteredFetcher {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly clock: Clock;
  readonly group: string;
  readonly fetcher: Pick<Fetcher, 'stats' | 'positions'>;
}

export function fetcherMetrics({ log, clock, group, fetcher }: MeteredFetcher): MetricSource {
  return async (tell) => {
    const stats = fetcher.stats();
    tell.value('crawlstream_fetcher_leases', stats.leasesRunning);
    tell.value('crawlstream_fetcher_leases_max', stats.leasesMax);
    tell.value('crawlstream_fetcher_tasks_waiting', stats.tasksWaiting);
    tell.value('crawlstream_fetcher_tasks_misrouted_total', stats.tasksMisrouted);
    tell.value('crawlstream_fetcher_requests_in_flight', stats.requestsInFlight);
    tell.value('crawlstream_fetcher_requests_waiting', stats.requestsWaiting);
    tell.value('crawlstream_fetcher_hosts', stats.pacedHosts);
    tell.value('crawlstream_fetcher_origins', stats.openOrigins);
    tell.value('crawlstream_fetcher_requests_total', stats.requests);
    tell.value('crawlstream_fetcher_received_bytes_total', stats.bytes);
    for (const [outcome, count] of Object.entries(stats.outcomes)) {
      tell.value('crawlstream_fetcher_fetches_total', count, { outcome });
    }
    tell.value('crawlstream_fetcher_records_too_large_total', stats.tooLarge);
    for (const { plugin, hook, calls, seconds, faults } of stats.hooks) {
      tell.value('crawlstream_plugin_calls_total', calls, { plugin, hook });
      tell.value('crawlstream_plugin_seconds_total', seconds, { plugin, hook });
      tell.value('crawlstream_plugin_faults_total', faults, { plugin, hook });
    }
    tell.spread('crawlstream_fetcher_request_seconds', stats.requestSeconds);
    tell.spread('crawlstream_fetcher_host_interval_seconds', stats.hostIntervalSeconds);
    const positions: readonly Position[] = fetcher.positions();
    await tellLag(tell, { log, clock, group, positions });
  };
}
