/** Reads everything that happened to a URL, as it was typed. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { readTimeline, type Timeline } from '../../runtime/timeline/read-timeline.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { policyOfCrawl } from './policy-of-crawl.ts';
import { byEitherScheme } from './typed-scheme.ts';

/** The parts of a crawl that it reads. */
export type TracedCrawl = Pick<ReadableCrawl, 'codec' | 'log' | 'topics'>;

export function timelineTyped(
  crawl: TracedCrawl,
  flags: Pick<KafkaFlags, 'brokers' | 'data'>,
  given: string,
): Promise<Timeline> {
  return byEitherScheme(given, (url) => timelineOf(crawl, flags, url), isAbout);
}

async function timelineOf(
  { log, codec, topics }: TracedCrawl,
  flags: Pick<KafkaFlags, 'brokers' | 'data'>,
  given: string,
): Promise<Timeline> {
  const { policy, lists } = await policyOfCrawl({ log, codec, topics }, flags);
  const url = policy.normalize(given);
  if (url === null) {
    const message = `${given} cannot be crawled: crawlstream check url shows why`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  return readTimeline({ log, codec, topics, lists }, url, policy);
}

/** True if there are other events than those of operators about its host. */
export function isAbout({ events }: Pick<Timeline, 'events'>): boolean {
  return events.some(({ kind }) => kind !== 'control');
}
