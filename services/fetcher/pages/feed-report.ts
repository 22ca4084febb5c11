/**
 * The report of a fetched feed, or of a sitemap found as a link: links to its entries, and a signature that shows at
 * the next poll whether anything is new.
 *
 * Dates of entries on the feed's own host are believed, like those of a sitemap; for pages of other hosts, a feed gives
 * only links. Sitemaps in an index are as far from the seeds as the index.
 */
import { feedSignature } from '../../../topology/content/feed-signature.ts';
import { maxAgeMs } from '../../../topology/fetch/cache-control.ts';
import { parseSitemap, type Sitemap } from '../../../topology/parse/sitemap.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import { gatherEntries } from '../publish/entry-links.ts';
import type { LinkMaker, LinkOrigin, PageLinks } from '../publish/page-links.ts';
import type { Answer } from './answer.ts';
import type { ResponseHead } from './response-head.ts';

export interface FeedReport {
  readonly links: PageLinks;
  readonly signature: string;
}

/** null: it is not a feed after all. */
export function readFeed(
  maker: LinkMaker,
  from: LinkOrigin,
  { item, head, response }: Pick<Answer, 'item' | 'head' | 'response'>,
  nofollow: boolean,
): FeedReport | null {
  const { depth, cash } = item;
  const endMs = performance.now() + fetcherLimits.inlineParseMs;
  const feed = parseSitemap(response.body, head.contentType, from.url, () => performance.now() > endMs);
  if (feed.form === null) return null;
  const entries = nofollow ? [] : feed.entries;
  const { hostname } = new URL(from.url);
  const links = gatherEntries(maker, from, entries, {
    depth: feed.form === 'index' ? depth : depth + 1,
    share: cash / Math.max(1, entries.length),
    foundIn: feed.form === 'feed' ? 'feed' : 'sitemap',
    speaksFor: ({ url, alternate }) => alternate === undefined && new URL(url).hostname === hostname,
  });
  return { links, signature: signatureOf(feed, head) };
}

function signatureOf({ entries, pollMs }: Sitemap, { cacheControl }: ResponseHead): string {
  const urls = entries.map(({ url }) => url);
  return feedSignature(urls, Math.max(pollMs, maxAgeMs(cacheControl)));
}
