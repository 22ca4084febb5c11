/** Counters of a crawl as people and programs read them. */
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { linkNames, placeNames } from '../../dashboard/words.ts';

/** Fields of `--json` and `stats`: the names are a contract. */
export interface CrawlCounts {
  readonly pages: number;
  readonly admitted: number;
  readonly duplicates: number;
  /** Waiting, including those to be retried. */
  readonly queued: number;
  /** Ended without a page, with nothing to retry: 404, … ; includes types that are not read. */
  readonly failed: number;
  /** Successful responses of an unsupported media type. */
  readonly notRead: number;
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
  readonly tooLong: number;
  /** New, but dropped, because their host or the partition had as much queued as it may. */
  readonly hostFull: number;
  readonly queueFull: number;
  /** Links of pages above the link limit, and pages with a body cut at its limit. */
  /** Deferred, as their host or domain had its share of the queue. */
  readonly overShare: number;
  /** URLs that lost their tags because their partition has too many different lists. */
  readonly untagged: number;
  /** Times that a host was held, as it or its domain had given as much as the policy's caps allow. */
  readonly capped: number;
  readonly linksDropped: number;
  readonly truncated: number;
  readonly purged: number;
  /** Requests made, including those for robots.txt and redirects. */
  readonly fetches: number;
  readonly bytes: number;
  readonly undecodable: number;
  /** Links, results and events that arrived on a partition their key does not lead to. */
  readonly misrouted: number;
  /** Leases that ended before any fetcher had taken their task. */
  readonly untaken: number;
  /** Records of the changelog that others wrote. */
  readonly foreignRecords: number;
  /** Times that an input had lost records which were read. */
  readonly cutInputs: number;
  /** To be fetched again. */
  readonly scheduled: number;
  /** Visits to pages that were fetched before, and those of them that found a change. */
  readonly revisits: number;
  readonly changesFound: number;
  readonly notModified: number;
  /** New pages that a Bloom filter took for known, estimated from a sample. 0 where the seen test is exact. */
  readonly seenErrors: number;
  /** Answers that asked to be paid (402) and were not. */
  readonly paymentRequired: number;
}

export function countsOf(counters: Counters): CrawlCounts {
  const { page, queued, retrying, dead } = counters;
  return {
    pages: page,
    admitted: counters.admitted,
    duplicates: counters.duplicates,
    queued: queued + retrying,
    failed: counters.failed,
    notRead: counters.notRead,
    deadLettered: dead,
    hosts: counters.hosts,
    discovered: counters.discovered,
    leased: counters.leased,
    retrying,
    deferred: counters.deferred,
    redirected: counters.redirected,
    denied: counters.denied,
    outOfScope: counters.outOfScope,
    tooDeep: counters.tooDeep,
    filtered: counters.filtered,
    invalid: counters.invalid,
    tooLong: counters.tooLong,
    hostFull: counters.hostFull,
    queueFull: counters.queueFull,
    overShare: counters.overShare,
    untagged: counters.untagged,
    capped: counters.capped,
    linksDropped: counters.linksDropped,
    truncated: counters.truncated,
    purged: counters.purged,
    fetches: counters.fetches,
    bytes: counters.bytes,
    undecodable: counters.undecodable,
    misrouted: counters.misrouted,
    untaken: counters.untaken,
    foreignRecords: counters.foreignRecords,
    cutInputs: counters.cutInputs,
    scheduled: counters.scheduled,
    revisits: counters.revisits,
    changesFound: counters.changesFound,
    notModified: counters.notModified,
    seenErrors: counters.seenErrors,
    paymentRequired: counters.paymentRequired,
  };
}

/** Lines of a report; rows that are nought and only of interest when they aren't are left out. */
export function countsText(counts: CrawlCounts): string {
  const rows: readonly (readonly [label: string, count: number, always?: boolean])[] = [
    [placeNames.page, counts.pages, true],
    ['hosts met', counts.hosts, true],
    ['URLs admitted', counts.admitted, true],
    [linkNames.duplicates, counts.duplicates, true],
    ['missed (Bloom filter)', counts.seenErrors],
    [linkNames.outOfScope, counts.outOfScope],
    [linkNames.tooDeep, counts.tooDeep],
    [linkNames.filtered, counts.filtered],
    [linkNames.invalid, counts.invalid],
    [linkNames.tooLong, counts.tooLong],
    [linkNames.hostFull, counts.hostFull],
    [linkNames.queueFull, counts.queueFull],
    [linkNames.linksDropped, counts.linksDropped],
    ['pages cut at the limit', counts.truncated],
    ['links to purged URLs', counts.purged],
    ['still queued', counts.queued],
    [placeNames.leased, counts.leased],
    [placeNames.deferred, counts.deferred],
    ['beyond a host’s share', counts.overShare],
    ['URLs that lost their tags', counts.untagged],
    ['hosts at a limit', counts.capped],
    ['due for refetch', counts.scheduled],
    ['fetched again', counts.revisits],
    ['  found a change', counts.changesFound],
    ['  not modified (304)', counts.notModified],
    [placeNames.redirected, counts.redirected],
    [placeNames.denied, counts.denied],
    [counts.notRead > 0 ? `${placeNames.failed}, or not read` : placeNames.failed, counts.failed],
    ['  not read, by type', counts.notRead],
    ['  payment required (402)', counts.paymentRequired],
    [placeNames.dead, counts.deadLettered],
    ['unreadable records', counts.undecodable],
    ['on a wrong partition', counts.misrouted],
    ['leases not taken', counts.untaken],
    ['changelog records by others', counts.foreignRecords],
    ['inputs that lost records', counts.cutInputs],
    ['requests made', counts.fetches, true],
    ['bytes received', counts.bytes, true],
  ];
  return rows
    .filter(([, count, always]) => always || count > 0)
    .map(([label, count]) => `  ${label.padEnd(24)}${count.toLocaleString('en-US').padStart(14)}`)
    .join('\n');
}
