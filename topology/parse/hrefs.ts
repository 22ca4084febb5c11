/**
 * Collects a page's hrefs as written, and resolves them once the base is known.
 *
 * Links are in document order, each URL once. A page may repeat a link a thousand times, so hrefs are made distinct
 * before they are resolved. At most `hrefsPerLink` hrefs per wanted link are kept; the others are only counted.
 */

import type { FoundIn } from '../../schemas/types.ts';
import { isHashbang } from '../url/fragment.ts';
import { resolveLink } from '../url/resolve.ts';
import { betterPlace } from './landmarks.ts';
import type { LinkSpelling } from './legacy-encodings.ts';
import { parseLimits } from './parse-limits.ts';

export interface HrefCollector {
  /** `place`: position of the link on the page. Absent: unknown. */
  add(href: string, place?: FoundIn): void;
  /**
   * Resolves the hrefs. `page`: URL of the page; if there are too many links, those to its host are kept first.
   * `spell`: escapes a link in the page's encoding.
   */
  resolve(base: string, page: string, spell?: LinkSpelling): Resolved;
}

export interface Resolved {
  readonly links: string[];
  /** Positions of links on the page, for links with a known position. */
  readonly places: ReadonlyMap<string, FoundIn>;
  /** Number of dropped links: distinct links beyond the limit, plus hrefs that were not kept. */
  readonly dropped: number;
}

const noPlaces: ReadonlyMap<string, FoundIn> = new Map();

/** Resolves to an absolute URL without fragment (except `#!…`); null: malformed, or neither http nor https. */
export function resolveHttp(href: string, base: string): string | null {
  const link = resolveLink(href, base);
  return link !== null && (link.startsWith('https:') || link.startsWith('http:')) ? link : null;
}

export function createHrefs(linksMax: number): HrefCollector {
  const hrefs = new Map<string, FoundIn>();
  const keptMax = linksMax * parseLimits.hrefsPerLink;
  let beyond = 0;
  return {
    add(written, place = 'unknown') {
      if (written.length > parseLimits.hrefCharsMax) return;
      const href = withoutFragment(stripped(written));
      const before = hrefs.get(href);
      if (before === undefined) {
        if (hrefs.size < keptMax) hrefs.set(href, place);
        else beyond += 1;
      } else if (before !== place) hrefs.set(href, betterPlace(before, place));
    },
    resolve(base, page, spell) {
      const all = new Map<string, FoundIn>();
      let isKnown = false;
      for (const [href, place] of hrefs) {
        const link = resolveHttp(spell === undefined ? href : spell(href), base);
        if (link === null) continue;
        const before = all.get(link);
        if (before !== place) all.set(link, betterPlace(before, place));
        isKnown ||= place !== 'unknown';
      }
      const links = all.size <= linksMax ? [...all.keys()] : ownFirst(all.keys(), page).slice(0, linksMax);
      return { links, places: isKnown ? knownOf(all) : noPlaces, dropped: all.size - links.length + beyond };
    },
  };
}

/** Without C0 controls and spaces at its ends (URL standard §4.4); other white space is part of a URL. */
export function stripped(written: string): string {
  let start = 0;
  let end = written.length;
  while (start < end && written.charCodeAt(start) <= 0x20) start++;
  while (end > start && written.charCodeAt(end - 1) <= 0x20) end--;
  return end - start === written.length ? written : written.slice(start, end);
}

/** A `#` stays behind a blank, which would be stripped as the end of the URL. */
function withoutFragment(href: string): string {
  const hash = href.indexOf('#');
  if (hash < 0 || isHashbang(href, hash)) return href;
  return href.slice(0, href.charCodeAt(hash - 1) <= 0x20 ? hash + 1 : hash);
}

function knownOf(places: ReadonlyMap<string, FoundIn>): Map<string, FoundIn> {
  return new Map([...places].filter(([, place]) => place !== 'unknown'));
}

/** Links to the page's own host matter most to a crawl, so they are dropped last. */
function ownFirst(links: Iterable<string>, page: string): string[] {
  const host = hostOf(page);
  const own: string[] = [];
  const others: string[] = [];
  for (const link of links) (hostOf(link) === host ? own : others).push(link);
  return own.concat(others);
}

/** Host and port, as a resolved link spells them. */
function hostOf(url: string): string {
  const start = url.indexOf('//') + 2;
  let end = start;
  while (end < url.length && !'/?#'.includes(url[end]!)) end++;
  return url.slice(start, end);
}
