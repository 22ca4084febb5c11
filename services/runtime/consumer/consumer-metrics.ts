/** The metrics of a consumer. */
import type { MetricSource } from '../metrics/metrics.ts';
import type { Consumer } from './consumer.ts';

/** `name`: `dedup`, `index`, … */
export function consumerMetrics(name: string, consumer: Pick<Consumer, 'stats'>): MetricSource {
  return (tell) => {
    const { records, batches, retries, deadLettered, undecodable } = consumer.stats();
    const labels = { consumer: name };
    tell.value('crawlstream_consumer_records_total', records, labels);
    tell.value('crawlstream_consumer_batches_total', batches, labels);
    tell.value('crawlstream_consumer_retries_total', retries, labels);
    const letters = { undecodable, consumerFailed: deadLettered - undecodable };
    for (const [reason, count] of Object.entries(letters)) {
      tell.value('crawlstream_dead_letters_total', count, { writer: name, reason });
    }
  };
}
