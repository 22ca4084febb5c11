/** Reads a response from an archive for a crawl, by its kind: a page, a redirect, a sitemap, a robots.txt. */
import { hash } from 'node:crypto';
import type { RobotsCopy } from '../../../schemas/types.ts';
import { tokenInForce } from '../../../topology/robots/product-token.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { parseRobots } from '../../../topology/robots/rules.ts';
import { contentTypeOf } from '../../fetcher/http/headers.ts';
import { productToken } from '../../fetcher/http/identity.ts';
import type { PageReader, PageReport } from '../../fetcher/pages/page-reader.ts';
import { readPage } from '../../fetcher/pages/report.ts';
import { gatherEntries } from '../../fetcher/publish/entry-links.ts';
import type { LinkOrigin } from '../../fetcher/publish/page-links.ts';
import { openSitemapBody } from '../../fetcher/sitemaps/body.ts';
import { soleTask } from '../../fetcher/unleased/sole-task.ts';

export interface ArchivedAnswer {
  readonly url: string;
  readonly hostKey: string;
  /** Links from a seed. */
  readonly depth: number;
  /** The kind that the archive states; empty: it states none. */
  readonly kind: string;
  readonly response: Parameters<typeof readPage>[3];
}

export type Replayed =
  | { readonly as: 'page' | 'redirect' | 'sitemap'; readonly report: Pick<PageReport, 'page' | 'groups' | 'pending'> }
  | { readonly as: 'robots'; readonly copy: RobotsCopy }
  | { readonly as: 'other' };

type Source = Pick<LinkOrigin, 'source' | 'sourceKey'>;

export async function replayAnswer(reader: PageReader, answer: ArchivedAnswer, source: Source): Promise<Replayed> {
  const { url, hostKey, depth, kind, response } = answer;
  const { status, body } = response;
  if (kind === 'robots' || new URL(url).pathname === '/robots.txt') {
    return status === 200 && isText(body) ? { as: 'robots', copy: robotsCopy(url, answer) } : { as: 'other' };
  }
  if (status === 200 && isSitemap(answer))
    return { as: 'sitemap', report: await sitemapReport(reader, answer, source) };
  const report = await readPage(reader, soleTask(url, hostKey, depth), 0, response, source);
  if (report.page !== null) return { as: 'page', report };
  // A sitemap's or a requisite's redirect leads to no page.
  const leadsToPage = kind === '' || kind === 'page';
  return report.outcome?.kind === 'redirect' && leadsToPage ? { as: 'redirect', report } : { as: 'other' };
}

function isText(body: Uint8Array): boolean {
  return !body.subarray(0, 1024).includes(0);
}

function robotsCopy(url: string, { response }: ArchivedAnswer): RobotsCopy {
  const body = response.body.subarray(0, robotsLimits.bodyBytesMax);
  const token = tokenInForce(body, productToken);
  const { crawlDelayMs } = parseRobots(body, token, url);
  return {
    origin: new URL(url).origin,
    url,
    hash: hash('sha256', body, 'hex').slice(0, 32),
    fetchedAtMs: response.endMs,
    status: response.status,
    token,
    crawlDelayMs: crawlDelayMs ?? -1,
    body,
  };
}

/** Uses the kind in the archive, else the form of the body: https://www.sitemaps.org/protocol.html. */
function isSitemap({ kind, url, response }: ArchivedAnswer): boolean {
  if (kind !== '') return kind === 'sitemap';
  const head = Buffer.from(
    response.rawBody.buffer,
    response.rawBody.byteOffset,
    Math.min(response.rawBody.length, 1_024),
  );
  if (head[0] === 0x1f && head[1] === 0x8b) {
    const name = new URL(url).pathname.split('/').at(-1)!.toLowerCase();
    return name.includes('sitemap') && name.endsWith('.xml.gz');
  }
  return /^(?:\ufeff)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^>]*-->\s*)?<(?:\w+:)?(?:urlset|sitemapindex)[\s>]/i.test(
    head.toString('utf8'),
  );
}

/** Its links, as far as a sitemap is authoritative: an index's sitemaps are in the archive separately. */
async function sitemapReport(
  { links }: PageReader,
  { url, depth, response }: ArchivedAnswer,
  source: Source,
): Promise<Pick<PageReport, 'page' | 'groups' | 'pending'>> {
  const groups: PageReport['groups'][number][] = [];
  const pending: number[] = [];
  const { hostname } = new URL(url);
  const body = openSitemapBody({
    url,
    contentType: () => contentTypeOf(response.headers) || null,
    contentEncoding: () => '',
    onEntries: (entries, isIndex) => {
      if (isIndex) return undefined;
      const origin = { url, ...source, atMs: response.endMs, traceparent: '', tags: [] };
      const speaksFor = (entry: { readonly url: string; readonly coverage: string }) =>
        entry.coverage !== 'elsewhere' || new URL(entry.url).hostname === hostname ? true : null;
      const found = gatherEntries(links, origin, entries, {
        depth: depth + 1,
        share: 0,
        foundIn: 'sitemap',
        speaksFor,
      });
      groups.push(...found.groups);
      pending.push(...found.pending);
      return undefined;
    },
  });
  // In its content coding: gzip is recognised by its bytes.
  body.sink.write(response.rawBody);
  await body.finish(!response.truncated);
  return { page: null, groups, pending };
}
