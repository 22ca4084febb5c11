/**
 * A page's hrefs, gathered as written and resolved once its base is known.
 *
 * Document order, each URL once. A page may spell one link a thousand times: spellings are made distinct before they
 * are resolved, and only `hrefsPerLink` of them per link wanted are kept; what is beyond is counted, not remembered.
 */

import type { FoundIn } from '../../schemas/types.ts';
import { isHashbang } from '../url/fragment.ts';
import { resolveLink } from '../url/resolve.ts';
import { betterPlace } from './landmarks.ts';
import type { LinkSpelling } from './legacy-encodings.ts';
import { parseLimits } from './parse-limits.ts';

export interface HrefCollector {
  /** `place`: where on the page it stands. Absent: not known. */
  add(href: string, place?: FoundIn): void;
  /**
   * `page`: if there are too many links, those to its host are kept first. `spell`: how they are written in the page's
   * encoding.
   */
  resolve(base: string, page: string, spell?: LinkSpelling): Resolved;
}

export interface Resolved {
  readonly links: string[];
  /** Where the links stand of which it is known. */
  readonly places: ReadonlyMap<string, FoundIn>;
  /** Distinct links beyond the limit; past what is remembered, hrefs. */
  readonly dropped: number;
}

const noPlaces: ReadonlyMap<string, FoundIn> = new Map();

/** Absolute, without fragment (but `#!…`); null: malformed, or neither http nor https. */
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
