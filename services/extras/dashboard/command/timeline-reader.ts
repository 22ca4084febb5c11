/** The history of a URL for the dashboard, with its picture. */
import { plainEvent } from '../../../../topology/timeline/timeline-event.ts';
import { timelinePicture } from '../../../../topology/timeline/timeline-picture.ts';
import { sinceText } from '../../../../topology/timeline/timeline-text.ts';
import { readsUntilGone } from '../../../hosting/inspect/stop-if-gone.ts';
import { type TracedCrawl, timelineTyped } from '../../../hosting/inspect/url-history.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { dashboardLimits } from '../limits.ts';
import type { TimelineStatus } from '../status.ts';

/** `signal`: aborted when the caller leaves. */
export function timelineReader({ log, codec, topics }: TracedCrawl, flags: Pick<KafkaFlags, 'brokers' | 'data'>) {
  const [committed, offsetAt] = [log.committed.bind(log), log.offsetAt.bind(log)];
  return async (given: string, signal?: AbortSignal): Promise<TimelineStatus> => {
    const crawl = { log: { committed, offsetAt, ...readsUntilGone(log, signal) }, codec, topics };
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
