/** The order of a crawl on Kafka for its dashboard: its seeds are links like others, and its start is unknown. */
import type { AboutStatus } from '../../dashboard/status.ts';
import { type Place, placeText } from '../connect/place-text.ts';

export function aboutKafka({ brokers, registry, crawl }: Place): Omit<AboutStatus, 'scope'> {
  const place = brokers === undefined ? null : placeText({ brokers, registry, crawl });
  return { seeds: [], seedCount: 0, place, startedMs: null };
}
