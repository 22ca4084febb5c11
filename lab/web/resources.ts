/**
 * The URLs of one host, numbered: 0 … pagesPerHost−1 are the ordinary pages, the others are specials in a fixed order.
 *
 * Pages form a 4-ary tree by number (page n links to 4n+1 … 4n+4), so page 0 reaches them all, six links deep at most
 * for 1,000. A special is linked from one page. A request target is found by number, without a table of all URLs.
 */
import { type HostTraits, hasRules, isCrawlable } from './hosts.ts';
import type { WebOptions } from './options.ts';
import { mix } from './random.ts';

/**
 * extra: a page outside the tree: the target of a redirect, or a page that an Allow inside a Disallow permits. listed:
 * a page that only the sitemap names. hostile: a page of a malicious host. trap: a month of a calendar without end.
 * infra: robots.txt, its copies, sitemaps.
 */
export type ResourceKind =
  | 'page'
  | 'extra'
  | 'flaky'
  | 'month'
  | 'listed'
  | 'redirect'
  | 'loop'
  | 'missing'
  | 'error'
  | 'disallowed'
  | 'hostile'
  | 'trap'
  | 'infra';

export interface Resource {
  readonly kind: ResourceKind;
  /** Number within its host. −1: infra and trap, which are not numbered. */
  readonly index: number;
  /** Path and query in normal form. */
  readonly path: string;
  /** HTTP status of a plain GET: 200, 3xx, 404, 410 or 500. */
  readonly status: number;
  /** Target of a redirect. */
  readonly target?: { readonly host: number; readonly path: string };
}

/** A special, and the page that links to it. −1: no page does. */
export interface Special extends Resource {
  readonly onPage: number;
}

export interface HostShape {
  readonly host: number;
  readonly traits: HostTraits;
  readonly specials: readonly Special[];
  readonly byPath: ReadonlyMap<string, Special>;
  /** Specials to link to, by page. */
  readonly onPage: ReadonlyMap<number, readonly Special[]>;
}

/** The resources that a whole crawl fetches with 200, once each. */
const fetchedKinds: ReadonlySet<ResourceKind> = new Set(['page', 'extra', 'flaky', 'month', 'listed']);
export const isFetched = (kind: ResourceKind): boolean => fetchedKinds.has(kind);

/** Three forms, so that every rule of normalisation is needed. */
export function pagePath(page: number): string {
  if (page === 0) return '/';
  switch (page % 5) {
    case 3:
      return `/~docs/${page}`;
    case 4:
      return `/item?id=${page}&view=full`;
    default:
      return `/p/${page}`;
  }
}

/** The page of a normal path. −1: none. */
export function pageOf(path: string, pagesPerHost: number): number {
  if (path === '/') return 0;
  const digits = path.startsWith('/p/')
    ? path.slice(3)
    : path.startsWith('/~docs/')
      ? path.slice(7)
      : path.startsWith('/item?id=') && path.endsWith('&view=full')
        ? path.slice(9, -10)
        : '';
  const page = digits === '' ? -1 : Number(digits);
  return page > 0 && page < pagesPerHost && pagePath(page) === path ? page : -1;
}

export function monthPath(month: number): string {
  return `/calendar/${2026 + Math.floor(month / 12)}/${String((month % 12) + 1).padStart(2, '0')}`;
}

/** Months since January 2026 of a calendar path. −1: none. */
export function monthOf(path: string): number {
  const match = /^\/calendar\/(\d{4,6})\/(0[1-9]|1[0-2])$/.exec(path);
  const month = match === null ? -1 : (Number(match[1]) - 2026) * 12 + Number(match[2]) - 1;
  return month >= 0 && monthPath(month) === path ? month : -1;
}

export function shapeHost(host: number, traits: readonly HostTraits[], options: WebOptions): HostShape {
  const own = traits[host]!;
  const specials = isCrawlable(own) ? drawSpecials(host, traits, options) : [];
  const byPath = new Map<string, Special>();
  const onPage = new Map<number, Special[]>();
  for (const special of specials) {
    byPath.set(special.path, special);
    if (special.onPage < 0) continue;
    const there = onPage.get(special.onPage);
    if (there === undefined) onPage.set(special.onPage, [special]);
    else there.push(special);
  }
  return { host, traits: own, specials, byPath, onPage };
}

const redirectStatuses = [301, 302, 307, 308] as const;

function drawSpecials(host: number, traits: readonly HostTraits[], options: WebOptions): Special[] {
  const { seed, pagesPerHost } = options;
  const own = traits[host]!;
  const specials: Special[] = [];
  const dice = (salt: number, n: number) => mix(seed, host, salt, n);
  const somePage = () => dice(20, specials.length) % pagesPerHost;
  const add = (kind: ResourceKind, path: string, status: number, onPage: number, target?: Resource['target']) =>
    specials.push({
      kind,
      index: pagesPerHost + specials.length,
      path,
      status,
      onPage,
      ...(target === undefined ? {} : { target }),
    });
  const count = (share: number) => (share === 0 ? 0 : Math.max(1, Math.round(share * pagesPerHost)));

  const disallowed = hasRules(own) ? count(options.disallowed) : 0;
  for (let n = 0; n < disallowed; n++)
    add('disallowed', n % 2 === 0 ? `/private/${n}` : `/files/${n}.secret`, 200, somePage());
  if (disallowed > 0) add('extra', '/private/open/1', 200, somePage()); // an Allow inside a Disallow: plain to link to

  for (let n = 0; n < count(options.redirects); n++) {
    const status = redirectStatuses[dice(21, n) % 4]!;
    const here = { host, path: `/moved/${n}` };
    const form = dice(22, n) % 4;
    if (form === 0) {
      const there = crawlableFrom(dice(23, n) % options.hosts, traits);
      add('redirect', `/old/${n}`, status, somePage(), { host: there, path: pagePath(dice(24, n) % pagesPerHost) });
    } else if (form === 1) {
      add('redirect', `/old/${n}`, status, somePage(), { host, path: `/old/${n}/second` });
      add('redirect', `/old/${n}/second`, 302, -1, { host, path: `/old/${n}/third` });
      add('redirect', `/old/${n}/third`, 301, -1, here);
      add('extra', here.path, 200, -1);
    } else if (form === 2 && disallowed > 0) {
      add('redirect', `/old/${n}`, status, somePage(), { host, path: '/private/0' });
    } else {
      add('redirect', `/old/${n}`, status, somePage(), here);
      add('extra', here.path, 200, -1);
    }
  }
  if (own.loop) {
    add('loop', '/loop/a', 302, somePage(), { host, path: '/loop/b' });
    add('loop', '/loop/b', 302, -1, { host, path: '/loop/a' });
  }
  for (let n = 0; n < count(options.missing); n++) add('missing', `/gone/${n}`, n % 3 === 2 ? 410 : 404, somePage());
  for (let n = 0; n < count(options.errors); n++) add('error', `/error/${n}`, 500, somePage());
  const flaky = Math.max(count(options.flaky), own.throttled ? 1 : 0);
  for (let n = 0; n < flaky; n++) add('flaky', `/flaky/${n}`, 200, somePage());
  if (own.sitemap) for (let n = 0; n < count(options.sitemapOnly); n++) add('listed', `/listed/${n}`, 200, -1);
  if (own.calendar)
    for (let n = 0; n < options.calendarMonths; n++) add('month', monthPath(n), 200, n === 0 ? somePage() : -1);
  return specials;
}

function crawlableFrom(host: number, traits: readonly HostTraits[]): number {
  while (!isCrawlable(traits[host]!)) host--; // ends: host 0 is a seed
  return host;
}
