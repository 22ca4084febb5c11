/** The fetcher's metrics, and what keeps it from being ready. */
import type { MetricSource } from '../runtime/metrics/metrics.ts';
import type { Fetcher } from './fetcher.ts';
import type { FetcherStats } from './fetcher-stats.ts';

export function fetcherMetrics(fetcher: Pick<Fetcher, 'stats'>): MetricSource {
  return (sink) => {
    const stats = fetcher.stats();
    sink.value('crawlstream_fetcher_leases', stats.leasesRunning);
    sink.value('crawlstream_fetcher_leases_max', stats.leasesMax);
    sink.value('crawlstream_fetcher_tasks_waiting', stats.tasksWaiting);
    sink.value('crawlstream_fetcher_networks_away', stats.networksAway);
    sink.value('crawlstream_fetcher_tasks_misrouted_total', stats.tasksMisrouted);
    const deadLetters = { undecodable: stats.tasksUndecodable, misrouted: stats.tasksMisrouted };
    for (const [reason, count] of Object.entries(deadLetters)) {
      sink.value('crawlstream_dead_letters_total', count, { writer: 'fetcher', reason });
    }
    sink.value('crawlstream_fetcher_requests_in_flight', stats.requestsInFlight);
    sink.value('crawlstream_fetcher_requests_waiting', stats.requestsWaiting);
    sink.value('crawlstream_fetcher_hosts', stats.pacedHosts);
    sink.value('crawlstream_fetcher_origins', stats.openOrigins);
    sink.value('crawlstream_fetcher_requests_total', stats.requests);
    sink.value('crawlstream_fetcher_received_bytes_total', stats.bytes);
    for (const [outcome, count] of Object.entries(stats.outcomes)) {
      sink.value('crawlstream_fetcher_fetches_total', count, { outcome });
    }
    sink.value('crawlstream_fetcher_records_too_large_total', stats.tooLarge);
    for (const { plugin, hook, calls, seconds, faults } of stats.hooks) {
      sink.value('crawlstream_plugin_calls_total', calls, { plugin, hook });
      sink.value('crawlstream_plugin_seconds_total', seconds, { plugin, hook });
      sink.value('crawlstream_plugin_faults_total', faults, { plugin, hook });
    }
    sink.spread('crawlstream_fetcher_request_seconds', stats.requestSeconds);
    sink.spread('crawlstream_fetcher_host_interval_seconds', stats.hostIntervalSeconds);
  };
}

/** null: its network is there. */
export function networkText({ networksAway }: Pick<FetcherStats, 'networksAway'>): string | null {
  return networksAway === 0
    ? null
    : 'no host answers: the network of this machine seems to be down, and the crawl waits for it';
}
