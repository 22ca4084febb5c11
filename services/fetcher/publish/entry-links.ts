/**
 * Makes link groups of the entries of a sitemap or a feed: by target host, and in separate groups where their dates
 * count.
 */
import type { LinkGroup } from '../../../schemas/types.ts';
import type { SitemapEntry } from '../../../topology/parse/sitemap.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { spellingOf } from '../../../topology/url/spelling.ts';
import type { LeftOut } from '../../runtime/crawl/left-out.ts';
import { type LinkMaker, type LinkOrigin, type PageLinks, readLink } from './page-links.ts';

export interface EntryOrigin extends Pick<LinkGroup, 'depth' | 'share' | 'foundIn'> {
  /**
   * May the list speak for the page? Then its date makes the link a `refresh` (docs/design.md §2). null: the list may
   * not even name the page.
   */
  readonly speaksFor: (entry: SitemapEntry) => boolean | null;
}

/**
 * Links with a date that counts, or with cash, must all be published; others are left out if they were published
 * lately.
 */
export function gatherEntries(
  maker: LinkMaker,
  origin: LinkOrigin,
  entries: readonly SitemapEntry[],
  { depth, share, speaksFor, foundIn }: EntryOrigin,
): PageLinks {
  const groups = new Map<string, LinkGroup & { readonly links: LinkGroup['links'][number][] }>();
  const pending: number[] = [];
  const leftOut = new Map<string, Omit<LeftOut, 'plugin'>>();
  let count = 0;
  for (const entry of entries) {
    const speaks = speaksFor(entry);
    const url = speaks === null ? null : readLink(maker, entry.url, { depth, sourceUrl: origin.url }, leftOut);
    if (url === null) continue;
    count += 1;
    const { lastModifiedMs } = entry;
    const dated = lastModifiedMs > 0 && speaks === true;
    if (!dated && share === 0 && !maker.cache.isNews(origin.source, url, depth, pending)) continue;
    const hostKey = hostKeyOf(url);
    const key = `${dated ? '+' : '-'}${hostKey}`;
    let group = groups.get(key);
    if (group === undefined) {
      group = {
        hostKey,
        sourceUrl: origin.url,
        sourceKey: origin.sourceKey,
        depth,
        hop: 0,
        front: false,
        intent: dated ? 'refresh' : 'discover',
        discoveredAtMs: origin.atMs,
        share,
        traceparent: '',
        payload: '',
        foundIn,
        tags: origin.tags,
        links: [],
      };
      groups.set(key, group);
    }
    const spelling = maker.spellings?.() === true ? spellingOf(entry.url, url) : '';
    const priority = maker.hooks?.priority({ url, depth, sourceUrl: origin.url }) ?? -1;
    group.links.push({ url, lastModifiedMs: dated ? lastModifiedMs : 0, priority, spelling });
  }
  return { groups: [...groups.values()], pending, count, leftOut };
}
