/**
 * `requeue`, `raise` and `lower`: the URLs in question are found in the crawl's changelog. Finished ones come back as forced
 * links, which pass the seen test, and the event on `control` records who asked for it and when. Waiting ones are
 * raised and lowered by that event.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { FinishedFilter, FinishedUrl } from '../../../topology/frontier/ask/finished-urls.ts';
import type { Place } from '../../../topology/frontier/ask/url-timeline.ts';
import { frontQueueCount } from '../../../topology/url/front-queue.ts';
import { withCrawl } from '../../hosting/connect/open-crawl.ts';
import { sendRequest } from '../../hosting/connect/send-request.ts';
import type { OperatorFlags } from '../../hosting/options/operator.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { counted } from '../../runtime/counted.ts';
import { finishedUrls } from '../../runtime/crawl/finished-urls.ts';
import { namesOfCrawl } from '../../runtime/crawl/names-of-crawl.ts';
import { lowerEvent, raiseEvent, requeueEvent } from '../../runtime/crawl/operator-events.ts';
import { forcedRequest } from '../../runtime/crawl/requests.ts';
import { traceUrl } from '../../runtime/crawl/trace-url.ts';
import { print } from '../terminal/print.ts';

export async function requeue(flags: OperatorFlags, filter: FinishedFilter): Promise<void> {
  const clock = new SystemClock();
  const atMs = clock.nowMs();
  const found: FinishedUrl[] = await withCrawl(flags, ({ log, topics }) => finishedUrls(log, topics, filter));
  if (found.length === 0) throw nothingMatches(filter);
  const { by } = flags;
  await sendRequest(flags, clock, (topics) => [
    ...requeueEvent(topics, { by, atMs }, filter.hostKey, { prefix: filter.prefix, outcome: filter.outcome }),
    ...forcedRequest(topics, found, false, atMs),
  ]);
  const urls = found.map(({ url }) => url);
  print(
    { json: { requeued: urls.length, urls, by, atMs }, text: `${counted(urls.length, 'URL')} will be refetched` },
    flags.json,
  );
}

function nothingMatches({ hostKey, prefix, outcome }: FinishedFilter): CrawlstreamError {
  const wanted = [
    ...(hostKey === '' ? [] : [`of host ${hostKey}`]),
    ...(prefix === '' ? [] : [`that begins with ${prefix}`]),
    ...(outcome === null ? [] : [`that ended as ${outcome}`]),
  ].join(', ');
  const remedy = 'crawlstream stats counts URLs by outcome; queued URLs need no requeue';
  return new CrawlstreamError('NO_MATCH', `the crawl has no finished URL ${wanted}: nothing was done; ${remedy}`);
}

export async function raise(flags: OperatorFlags, given: string): Promise<void> {
  const clock = new SystemClock();
  const atMs = clock.nowMs();
  const { by } = flags;
  const { url, place, depth, tags } = await withCrawl(flags, async ({ log, codec, topics }) => {
    const nameOf = await namesOfCrawl(log, codec, topics.crawl);
    const url = nameOf(given);
    const { timeline, found } = await traceUrl(log, codec, topics, url, nameOf);
    const tags = found.at(-1)?.tags ?? [];
    return { url, place: timeline.place, depth: timeline.admitted.at(-1)?.depth ?? 0, tags };
  });
  // The event itself moves URLs that wait; those that are finished or unknown come by a forced link, at the front.
  const isOut = place?.in === 'lease';
  const waits = place?.in === 'frontQueue' || place?.in === 'again';
  await sendRequest(flags, clock, (topics) => [
    ...raiseEvent(topics, { by, atMs }, url),
    ...(isOut || waits ? [] : forcedRequest(topics, [{ url, depth, tags }], true, atMs)),
  ]);
  const was = place === undefined ? 'unknown' : place.in === 'end' ? place.status : 'waiting';
  const text = isOut ? `${url} is on lease` : `${url} is now first in its queue; before: ${was}`;
  print({ json: { raised: url, was, by, atMs }, text }, flags.json);
}

/** Moves a URL to the end of front queue `to`. Only a waiting URL can be moved. */
export async function lower(flags: OperatorFlags, given: string, to: number): Promise<void> {
  const clock = new SystemClock();
  const atMs = clock.nowMs();
  const { by } = flags;
  const { url, place } = await withCrawl(flags, async ({ log, codec, topics }) => {
    const nameOf = await namesOfCrawl(log, codec, topics.crawl);
    const url = nameOf(given);
    return { url, place: (await traceUrl(log, codec, topics, url, nameOf)).timeline.place };
  });
  const was = waitsWhere(place);
  if (was === null) throw cannotGoLater(url, place);
  await sendRequest(flags, clock, (topics) => lowerEvent(topics, { by, atMs }, url, to));
  print(
    {
      json: { lowered: url, was, frontQueue: to, by, atMs },
      text: `${url} moved to front queue ${to}; before: ${was}`,
    },
    flags.json,
  );
}

/** null: it is in no front queue, nor before them. */
function waitsWhere(place: Place | undefined): string | null {
  if (place?.in === 'frontQueue' && place.frontQueue < frontQueueCount) return `front queue ${place.frontQueue}`;
  return place?.in === 'again' && place.dueAtMs === 0 ? 'first place' : null;
}

function cannotGoLater(url: string, place: Place | undefined): CrawlstreamError {
  const why =
    place === undefined
      ? 'the crawl does not know it'
      : place.in === 'frontQueue'
        ? 'it is deferred'
        : place.in === 'again'
          ? 'it waits for its retry'
          : place.in === 'lease'
            ? 'it is on lease'
            : 'it is finished';
  const remedy = 'crawlstream explain shows its state';
  return new CrawlstreamError('NO_MATCH', `${url}: ${why}, so it is in no front queue: nothing was done; ${remedy}`);
}
