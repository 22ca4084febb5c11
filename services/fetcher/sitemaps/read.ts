/**
 * Reads the sitemaps of a lease's host, after its pages: those listed in its robots.txt, and in their indexes.
 *
 * They are paced, within the deadline and subject to robots.txt like any request to the host; those without time wait
 * for the next lease. The links are published while a sitemap is read, and acked before the lease's last result. A link
 * with a date is a `refresh` (docs/design.md §2), which the frontier compares with its facts of the page; others are
 * plain links.
 *
 * A sitemap may contain URLs of its host and of the host with the robots.txt that lists it (sitemaps.org, "cross
 * submits"). Other links are dropped, since a sitemap could otherwise cause refetches of any site's pages. Requests are
 * conditional; after a 304 there is nothing to publish, since the same links were published before.
 */

import type { Request, Task } from '../../../schemas/types.ts';
import { conditionOf } from '../../../topology/fetch/conditional.ts';
import { redirectTarget } from '../../../topology/fetch/redirect.ts';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import type { SitemapEntry } from '../../../topology/parse/sitemap.ts';
import { isCrawlDelayTooLong } from '../../../topology/robots/crawl-delay-cap.ts';
import { isAllowed } from '../../../topology/robots/rules.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { HttpResponse } from '../http/client.ts';
import { contentTypeOf, type Headers, headerOf, listOf } from '../http/headers.ts';
import { requestRecord } from '../http/outcomes.ts';
import { isOurs } from '../http/request-failure.ts';
import { keepPause, pacedRequest, type RequestPath } from '../pace/paced-request.ts';
import { costOf, holdBack, type ProcessorShare, readingCost } from '../pace/processor-share.ts';
import { validator } from '../pages/response-head.ts';
import { gatherEntries } from '../publish/entry-links.ts';
import type { LinkMaker, LinkOrigin } from '../publish/page-links.ts';
import type { LeaseReporter } from '../publish/publisher.ts';
import type { RobotsAnswer } from '../robots/cache.ts';
import type { SitemapAgenda, SitemapTask } from './agenda.ts';
import { openSitemapBody } from './body.ts';

export interface SitemapReading {
  readonly requestPath: RequestPath;
  readonly processorShare: ProcessorShare;
  readonly agenda: SitemapAgenda;
  readonly links: LinkMaker;
  /** User-Agent and so on: names and values in turn. */
  readonly headers: Headers;
  readonly task: Task;
  readonly latestStartMs: number;
  readonly source: Pick<LinkOrigin, 'source' | 'sourceKey'>;
  readonly reporter: LeaseReporter;
  /** robots.txt of an origin of the host. Null: not in time. */
  readonly robotsOf: (origin: string) => Promise<RobotsAnswer | null>;
}

/** `sitemapsMax`: requested at most. */
export async function readSitemaps(reading: SitemapReading, sitemapsMax: number): Promise<void> {
  const { agenda, task } = reading;
  for (let requested = 0; requested < sitemapsMax; ) {
    const clientUrl = agenda.next(task.hostKey);
    if (clientUrl === undefined) return;
    const answer = await reading.robotsOf(new URL(clientUrl.url).origin);
    const crawlDelayMs = answer?.robots.rules.crawlDelayMs ?? 0;
    const heldBack = isCrawlDelayTooLong(crawlDelayMs, task);
    if (answer === null || answer.robots.status === 'unreachable' || heldBack) {
      agenda.putBack(clientUrl);
      return;
    }
    if (!isAllowed(answer.robots.rules, clientUrl.url)) continue;
    requested += 1;
    const response = await readSitemap(reading, clientUrl, crawlDelayMs, answer.robots);
    if (response === null || isOurs(response.failure)) {
      agenda.putBack(clientUrl);
      return;
    }
    if (response.misread === true) agenda.failed(clientUrl);
    else if (mayPass(response)) {
      agenda.failed(clientUrl);
      return;
    }
  }
}

/**
 * Reads one sitemap. Null: the request could not start. When this resolves, its entries are published, or on the
 * agenda.
 */
async function readSitemap(
  reading: SitemapReading,
  clientUrl: SitemapTask,
  crawlDelayMs: number,
  { hash: robotsHash, fetchedAtMs: robotsAtMs }: RobotsAnswer['robots'],
): Promise<HttpResponse | null> {
  const { requestPath, agenda, task, reporter } = reading;
  const delayMs = Math.max(task.delayMs, crawlDelayMs);
  let contentType: string | null = null;
  let contentEncoding = '';
  let isIndex = false;
  const body = openSitemapBody({
    url: clientUrl.url,
    contentType: () => contentType,
    contentEncoding: () => contentEncoding,
    onEntries: (entries, index) => {
      isIndex = index;
      if (!index) return publish(reading, clientUrl, entries);
      for (const { url } of entries)
        agenda.add({ ...childOf(reading, clientUrl, url), nesting: clientUrl.nesting + 1 });
      return undefined;
    },
  });
  const made: Request[] = [];
  const purpose = { kind: 'sitemap', outcomeIndex: -1, hop: clientUrl.hop, robotsHash, robotsAtMs } as const;
  const response = await pacedRequest(requestPath, {
    url: clientUrl.url,
    headers: [...reading.headers, ...agenda.conditionOf(clientUrl)],
    bodyBytesMax: parseLimits.sitemapBytesMax,
    wants: (status, headers) => {
      contentType = contentTypeOf(headers) || null;
      const coding = listOf(headers, 'content-encoding');
      contentEncoding = codedOtherwise.test(coding) ? coding : '';
      return status >= 200 && status < 300;
    },
    sink: body.sink,
    hostKey: task.hostKey,
    delayMs,
    delayFactor: task.delayFactor,
    crawlDelayMs,
    latestStartMs: reading.latestStartMs,
    kind: 'sitemap',
    depth: clientUrl.depth,
    record: (response, addressDelayMs) =>
      made.push(requestRecord(clientUrl.url, purpose, delayMs, response, addressDelayMs)),
  });
  const isWhole = response?.failure === null && !response.truncated;
  const { bytes, readMs } = await body.finish(isWhole);
  made.forEach((request, n) => {
    reporter.requested(n === made.length - 1 ? { ...request, bytes } : request);
  });
  if (response === null) return null;
  holdBack(requestPath, reading.processorShare, task.hostKey, costOf(response, 0) + readingCost(bytes, bytes, readMs));
  keepPause(requestPath, task.hostKey, response);
  if (isWhole && response.status === 200 && !isIndex) agenda.readWhole(clientUrl, conditionAfter(response.headers));
  const target = redirectTarget(clientUrl.url, response.status, headerOf(response.headers, 'location') || null);
  if (target !== null) agenda.add({ ...childOf(reading, clientUrl, target), hop: clientUrl.hop + 1 });
  return response;
}

/** The condition of the next request, as for pages: it is fetched again only if it has changed (RFC 9110 §13.1). */
function conditionAfter(headers: Headers): Headers {
  return conditionOf({ etag: validator(headers, 'etag'), lastModified: validator(headers, 'last-modified') });
}

/** We ask for gzip or nothing; gzip is recognised by its bytes, and an unknown coding leaves the bytes as they are. */
const codedOtherwise = /(?:^|[\s,])(?:br|deflate|zstd|compress|x-compress)(?:$|[\s,])/i;

/** True if another try may succeed. A body that broke off is not such a failure: the received part counts. */
function mayPass({ status, failure }: HttpResponse): boolean {
  if (status === 0) return failure?.kind !== 'refused' && failure?.kind !== 'blockedAddress';
  return status >= 500 || status === 429 || status === 408;
}

function childOf({ links }: SitemapReading, clientUrl: SitemapTask, url: string): SitemapTask {
  return { ...clientUrl, url, hostKey: hostKeyOf(links.normalize(url) ?? url), tries: 0 };
}

function publish(
  { links, reporter, source, requestPath }: SitemapReading,
  clientUrl: SitemapTask,
  entries: readonly SitemapEntry[],
): Promise<void> | undefined {
  const { hostname } = new URL(clientUrl.url);
  const voucher = new URL(clientUrl.origin).hostname;
  const origin = { url: clientUrl.url, ...source, atMs: requestPath.clock.nowMs(), traceparent: '', tags: [] };
  const { groups, pending } = gatherEntries(links, origin, entries, {
    depth: clientUrl.depth,
    share: 0,
    foundIn: 'sitemap',
    speaksFor: ({ url, coverage }) =>
      clientUrl.trusted || coverage !== 'elsewhere' || speaksFor(url, hostname, voucher) ? true : null,
  });
  return groups.length === 0 ? undefined : reporter.found(groups, pending);
}

function speaksFor(url: string, hostname: string, voucher: string): boolean {
  const target = new URL(url).hostname;
  return target === hostname || target === voucher;
}
