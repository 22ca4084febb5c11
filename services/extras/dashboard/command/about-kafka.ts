/** The order of a crawl on Kafka: its seeds are links like others, and its start is unknown. */
import type { CrawlOrder } from '../../../application/extension/display.ts';
import { type Place, placeText } from '../../../hosting/connect/place-text.ts';

export function aboutKafka({ brokers, registry, crawl }: Place): CrawlOrder {
  const place = brokers === undefined ? null : placeText({ brokers, registry, crawl });
  return { seeds: [], seedCount: 0, place, startedMs: null };
}
