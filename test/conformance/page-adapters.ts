/** The conformance runner's functions that pages, robots.txt, sitemaps and responses answer: thin calls into the product. */
import { gunzipSync } from 'node:zlib';
import { urlHasBlockedAddress } from '../../topology/fetch/address.ts';
import { parseHttpDate } from '../../topology/fetch/http-date.ts';
import { redirectTarget } from '../../topology/fetch/redirect.ts';
import { retryAfterSeconds } from '../../topology/fetch/retry-after.ts';
import { headerDirectives } from '../../topology/parse/directives.ts';
import { type ParsedPage, parsePage } from '../../topology/parse/page.ts';
import { parseSitemap } from '../../topology/parse/sitemap.ts';
import { parseSitemapDate } from '../../topology/parse/sitemap-date.ts';
import { isAllowed, parseRobots, sitemapValues } from '../../topology/robots/rules.ts';
import { needsRefetch, robotsVerdict } from '../../topology/robots/verdict.ts';

const robotsUrl = 'http://www.example.com/robots.txt';

export function robotsAllowed(body: Uint8Array, productToken: string, url: string): boolean {
  return isAllowed(parseRobots(body, productToken, robotsUrl), url);
}

export function robotsCrawlDelay(body: Uint8Array, productToken: string): number | null {
  const { crawlDelayMs } = parseRobots(body, productToken, robotsUrl);
  return crawlDelayMs === null ? null : crawlDelayMs / 1000;
}

/** The cases list values as the file spells them; the product's own `sitemaps` are these, resolved. */
export function robotsSitemaps(body: Uint8Array, _url: string): string[] {
  return sitemapValues(body);
}

interface RobotsStep {
  readonly status?: number;
  readonly location?: string;
  readonly error?: string;
  readonly cached_age_hours?: number;
}

/** The cases say `use_body` for what the product calls `parse`. */
export function robotsFetchOutcome(exchange: readonly RobotsStep[]): string {
  const asked = [robotsUrl];
  for (const step of exchange) {
    if (step.cached_age_hours !== undefined) {
      if (needsRefetch(step.cached_age_hours * 3_600_000)) return 'refetch';
      continue;
    }
    const verdict = robotsVerdict({
      url: asked.at(-1)!,
      status: step.status ?? 0,
      location: step.location ?? null,
      asked,
      cachedAgeMs: null,
    });
    if (verdict.kind !== 'follow') return verdict.kind === 'parse' ? 'use_body' : verdict.kind;
    asked.push(verdict.url);
  }
  return 'allow_all';
}

/** The cases come from a parser that holds sitemaps to their place, and lists alternates apart. */
export function sitemap(body: Uint8Array, contentType: string | null, url: string): { index: boolean; urls: string[] } {
  const plain = body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body;
  const { index, entries } = parseSitemap(plain, contentType, url);
  return {
    index,
    urls: entries
      .filter(({ coverage, alternate }) => coverage === 'covered' && alternate === undefined)
      .map((entry) => entry.url),
  };
}

export function sitemapDate(value: string): number | null {
  return parseSitemapDate(value);
}

export function metaRobots(html: string): { noindex: boolean; nofollow: boolean } {
  return page(html, robotsUrl).robots;
}

export function xRobotsTag(values: string[], productToken: string | null): { noindex: boolean; nofollow: boolean } {
  return headerDirectives(values, productToken);
}

export function metaRefresh(html: string, url: string): { url: string | null; delaySeconds: number | null } {
  return page(html, url).metaRefresh ?? { url: null, delaySeconds: null };
}

export function baseHref(html: string, url: string): string {
  return page(html, url).base;
}

export function links(html: string, url: string): string[] {
  return [...page(html, url).links];
}

export function charset(body: Uint8Array, contentType: string | null): string {
  return page(body, robotsUrl, contentType).charset;
}

export function httpDate(value: string): number | null {
  return parseHttpDate(value);
}

export function retryAfter(value: string | null, nowMs: number): number | null {
  return retryAfterSeconds(value, nowMs);
}

export function redirect(url: string, status: number, location: string | null): string | null {
  return redirectTarget(url, status, location);
}

export function addressBlocked(url: string): boolean {
  return urlHasBlockedAddress(url);
}

function page(html: string | Uint8Array, url: string, contentType: string | null = 'text/html'): ParsedPage {
  return parsePage(html, {
    url,
    contentType,
    robotsTags: [],
    productToken: 'crawlstream',
    linksMax: 10_000,
    textCharsMax: 100_000,
    byteBudget: 8 * 1024 * 1024,
    expired: () => false,
  });
}
