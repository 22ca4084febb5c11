/** The place of a crawl: a Kafka cluster, or a data folder. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { CompressionName } from '../../runtime/log/kafka/compression/names.ts';

export interface KafkaFlags {
  readonly brokers?: string;
  readonly registry?: string;
  readonly compression?: CompressionName;
  readonly crawl: string;
  readonly partitions?: number;
  readonly data?: string;
  readonly skipDamaged?: boolean;
}

export function needBrokers(flags: KafkaFlags): string {
  if (flags.brokers !== undefined) return flags.brokers;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    '--brokers is missing: name the Kafka brokers, as in --brokers localhost:9092',
  );
}
