/**
 * `requeue` and `raise`: the URLs in question are found in the crawl's changelog. Finished ones come back as forced
 * links, which pass the seen test, and the event on `control` records who asked for it and when. Waiting ones are
 * raised by that event.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { FinishedFilter, FinishedUrl } from '../../../topology/frontier/ask/finished-urls.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { finishedUrls } from '../../runtime/crawl/finished-urls.ts';
import { raiseEvent, requeueEvent } from '../../runtime/crawl/operator-events.ts';
import { forcedRequest } from '../../runtime/crawl/requests.ts';
import { tellUrl } from '../../runtime/crawl/tell-url.ts';
import { withCrawl } from '../connect/open-crawl.ts';
import { sendRequest } from '../connect/send-request.ts';
import type { OperatorFlags } from '../flags/operator-flags.ts';
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
  print({ json: { requeued: urls.length, urls, by, atMs }, text: `${urls.length} URLs are fetched again` }, flags.json);
}

function nothingMatches({ hostKey, prefix, outcome }: FinishedFilter): CrawlstreamError {
  const wanted = [
    ...(hostKey === '' ? [] : [`of host ${hostKey}`]),
    ...(prefix === '' ? [] : [`that begins with ${prefix}`]),
    ...(outcome === null ? [] : [`that ended as ${outcome}`]),
  ].join(', ');
  const remedy = 'crawlstream stats tells what ended how, and what waits needs no requeue';
  return new CrawlstreamError('NO_MATCH', `the crawl has no finished URL ${wanted}: nothing was done; ${remedy}`);
}

/** `url` is normal. */
export async function raise(flags: OperatorFlags, url: string): Promise<void> {
  const clock = new SystemClock();
  const atMs = clock.nowMs();
  const { by } = flags;
  const { place, depth } = await withCrawl(flags, async ({ log, codec, topics }) => {
    const { story } = await tellUrl(log, codec, topics, url, (other) => other);
    return { place: story.place, depth: story.admitted.at(-1)?.depth ?? 0 };
  });
  // The event itself moves URLs that wait; those that are finished or unknown come by a forced link, at the front.
  const isOut = place?.in === 'lease';
  const waits = place?.in === 'frontQueue' || place?.in === 'again';
  await sendRequest(flags, clock, (topics) => [
    ...raiseEvent(topics, { by, atMs }, url),
    ...(isOut || waits ? [] : forcedRequest(topics, [{ url, depth }], true, atMs)),
  ]);
  const was = place === undefined ? 'unknown' : place.in === 'end' ? place.status : 'waiting';
  const text = isOut ? `${url} is on lease` : `${url} goes first; it was ${was}`;
  print({ json: { raised: url, was, by, atMs }, text }, flags.json);
}
