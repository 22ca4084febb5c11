/**
 * Sitemaps of every form: XML, index, plain text, RSS and Atom (sitemaps.org protocol 0.9).
 *
 * Pure and bounded; the caller undoes gzip. The form is told by the content, for media types of sitemaps are seldom
 * right. What is neither XML of a known root nor lines of URLs gives no entries.
 */
import { parseLimits } from '../limits.ts';
import { decodeXml } from './charset.ts';
import { type Located, readFeed } from './feed.ts';

export interface SitemapEntry {
  /** Absolute http(s) URL without fragment. */
  readonly url: string;
  /** ms since the Unix epoch. 0: unknown. */
  readonly lastModifiedMs: number;
  /**
   * How far the sitemap may speak for this URL (protocol, "Sitemap file location" and "cross submits"): `covered`;
   * `outside`: of the same origin, above the sitemap's folder; `elsewhere`: of another origin. The last two count
   * where robots.txt of the URL's own host names the sitemap. What an index lists is covered.
   */
  readonly standing: 'covered' | 'outside' | 'elsewhere';
}

export interface Sitemap {
  /** True: the entries are sitemaps. */
  readonly index: boolean;
  readonly entries: readonly SitemapEntry[];
}

export function parseSitemap(
  body: Uint8Array,
  contentType: string | null,
  url: string,
  expired: () => boolean = () => false,
): Sitemap {
  const text = decodeXml(body.subarray(0, parseLimits.sitemapBytesMax), contentType);
  if (!/^[\s\ufeff]*</.test(text)) return { index: false, entries: resolved(textLines(text), undefined, url, false) };
  const feed = readFeed(text, parseLimits.sitemapEntriesMax, expired);
  if (feed === null) return { index: false, entries: [] };
  return { index: feed.index, entries: resolved(feed.items, feed.relative ? url : undefined, url, feed.index) };
}

function* textLines(text: string): Iterable<Located> {
  const lineEnd = /[\r\n]+/g;
  for (let start = 0; start < text.length; ) {
    lineEnd.lastIndex = start;
    const found = lineEnd.exec(text);
    const location = text.slice(start, found?.index).trim();
    if (/^https?:\/\//i.test(location)) yield { location, lastModifiedMs: 0 };
    start = found === null ? text.length : lineEnd.lastIndex;
  }
}

/** Each URL once, in order. `base`: what relative locations resolve against; undefined: they are skipped. */
function resolved(
  items: Iterable<Located>,
  base: string | undefined,
  sitemapUrl: string,
  index: boolean,
): SitemapEntry[] {
  const { origin, pathname } = new URL(sitemapUrl);
  const folder = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  const standing = (url: URL) =>
    url.origin !== origin ? 'elsewhere' : url.pathname.startsWith(folder) ? 'covered' : 'outside';
  const entries = new Map<string, SitemapEntry>();
  for (const { location, lastModifiedMs } of items) {
    if (entries.size >= parseLimits.sitemapEntriesMax) break;
    if (location.length > parseLimits.hrefCharsMax || !URL.canParse(location, base)) continue;
    const url = new URL(location, base);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') continue;
    url.hash = '';
    if (entries.has(url.href)) continue;
    entries.set(url.href, { url: url.href, lastModifiedMs, standing: index ? 'covered' : standing(url) });
  }
  return [...entries.values()];
}
