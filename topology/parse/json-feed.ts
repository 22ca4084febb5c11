/**
 * JSON Feed, version 1 and 1.1 (jsonfeed.org): a document with `version` and `items`. An item has its page's `url`,
 * and `date_modified` or `date_published` (RFC 3339). An item that only points elsewhere has `external_url`; an item
 * with a URL as `id` may have nothing else. The JSON is parsed as a whole, so a feed longer than `jsonFeedCharsMax`
 * yields nothing.
 */

import type { FeedReader, Located } from './feed.ts';
import { parseLimits } from './parse-limits.ts';
import { parseSitemapDate } from './sitemap-date.ts';

const version = /^https?:\/\/(?:www\.)?jsonfeed\.org\/version\//;

export function createJsonFeedReader(): FeedReader {
  let pieces: string[] = [];
  let chars = 0;
  let isFeed = false;
  let found: Located[] = [];
  return {
    write(text) {
      chars += text.length;
      if (chars <= parseLimits.jsonFeedCharsMax) pieces.push(text);
      else pieces = [];
    },
    end() {
      const feed = chars > parseLimits.jsonFeedCharsMax ? null : parse(pieces.join(''));
      isFeed = feed !== null;
      for (const item of feed ?? []) {
        const located = locatedOf(item);
        if (located !== null) found.push(located);
      }
    },
    take() {
      const taken = found;
      found = [];
      return taken;
    },
    get form() {
      return isFeed ? 'feed' : null;
    },
    pollMs: 0,
  };
}

/** Its items; null: not a JSON Feed. */
function parse(text: string): readonly unknown[] | null {
  try {
    const { version: says, items } = JSON.parse(text) as { readonly version?: unknown; readonly items?: unknown };
    return typeof says === 'string' && version.test(says) && Array.isArray(items) ? items : null;
  } catch {
    return null;
  }
}

function locatedOf(item: unknown): Located | null {
  if (typeof item !== 'object' || item === null) return null;
  const { url, external_url, id, date_modified, date_published } = item as Readonly<Record<string, unknown>>;
  const location = [url, external_url, id].find((one): one is string => typeof one === 'string' && one.trim() !== '');
  if (location === undefined || (location === id && !/^https?:/i.test(location))) return null;
  return { location: location.trim(), lastModifiedMs: dateOf(date_modified) || dateOf(date_published) };
}

function dateOf(value: unknown): number {
  return typeof value === 'string' ? Math.max(0, parseSitemapDate(value) ?? 0) : 0;
}
