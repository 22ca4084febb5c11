/** Metrics of a process's requests to brokers by API, of repeated appends, and of rebalances of its groups. */
import type { Log } from '../log/log.ts';
import type { MetricSource } from './metrics.ts';

export function logMetrics(log: Pick<Log, 'tallies' | 'appendsBlocked'>): MetricSource {
  return (sink) => {
    if (log.tallies === undefined) return;
    const { requests, produceRetries, rebalances } = log.tallies();
    for (const [api, { count, failures, seconds }] of requests) {
      sink.value('crawlstream_kafka_requests_total', count, { api });
      sink.value('crawlstream_kafka_request_failures_total', failures, { api });
      sink.value('crawlstream_kafka_request_seconds_total', seconds, { api });
    }
    sink.value('crawlstream_kafka_produce_retries_total', produceRetries);
    sink.value('crawlstream_kafka_partitions_blocked', log.appendsBlocked?.()?.count ?? 0);
    for (const [group, count] of rebalances) sink.value('crawlstream_kafka_rebalances_total', count, { group });
  };
}
