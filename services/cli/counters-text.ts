/** Counters of a crawl as people and programs read them. */
import type { Counters } from '../../topology/frontier/counters.ts';

/** What `--json` prints, and `stats`: names are a contract. */
export interface CrawlCounts {
  readonly pages: number;
  readonly admitted: number;
  readonly duplicates: number;
  /** Waiting, to be retried among them. */
  readonly queued: number;
  /** Ended without a page, with nothing to retry: 404, refused types, … */
  readonly failed: number;
  /** Given up on after their retries. */
  readonly deadLettered: number;
  readonly hosts: number;
  readonly discovered: number;
  readonly leased: number;
  readonly retrying: number;
  /** Held back: a Crawl-delay above the cap, or a blocked host. */
  readonly deferred: number;
  readonly redirected: number;
  /** Refused by robots.txt. */
  readonly denied: number;
  readonly outOfScope: number;
  readonly tooDeep: number;
  readonly filtered: number;
  readonly invalid: number;
  /** Requests made, robots.txt and redirect hops among them. */
  readonly fetches: number;
  readonly bytes: number;
  readonly undecodable: number;
}

export function countsOf(counters: Counters): CrawlCounts {
  const { page, queued, retrying, dead, failed, quotaGranted, quotaReturned, quotaSpent, leases, ...rest } = counters;
  return {
    pages: page,
    admitted: rest.admitted,
    duplicates: rest.duplicates,
    queued: queued + retrying,
    failed,
    deadLettered: dead,
    hosts: rest.hosts,
    discovered: rest.discovered,
    leased: rest.leased,
    retrying,
    deferred: rest.deferred,
    redirected: rest.redirected,
    denied: rest.denied,
    outOfScope: rest.outOfScope,
    tooDeep: rest.tooDeep,
    filtered: rest.filtered,
    invalid: rest.invalid,
    fetches: rest.fetches,
    bytes: rest.bytes,
    undecodable: rest.undecodable,
  };
}

/** Lines of a report; rows that are nought and only of interest when they aren't are left out. */
export function countsText(counts: CrawlCounts): string {
  const rows: readonly (readonly [label: string, count: number, always?: boolean])[] = [
    ['pages fetched', counts.pages, true],
    ['hosts met', counts.hosts, true],
    ['URLs admitted', counts.admitted, true],
    ['links already known', counts.duplicates, true],
    ['links out of scope', counts.outOfScope],
    ['links too deep', counts.tooDeep],
    ['links filtered out', counts.filtered],
    ['links not crawlable', counts.invalid],
    ['still queued', counts.queued],
    ['on lease', counts.leased],
    ['deferred', counts.deferred],
    ['redirected', counts.redirected],
    ['refused by robots.txt', counts.denied],
    ['failed', counts.failed],
    ['dead-lettered', counts.deadLettered],
    ['unreadable records', counts.undecodable],
    ['requests made', counts.fetches, true],
    ['bytes received', counts.bytes, true],
  ];
  return rows
    .filter(([, count, always]) => always || count > 0)
    .map(([label, count]) => `  ${label.padEnd(24)}${count.toLocaleString('en-US').padStart(14)}`)
    .join('\n');
}
