/** The metrics of a consumer, and how far its group is behind. */
import type { Clock } from '../clock.ts';
import type { Log } from '../log/log.ts';
import { tellLag } from '../metrics/lag.ts';
import type { MetricSource } from '../metrics/metrics.ts';
import type { Consumer } from './consumer.ts';

export interface MeteredConsumer {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly clock: Clock;
  /** `dedup`, `index`, … */
  readonly name: string;
  readonly group: string;
  readonly consumer: Pick<Consumer, 'stats' | 'positions'>;
}

export function consumerMetrics({ log, clock, name, group, consumer }: MeteredConsumer): MetricSource {
  return async (tell) => {
    const { records, batches, retries, deadLettered } = consumer.stats();
    const labels = { consumer: name };
    tell.value('crawlstream_consumer_records_total', records, labels);
    tell.value('crawlstream_consumer_batches_total', batches, labels);
    tell.value('crawlstream_consumer_retries_total', retries, labels);
    tell.value('crawlstream_consumer_dead_letters_total', deadLettered, labels);
    await tellLag(tell, { log, clock, group, positions: consumer.positions() });
  };
}
