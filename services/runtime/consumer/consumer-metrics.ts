/** The metrics of a consumer. */
import type { MetricSource } from '../metrics/metrics.ts';
import type { Consumer } from './consumer.ts';

/** `name`: `dedup`, `index`, … */
export function consumerMetrics(name: string, consumer: Pick<Consumer, 'stats'>): MetricSource {
  return (sink) => {
    const { records, batches, retries, deadLettered, undecodable } = consumer.stats();
    const labels = { consumer: name };
    sink.value('crawlstream_consumer_records_total', records, labels);
    sink.value('crawlstream_consumer_batches_total', batches, labels);
    sink.value('crawlstream_consumer_retries_total', retries, labels);
    const deadLetters = { undecodable, consumerFailed: deadLettered - undecodable };
    for (const [reason, count] of Object.entries(deadLetters)) {
      sink.value('crawlstream_dead_letters_total', count, { writer: name, reason });
    }
  };
}
