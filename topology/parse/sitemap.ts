/**
 * Sitemaps of every form: XML, index, plain text, RSS and Atom (sitemaps.org protocol 0.9); and JSON Feed.
 *
 * Pure and bounded: it reads the text in pieces and keeps little of them; the caller decompresses gzip. The content
 * decides the form, because media types of sitemaps are often wrong. A body yields no entries if it is neither XML
 * with a known root, nor a JSON Feed, nor lines of URLs.
 */

import { canParse } from '../url/can-parse.ts';
import { withoutPlainFragment } from '../url/fragment.ts';
import { createXmlDecoder } from './charset.ts';
import { createFeedReader, type FeedReader, type ListForm, type Located } from './feed.ts';
import { createJsonFeedReader } from './json-feed.ts';
import { parseLimits } from './parse-limits.ts';

export interface SitemapEntry {
  /** Absolute http(s) URL without fragment. */
  readonly url: string;
  /** ms since the Unix epoch. 0: unknown. */
  readonly lastModifiedMs: number;
  /**
   * Whether the sitemap may list this URL (protocol, "Sitemap file location" and "cross submits"). `covered`: yes.
   * `outside`: same origin, but above the sitemap's folder. `elsewhere`: another origin. The last two count only if
   * robots.txt of the URL's host names the sitemap. Entries of an index are `covered`.
   */
  readonly coverage: 'covered' | 'outside' | 'elsewhere';
  /** A translation of the page before it (`hreflang`). */
  readonly alternate?: true;
}

export interface Sitemap {
  /** True: the entries are sitemaps. */
  readonly index: boolean;
  readonly entries: readonly SitemapEntry[];
  /** null: lines of URLs, or an unknown form. */
  readonly form: ListForm | null;
  /** Shortest time between polls that a feed asks for, ms. 0: it does not. */
  readonly pollMs: number;
}

export interface SitemapReader {
  /** Reads on, unless it is `full`. */
  write(bytes: Uint8Array): void;
  /** The end of the input. `whole` false: it broke off, and unfinished items, such as a URL, do not count. */
  end(whole?: boolean): void;
  /** Entries found since the last call, in order; one that is listed twice comes twice. */
  take(): SitemapEntry[];
  /** True: the entries are sitemaps. Known from the first of them on. */
  readonly index: boolean;
  readonly form: ListForm | null;
  readonly pollMs: number;
  /** The protocol's limit of bytes or entries is reached: the rest is left out. */
  readonly full: boolean;
}

/** `url`: of the sitemap. */
export function createSitemapReader(contentType: string | null, url: string): SitemapReader {
  const decoder = createXmlDecoder(contentType);
  const { origin, pathname } = new URL(url);
  const folder = pathname.slice(0, pathname.lastIndexOf('/') + 1);
  let feed: FeedReader | null = null;
  let lines: LineReader | null = null;
  let bytesRead = 0;
  let entriesTaken = 0;

  const coverageOf = (target: URL): SitemapEntry['coverage'] => {
    if (feed?.form === 'index' || (target.origin === origin && target.pathname.startsWith(folder))) return 'covered';
    return target.origin === origin ? 'outside' : 'elsewhere';
  };
  const entryOf = ({ location, lastModifiedMs, alternate, base: own }: Located): SitemapEntry | null => {
    const base = feed?.form === 'feed' ? (own ?? url) : undefined;
    if (location.length > parseLimits.hrefCharsMax || !canParse(location, base)) return null;
    const target = new URL(location, base);
    if (target.protocol !== 'http:' && target.protocol !== 'https:') return null;
    const entry = { url: withoutPlainFragment(target.href), lastModifiedMs, coverage: coverageOf(target) };
    return alternate ? { ...entry, alternate } : entry;
  };
  const read = (text: string) => {
    if (feed === null && lines === null) {
      text = text.replace(/^[\s\ufeff]+/, '');
      if (text === '') return;
      if (text.startsWith('<')) feed = createFeedReader(url);
      else if (text.startsWith('{')) feed = createJsonFeedReader();
      else lines = createLineReader();
    }
    (feed ?? lines)!.write(text);
  };
  return {
    write(bytes) {
      const room = parseLimits.sitemapBytesMax - bytesRead;
      bytesRead += Math.min(bytes.length, room);
      read(decoder.write(bytes.length > room ? bytes.subarray(0, room) : bytes));
    },
    end(whole = true) {
      read(decoder.end());
      if (whole) (feed ?? lines)?.end();
    },
    take() {
      const entries: SitemapEntry[] = [];
      for (const located of (feed ?? lines)?.take() ?? []) {
        const entry = entriesTaken < parseLimits.sitemapEntriesMax ? entryOf(located) : null;
        if (entry === null) continue;
        if (entry.alternate === undefined) entriesTaken += 1;
        entries.push(entry);
      }
      return entries;
    },
    get index() {
      return feed?.form === 'index';
    },
    get form() {
      return feed?.form ?? null;
    },
    get pollMs() {
      return feed?.pollMs ?? 0;
    },
    get full() {
      return bytesRead >= parseLimits.sitemapBytesMax || entriesTaken >= parseLimits.sitemapEntriesMax;
    },
  };
}

/** A whole sitemap at once, each entry once. `expired` is asked between slices: the first is read on the busiest machine. */
export function parseSitemap(
  body: Uint8Array,
  contentType: string | null,
  url: string,
  expired: () => boolean = () => false,
): Sitemap {
  const reader = createSitemapReader(contentType, url);
  const entries = new Map<string, SitemapEntry>();
  const keep = () => {
    for (const entry of reader.take()) {
      const known = entries.get(entry.url);
      if (known === undefined || (known.alternate && !entry.alternate)) entries.set(entry.url, entry);
    }
  };
  const { sliceChars } = parseLimits;
  for (let at = 0; at < body.length && !reader.full && (at === 0 || !expired()); at += sliceChars) {
    reader.write(body.subarray(at, at + sliceChars));
    keep();
  }
  reader.end();
  keep();
  const { index, form, pollMs } = reader;
  return { index, form, pollMs, entries: [...entries.values()] };
}

type LineReader = Pick<FeedReader, 'write' | 'end' | 'take'>;

/** Plain text: one URL per line, and nothing else counts. */
function createLineReader(): LineReader {
  let found: Located[] = [];
  /** Beginning of a line without its end yet; null: the line is too long for a URL, and is skipped. */
  let rest: string | null = '';
  const line = (text: string) => {
    const location = text.trim();
    if (/^https?:\/\//i.test(location)) found.push({ location, lastModifiedMs: 0 });
  };
  return {
    write(text) {
      const lineEnd = /[\r\n]+/g;
      for (let start = 0; start < text.length; ) {
        lineEnd.lastIndex = start;
        const end = lineEnd.exec(text);
        const piece = text.slice(start, end?.index);
        if (end === null) {
          rest = rest === null || rest.length + piece.length > parseLimits.hrefCharsMax ? null : rest + piece;
          return;
        }
        if (rest !== null) line(rest + piece);
        rest = '';
        start = lineEnd.lastIndex;
      }
    },
    end() {
      if (rest !== null) line(rest);
      rest = '';
    },
    take() {
      const taken = found;
      found = [];
      return taken;
    },
  };
}
