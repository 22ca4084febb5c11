/**
 * The options of a synthetic web: every feature has a rate, and 0 switches it off.
 *
 * Shares are in [0, 1]. A share above 0 gives at least one host (or URL of a host), if there are enough, so that small
 * webs show everything too. Seed hosts are always ordinary, or nothing could be reached.
 */
export interface WebOptions {
  /** Determines everything but the port. */
  readonly seed: number;
  readonly hosts: number;
  /** Ordinary pages of each host; redirects, failures and the like come on top. */
  readonly pagesPerHost: number;
  /** Registrable domains the hosts are spread over. The first host of each is a seed. */
  readonly domains: number;
  /** `names`: h007.site3.test. `addresses`: 127.1.0.8, for crawlers without an option for name resolution. */
  readonly naming: 'names' | 'addresses';
  readonly linksPerPage: number;
  /** Share of links that stay on their host. */
  readonly sameHostShare: number;
  /** Share of links in another spelling of the same URL. */
  readonly spellings: number;
  /** Share of hosts with rules in robots.txt that matter. The others allow everything. */
  readonly robotsRules: number;
  /** Share of hosts that answer 404 to robots.txt. */
  readonly robotsMissing: number;
  /** Share of hosts that always answer 503 to robots.txt: nothing on them may be fetched. */
  readonly robotsUnavailable: number;
  /** Share of hosts that redirect robots.txt: half on the host itself, half to another host. */
  readonly robotsMoved: number;
  /** Share of hosts that ask for `crawlDelayMs`. */
  readonly crawlDelays: number;
  readonly crawlDelayMs: number;
  /** Links to disallowed URLs, as a share of a host's pages; only where robots.txt has rules. */
  readonly disallowed: number;
  /** Redirects, as a share of a host's pages: on the host, across hosts, in chains, into disallowed paths. */
  readonly redirects: number;
  /** Share of hosts with two URLs that redirect to each other. */
  readonly redirectLoops: number;
  /** 404 and 410, as a share of a host's pages. */
  readonly missing: number;
  /** URLs that always answer 500, as a share of a host's pages. */
  readonly errors: number;
  /** URLs that answer 500 once and 200 from then on, as a share of a host's pages. */
  readonly flaky: number;
  /** Share of hosts with flaky URLs that answer 429 the first time, with Retry-After: `retryAfterSeconds`. */
  readonly throttled: number;
  readonly retryAfterSeconds: number;
  /** Share of ordinary pages that answer after `slowMs`. */
  readonly slow: number;
  readonly slowMs: number;
  /** Share of pages with ETag, Last-Modified or both, answering 304. */
  readonly validators: number;
  /** Share of hosts with a calendar. */
  readonly calendars: number;
  /** Months of each calendar. −1: it never ends, so a crawl without limits does not either. */
  readonly calendarMonths: number;
  /** Share of hosts with a sitemap that robots.txt names. */
  readonly sitemaps: number;
  /** Pages that only the sitemap names, as a share of a host's pages. */
  readonly sitemapOnly: number;
  /** Share of ordinary pages of 100 KB, with ten times the links. */
  readonly longPages: number;
  /** Share of ordinary pages with some links and no prose. */
  readonly tinyPages: number;
  /** 0: plain HTTP. 1: TLS with HTTP/1.1 alone. 2: TLS, with HTTP/2 for clients that speak it. */
  readonly tls: number;
  /** Share of malicious hosts. */
  readonly hostileShare: number;
}

/** All ordinary, for a benchmark of pages per second. */
const plain: WebOptions = {
  seed: 1,
  hosts: 200,
  pagesPerHost: 100,
  domains: 8,
  naming: 'names',
  linksPerPage: 42,
  sameHostShare: 0.7,
  spellings: 0,
  robotsRules: 0,
  robotsMissing: 0,
  robotsUnavailable: 0,
  robotsMoved: 0,
  crawlDelays: 0,
  crawlDelayMs: 1000,
  disallowed: 0,
  redirects: 0,
  redirectLoops: 0,
  missing: 0,
  errors: 0,
  flaky: 0,
  throttled: 0,
  retryAfterSeconds: 2,
  slow: 0,
  slowMs: 200,
  validators: 0,
  calendars: 0,
  calendarMonths: 24,
  sitemaps: 0,
  sitemapOnly: 0,
  longPages: 0,
  tinyPages: 0,
  tls: 0,
  hostileShare: 0,
};

/** Every feature that lets a crawl end. Malice, and pages that only a sitemap names, must be requested by name. */
const full: WebOptions = {
  ...plain,
  spellings: 0.15,
  robotsRules: 0.4,
  robotsMissing: 0.1,
  robotsUnavailable: 0.02,
  robotsMoved: 0.04,
  crawlDelays: 0.05,
  disallowed: 0.04,
  redirects: 0.05,
  redirectLoops: 0.02,
  missing: 0.02,
  errors: 0.005,
  flaky: 0.01,
  slow: 0.01,
  validators: 0.5,
  calendars: 0.02,
  sitemaps: 0.2,
};

/**
 * Nothing that makes a crawl wait, and many URLs without a page: two of five requests lead to none, as on real webs.
 */
const messy: WebOptions = {
  ...plain,
  spellings: 0.15,
  robotsRules: 1,
  robotsMissing: 0.1,
  robotsMoved: 0.04,
  disallowed: 0.2,
  redirects: 0.5,
  missing: 0.1,
  longPages: 0.05,
  tinyPages: 0.3,
};

export const presets = { plain, full, messy } as const;
export type PresetName = keyof typeof presets;

/** @throws RangeError naming the option, if a value is out of its range. */
export function webOptions(preset: PresetName, changes: Partial<WebOptions> = {}): WebOptions {
  const options: WebOptions = { ...presets[preset], ...changes };
  const whole = (name: keyof WebOptions, least: number, most: number) => {
    const value = options[name];
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most)
      throw new RangeError(`${name} must be a whole number from ${least} to ${most}, not ${value}`);
  };
  whole('seed', 0, 0xffff_ffff);
  // 127.1.1.1 … 127.250.250.250 bound the hosts; 2^24 resources a host keep their numbers small.
  whole('hosts', 1, 1_000_000);
  whole('pagesPerHost', 1, 1_000_000);
  whole('domains', 1, 1000);
  whole('linksPerPage', 5, 1000);
  whole('crawlDelayMs', 0, 86_400_000);
  whole('slowMs', 0, 86_400_000);
  whole('retryAfterSeconds', 0, 86_400);
  whole('calendarMonths', -1, 12_000);
  whole('tls', 0, 2);
  for (const [name, value] of Object.entries(options)) {
    if (name in ranged || name === 'naming') continue;
    if (typeof value !== 'number' || !(value >= 0 && value <= 1))
      throw new RangeError(`${name} must be a share from 0 to 1, not ${value}`);
  }
  if (options.naming !== 'names' && options.naming !== 'addresses')
    throw new RangeError(`naming must be names or addresses, not ${options.naming}`);
  return Object.freeze({ ...options, domains: Math.min(options.domains, options.hosts) });
}

/** The options that are counts or times, checked above. */
const ranged = {
  seed: 0,
  hosts: 0,
  pagesPerHost: 0,
  domains: 0,
  linksPerPage: 0,
  crawlDelayMs: 0,
  slowMs: 0,
  retryAfterSeconds: 0,
  calendarMonths: 0,
  tls: 0,
};
