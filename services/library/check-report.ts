/** Checks a program's calls to a frontier in memory: the ranges are those of records on the topics. */
import { type Range, ranges } from '../../schemas/ranges.ts';
import { outcomeKinds } from '../../schemas/types.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import { isObject } from '../runtime/check-options.ts';
import type { HostLease, UrlOutcome } from './frontier.ts';

/** Checks the page that contains the URLs. Throws INVALID_ARGUMENT, which names the field and its value. */
export function checkSource(from: { readonly url: string; readonly depth: number; readonly hop?: number }): void {
  if (!isObject(from)) throw wrong('add: from', from, 'an object with url and depth of the page that has the links');
  if (typeof from.url !== 'string' || !URL.canParse(from.url))
    throw wrong('add: from.url', from.url, 'the absolute URL of the page that has the links');
  const { depth, hop } = ranges.LinkGroup;
  // URLs are a link further than the page that they were found on.
  checkNumber('add: from.depth', from.depth, { ...depth, most: depth.most - 1 });
  if (from.hop !== undefined) checkNumber('add: from.hop', from.hop, hop);
}

/** Outcome of a lease. Throws INVALID_ARGUMENT, naming the field and its value. */
export function checkReport(lease: HostLease, outcomes: readonly UrlOutcome[], crawlDelayMs: number): void {
  if (!isObject(lease) || typeof lease.hostKey !== 'string' || !Array.isArray(lease.urls))
    throw wrong('done: lease', lease, 'a lease that next() returned');
  checkNumber('done: lease.id', lease.id, ranges.Result.leaseId);
  if (!Array.isArray(outcomes))
    throw wrong('done: outcomes', outcomes, 'a list, as in [{ index: 0, kind: "fetched" }]');
  outcomes.forEach((one: UrlOutcome, i) => {
    const name = `done: outcomes[${i}]`;
    if (!isObject(one)) throw wrong(name, one, 'an object with index and kind');
    checkNumber(`${name}.index`, one.index, { least: 0, most: Math.max(0, lease.urls.length - 1) });
    if (!outcomeKinds.includes(one.kind)) throw wrong(`${name}.kind`, one.kind, `one of ${outcomeKinds.join(', ')}`);
    if (one.status !== undefined) checkNumber(`${name}.status`, one.status, ranges.Outcome.status);
    if (one.retryAfterMs !== undefined) checkMillis(`${name}.retryAfterMs`, one.retryAfterMs, longer);
    if (one.redirectUrl !== undefined && typeof one.redirectUrl !== 'string')
      throw wrong(`${name}.redirectUrl`, one.redirectUrl, 'the absolute URL that the redirect leads to');
  });
  checkMillis('done: crawlDelayMs', crawlDelayMs, ranges.HostFacts.crawlDelayMs);
}

/** Longer delays are cut to the longest that a host may ask for, as in a response. */
const longer = { least: 0, most: Number.MAX_SAFE_INTEGER };

function checkNumber(name: string, value: unknown, { least, most }: Pick<Range, 'least' | 'most'>): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return;
  throw wrong(name, value, `a whole number from ${least} to ${most}`);
}

/** Fractions of a millisecond come from a division: the frontier rounds them up. */
function checkMillis(name: string, value: unknown, range: Pick<Range, 'least' | 'most'>): void {
  checkNumber(name, typeof value === 'number' ? Math.ceil(value) : value, range);
}

function wrong(name: string, value: unknown, wants: string): CrawlstreamError {
  const given = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return new CrawlstreamError('INVALID_ARGUMENT', `${name} is ${`${given}`.slice(0, 100)}: give ${wants}`);
}
