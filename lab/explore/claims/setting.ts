/**
 * The web of the world `claims`: three URLs of two hosts. One redirects, one fails until it is given up, and one is a
 * page. The first two are seeds; the third is found through the redirect.
 */
import { blankControl, blankLinkGroup } from '../../../schemas/blank.ts';
import type { Control, Discovered, LinkGroup, OutcomeKind } from '../../../schemas/types.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';

export const fingerprintKey = { hi: 0x1234_5678, lo: 0x9abc_def0 };
export const identity = { crawl: 'explored', partition: 0, partitions: 1 };
export const startMs = 1_000_000;
export const delayMs = 1_000;
/** A request ends after this time at the latest, ms. */
export const requestTimeoutMs = 30_000;
/** Leases that fetchers take at once. */
export const leasesMax = 2;
/** Commits under way at once. */
export const commitsUnderWay = 2;

export const hosts = ['a.test', 'b.test'] as const;
export const movedUrl = 'http://a.test/moved';
export const brokenUrl = 'http://a.test/broken';
export const pageUrl = 'http://b.test/';
export const seeds = [movedUrl, brokenUrl] as const;

export interface Answer {
  readonly kind: OutcomeKind;
  readonly status: number;
  readonly redirectUrl: string;
  readonly links: readonly string[];
}

export function answerTo(url: string): Answer {
  if (url === movedUrl) return { kind: 'redirect', status: 301, redirectUrl: pageUrl, links: [] };
  if (url === brokenUrl) return { kind: 'serverError', status: 500, redirectUrl: '', links: [] };
  return { kind: 'fetched', status: 200, redirectUrl: '', links: [pageUrl] };
}

export function policyEvent(): Control {
  const policy = { ...defaultPolicy(), delayMs, delayFactor: 0, retriesMs: [2_000], urlsPerLeaseMax: 1 };
  return { ...blankControl, kind: 'policy', version: 1, payload: JSON.stringify(policy) };
}

/** The operator's event: a longer delay for the host of the seeds. */
export function operatorsEvent(atMs: number): Control {
  return { ...blankControl, kind: 'hostDelay', hostKey: hosts[0], amount: 3 * delayMs, atMs, by: 'operator' };
}

export function linkTo(url: string, group: Partial<LinkGroup> = {}): Discovered {
  const links = [{ url, lastModifiedMs: 0, priority: -1, spelling: '' }];
  return { groups: [{ ...blankLinkGroup, ...group, hostKey: hostKeyOf(url), links }] };
}
