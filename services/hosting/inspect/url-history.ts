/** Reads everything that happened to a URL, as it was typed. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { plainEvent } from '../../../topology/timeline/timeline-event.ts';
import { timelinePicture } from '../../../topology/timeline/timeline-picture.ts';
import { sinceText } from '../../../topology/timeline/timeline-text.ts';
import { dashboardLimits } from '../../dashboard/limits.ts';
import type { TimelineStatus } from '../../dashboard/status.ts';
import { readTimeline, type Timeline } from '../../runtime/timeline/read-timeline.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { policyOfCrawl } from './policy-of-crawl.ts';
import { byEitherScheme } from './typed-scheme.ts';

/** For the dashboard. */
export function timelineReader(crawl: TracedCrawl, flags: Pick<KafkaFlags, 'brokers' | 'data'>) {
  return async (given: string): Promise<TimelineStatus> => {
    const { url, events: all, changelogStart } = await timelineTyped(crawl, flags, given);
    const events = all.slice(-dashboardLimits.timelineEvents);
    const firstMs = all[0]?.atMs ?? 0;
    const output = events.map((event) => {
      const { time, text, topic, partition, offset, policyVersion } = plainEvent(event);
      return { time, since: sinceText(event.atMs - firstMs), text, topic, partition, offset, policyVersion };
    });
    const picture = timelinePicture(url, events);
    return { url, events: output, all: all.length, picture, trimmed: changelogStart > 0 };
  };
}

/** The parts of a crawl that it reads. */
type TracedCrawl = Pick<ReadableCrawl, 'codec' | 'log' | 'topics'>;

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
