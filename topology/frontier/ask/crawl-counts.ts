/**
 * Counts of a crawl as people and programs read them: the same names in reports, `--json`, the library and the API of a
 * fleet. Each is declared once, with the counters that add up to it.
 */
import type { CounterName, Counters } from '../changes/counters.ts';

interface Count {
  readonly of: readonly CounterName[];
  /** For docs/counts.md. */
  readonly means: string;
}

/** In the order in which they are printed. The keys are the fields of `--json`: a contract. */
export const countTable = {
  pages: { of: ['page'], means: 'URLs that ended with a page' },
  hosts: { of: ['hosts'], means: 'host keys with at least one admitted URL' },
  admitted: {
    of: ['admitted'],
    means:
      'URLs that the crawl accepted, each again when it is sent again: the sum of pages, redirected, denied, failed, deadLettered, queued, leased and deferred',
  },
  discovered: { of: ['discovered'], means: 'links that arrived at the frontier, seeds and redirects included' },
  duplicates: {
    of: ['duplicates'],
    means:
      'links to known URLs. Fetchers do not repeat links that they published recently, so the number depends on restarts and on the number of fetchers',
  },
  seenErrors: {
    of: ['seenErrors'],
    means: 'estimated number of new URLs that a Bloom filter mistook for known ones. 0 if the seen test is exact',
  },
  outOfScope: { of: ['outOfScope'], means: 'links that the scope refused' },
  tooDeep: { of: ['tooDeep'], means: 'links beyond `maxDepth`' },
  filtered: { of: ['filtered'], means: 'links that another rule of the policy refused' },
  invalid: { of: ['invalid'], means: 'links that are not http or https URLs' },
  tooLong: { of: ['tooLong'], means: 'links beyond `normalize.urlCharsMax`' },
  hostFull: { of: ['hostFull'], means: 'new URLs that were dropped because the queue of their host was full' },
  queueFull: { of: ['queueFull'], means: 'new URLs that were dropped because the queue of their partition was full' },
  linksDropped: { of: ['linksDropped'], means: 'links of pages beyond `--links-per-page`: they never arrived' },
  truncated: {
    of: ['truncated'],
    means: 'pages with a body that was cut at `--max-body`. `pages` and `explain` name them',
  },
  purged: { of: ['purged'], means: 'links to URLs that an operator purged' },
  queued: { of: ['queued', 'retrying'], means: 'waiting URLs, including those to be retried' },
  retrying: { of: ['retrying'], means: 'the part of them that waits for a retry' },
  leased: { of: ['leased'], means: 'URLs that are leased to fetchers now' },
  deferred: {
    of: ['deferred'],
    means: 'URLs that are not scheduled, because of a block, a limit, a trap, or a Crawl-delay above the limit',
  },
  overShare: {
    of: ['overShare'],
    means: 'times that a URL was deferred because its host or domain had used up its share of the queue',
  },
  untagged: {
    of: ['untagged'],
    means: 'URLs that lost their tags because their partition has too many different lists',
  },
  capped: { of: ['capped'], means: 'times that a host reached a limit of pages or bytes' },
  scheduled: { of: ['scheduled'], means: 'visits and sitemaps that are due later' },
  revisits: { of: ['revisits'], means: 'visits to pages that were fetched before' },
  changesFound: { of: ['changesFound'], means: 'the part of them that found a change' },
  notModified: { of: ['notModified'], means: 'answers with status 304: the page has not changed' },
  redirected: { of: ['redirected'], means: 'URLs that ended with a redirect' },
  denied: { of: ['denied'], means: 'URLs that robots.txt disallows' },
  failed: {
    of: ['failed'],
    means: 'URLs without a page that are not retried, such as those with a 404 answer or a skipped content type',
  },
  notRead: { of: ['notRead'], means: 'the part of them with a skipped content type' },
  paymentRequired: { of: ['paymentRequired'], means: 'answers that asked for a payment, and got none' },
  deadLettered: {
    of: ['dead'],
    means: 'URLs that were given up: after all retries, after too many redirects, or because their host is dead',
  },
  undecodable: { of: ['undecodable'], means: 'input records that could not be read' },
  misrouted: {
    of: ['misrouted'],
    means: 'links, results and events that were written to the wrong partition for their key',
  },
  untaken: { of: ['untaken'], means: 'leases that expired before a fetcher took them' },
  foreignRecords: { of: ['foreignRecords'], means: 'changelog records that another program wrote; they are ignored' },
  cutInputs: { of: ['cutInputs'], means: 'times that an input had lost records which were read' },
  fetches: {
    of: ['fetches'],
    means: 'requests, including those for robots.txt, sitemaps and redirects, and those to unreachable hosts',
  },
  bytes: { of: ['bytes'], means: 'bytes of bodies, as received' },
} as const satisfies Readonly<Record<string, Count>>;

export type CountName = keyof typeof countTable;

export type CrawlCounts = { readonly [name in CountName]: number };

/** The places of admitted URLs: each admitted URL is in one, so their sum is `admitted`. */
export const placesOfUrls = [
  ...(['pages', 'redirected', 'denied', 'failed', 'deadLettered', 'queued', 'leased', 'deferred'] as const),
] satisfies readonly CountName[];

const table = Object.entries(countTable) as [CountName, Count][];

export function countsOf(counters: Readonly<Counters>): CrawlCounts {
  const counts = table.map(([name, { of }]) => [name, of.reduce((sum, one) => sum + counters[one], 0)] as const);
  return Object.fromEntries(counts) as CrawlCounts;
}
