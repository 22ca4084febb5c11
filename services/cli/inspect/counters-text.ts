/** Counters of a crawl as people and programs read them: each count is declared once, in `countTable`. */
import type { CounterName, Counters } from '../../../topology/frontier/changes/counters.ts';
import { linkNames, placeNames } from '../../dashboard/words.ts';

interface Count {
  /** The counters that add up to this count. */
  readonly of: readonly CounterName[];
  /** In `stats` and in reports. Absent: it is not printed there. */
  readonly label?: string;
  /** Print it even if it is 0. */
  readonly always?: true;
  /** For docs/counts.md. */
  readonly means: string;
}

/** In the order in which they are printed. The keys are the fields of `--json`: a contract. */
export const countTable = {
  pages: { of: ['page'], label: placeNames.page, always: true, means: 'URLs that ended with a page' },
  hosts: { of: ['hosts'], label: 'hosts known', always: true, means: 'host keys with at least one admitted URL' },
  admitted: {
    of: ['admitted'],
    label: 'URLs admitted',
    always: true,
    means:
      'different URLs that the crawl accepted: the sum of pages, redirected, denied, failed, deadLettered, queued, leased and deferred',
  },
  discovered: { of: ['discovered'], means: 'links that arrived at the frontier, seeds and redirects included' },
  duplicates: {
    of: ['duplicates'],
    label: linkNames.duplicates,
    always: true,
    means:
      'links to known URLs. Fetchers do not repeat links that they published recently, so the number depends on restarts and on the number of fetchers',
  },
  seenErrors: {
    of: ['seenErrors'],
    label: 'missed (Bloom filter)',
    means: 'estimated number of new URLs that a Bloom filter mistook for known ones. 0 if the seen test is exact',
  },
  outOfScope: { of: ['outOfScope'], label: linkNames.outOfScope, means: 'links that the scope refused' },
  tooDeep: { of: ['tooDeep'], label: linkNames.tooDeep, means: 'links beyond `maxDepth`' },
  filtered: { of: ['filtered'], label: linkNames.filtered, means: 'links that another rule of the policy refused' },
  invalid: { of: ['invalid'], label: linkNames.invalid, means: 'links that are not http or https URLs' },
  tooLong: { of: ['tooLong'], label: linkNames.tooLong, means: 'links beyond `normalize.urlCharsMax`' },
  hostFull: {
    of: ['hostFull'],
    label: linkNames.hostFull,
    means: 'new URLs that were dropped because the queue of their host was full',
  },
  queueFull: {
    of: ['queueFull'],
    label: linkNames.queueFull,
    means: 'new URLs that were dropped because the queue of their partition was full',
  },
  linksDropped: {
    of: ['linksDropped'],
    label: linkNames.linksDropped,
    means: 'links of pages beyond `--links-per-page`: they never arrived',
  },
  truncated: {
    of: ['truncated'],
    label: 'pages cut at --max-body',
    means: 'pages with a body that was cut at `--max-body`. `pages` and `explain` name them',
  },
  purged: { of: ['purged'], label: 'links to purged URLs', means: 'links to URLs that an operator purged' },
  queued: {
    of: ['queued', 'retrying'],
    label: 'still queued',
    means: 'waiting URLs, including those to be retried',
  },
  retrying: { of: ['retrying'], means: 'the part of them that waits for a retry' },
  leased: { of: ['leased'], label: placeNames.leased, means: 'URLs that are leased to fetchers now' },
  deferred: {
    of: ['deferred'],
    label: placeNames.deferred,
    means: 'URLs that are not scheduled, because of a block, a limit, a trap, or a Crawl-delay above the limit',
  },
  overShare: {
    of: ['overShare'],
    label: 'beyond a host’s share',
    means: 'times that a URL was deferred because its host or domain had used up its share of the queue',
  },
  untagged: {
    of: ['untagged'],
    label: 'URLs that lost their tags',
    means: 'URLs that lost their tags because their partition has too many different lists',
  },
  capped: { of: ['capped'], label: 'hosts at a limit', means: 'times that a host reached a limit of pages or bytes' },
  scheduled: { of: ['scheduled'], label: 'due for refetch', means: 'visits and sitemaps that are due later' },
  revisits: { of: ['revisits'], label: 'fetched again', means: 'visits to pages that were fetched before' },
  changesFound: { of: ['changesFound'], label: '  found a change', means: 'the part of them that found a change' },
  notModified: {
    of: ['notModified'],
    label: '  not modified (304)',
    means: 'answers with status 304: the page has not changed',
  },
  redirected: { of: ['redirected'], label: placeNames.redirected, means: 'URLs that ended with a redirect' },
  denied: { of: ['denied'], label: placeNames.denied, means: 'URLs that robots.txt disallows' },
  failed: {
    of: ['failed'],
    label: placeNames.failed,
    means: 'URLs without a page that are not retried, such as those with a 404 answer or a skipped content type',
  },
  notRead: { of: ['notRead'], label: '  skipped by type', means: 'the part of them with a skipped content type' },
  paymentRequired: {
    of: ['paymentRequired'],
    label: '  payment required (402)',
    means: 'answers that asked for a payment, and got none',
  },
  deadLettered: {
    of: ['dead'],
    label: placeNames.dead,
    means: 'URLs that were given up: after all retries, after too many redirects, or because their host is dead',
  },
  undecodable: { of: ['undecodable'], label: 'unreadable records', means: 'input records that could not be read' },
  misrouted: {
    of: ['misrouted'],
    label: 'on the wrong partition',
    means: 'links, results and events that were written to the wrong partition for their key',
  },
  untaken: { of: ['untaken'], label: 'leases not taken', means: 'leases that expired before a fetcher took them' },
  foreignRecords: {
    of: ['foreignRecords'],
    label: 'changelog records by others',
    means: 'changelog records that another program wrote; they are ignored',
  },
  cutInputs: {
    of: ['cutInputs'],
    label: 'inputs that lost records',
    means: 'times that an input had lost records which were read',
  },
  fetches: {
    of: ['fetches'],
    label: 'requests tried',
    always: true,
    means: 'requests, including those for robots.txt, sitemaps and redirects, and those to unreachable hosts',
  },
  bytes: { of: ['bytes'], label: 'bytes received', always: true, means: 'bytes of bodies, as received' },
} as const satisfies Readonly<Record<string, Count>>;

export type CountName = keyof typeof countTable;

/** Fields of `--json` and `stats`: the names are a contract. */
export type CrawlCounts = { readonly [name in CountName]: number };

/** The places of admitted URLs: each admitted URL is in one, so their sum is `admitted`. */
export const placesOfUrls = [
  ...(['pages', 'redirected', 'denied', 'failed', 'deadLettered', 'queued', 'leased', 'deferred'] as const),
] satisfies readonly CountName[];

const table: readonly (readonly [CountName, Count])[] = Object.entries(countTable) as [CountName, Count][];

export function countsOf(counters: Counters): CrawlCounts {
  const counts = table.map(([name, { of }]) => [name, of.reduce((sum, one) => sum + counters[one], 0)] as const);
  return Object.fromEntries(counts) as CrawlCounts;
}

/** Returns the lines of a report. A row with 0 is left out, unless it is always printed. */
export function countsText(counts: CrawlCounts): string {
  return table
    .filter(([name, { label, always }]) => label !== undefined && (always || counts[name] > 0))
    .map(([name, { label = '' }]) => {
      const shown = name === 'failed' && counts.notRead > 0 ? `${label} or skipped` : label;
      return `  ${shown.padEnd(24)}${counts[name].toLocaleString('en-US').padStart(14)}`;
    })
    .join('\n');
}
