/** Computes the time of a host's next request, and the reason that the frontier itself would give. */

import type { HostAnswer } from '../../../topology/frontier/ask/queries.ts';
import type { UrlTimeline } from '../../../topology/frontier/ask/url-timeline.ts';
import type { HostFacts } from '../../../topology/frontier/changes/changes.ts';
import { failureDelayMs, isFailingServer, orderedDelayMs } from '../../../topology/frontier/decide/politeness.ts';
import { budgetQueue } from '../../../topology/frontier/queues/held-queues.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import { counted } from '../../runtime/counted.ts';
import type { CrawlObstacle } from './crawl-obstacle.ts';

export interface HostStatus {
  /** Earliest next contact; 0: it was never contacted. */
  readonly readyAtMs: number;
  /** The present obstacle, or what set `readyAtMs`. */
  readonly why: string;
  /** True: something else than the time keeps it from being requested. */
  readonly held: boolean;
  readonly leasesOut: readonly number[];
  readonly hold: string;
  readonly deadUntilMs: number;
  readonly failures: number;
  readonly throttles: number;
  readonly crawlDelayMs: number | null;
  readonly ownDelayMs: number | null;
  readonly fetchMs: number;
  /** Leases it may be on at once, and who set that. */
  readonly parallel: { readonly leases: number; readonly by: 'operator' | 'policy' };
  readonly traps: readonly { readonly pattern: string; readonly reason: string; readonly released: boolean }[];
}

export function hostStatus(
  policy: Policy,
  hostKey: string,
  timeline: UrlTimeline,
  obstacle: CrawlObstacle | null,
): HostStatus {
  const { facts, leasesOut, hostSlots, nowMs } = timeline;
  const { readyAtMs, hold, deadUntilMs, failures, throttles, crawlDelayMs, ownDelayMs, fetchMs } = facts;
  return {
    readyAtMs,
    why: whyItWaits(policy, hostKey, timeline, null, obstacle),
    held:
      hold !== '' ||
      deadUntilMs > nowMs ||
      leasesOut.length > 0 ||
      obstacle !== null ||
      policy.openAt(hostKey, nowMs) > nowMs,
    leasesOut,
    hold,
    deadUntilMs,
    failures,
    throttles,
    crawlDelayMs: crawlDelayMs < 0 ? null : crawlDelayMs,
    ownDelayMs: ownDelayMs < 0 ? null : ownDelayMs,
    fetchMs,
    parallel: { leases: hostSlots.most, by: hostSlots.own < 0 ? 'policy' : 'operator' },
    traps: [...timeline.traps.values()].map(({ pattern, reason, released }) => ({ pattern, reason, released })),
  };
}

const holds: Readonly<Record<string, string>> = {
  blocked: 'an operator blocked it',
  paused: 'its webmaster paused it',
  purged: 'it was purged: its data is deleted, and links to it are rejected',
  crawlDelay: 'its Crawl-delay is longer than the policy allows',
};

/** Says why no URL of a host may be fetched, although the host is free; null: one may. */
export function nothingToFetch({
  frontQueues,
  again,
  refresh,
}: Pick<HostAnswer, 'frontQueues' | 'again' | 'refresh'>): string | null {
  if (again.urls > 0 || refresh?.nextAtMs != null || frontQueues.some(({ held }) => !held)) return null;
  if (frontQueues.length === 0) return 'no URL of it waits';
  const urls = frontQueues.reduce((sum, queue) => sum + queue.urls, 0);
  const isBudget = ({ frontQueue }: { readonly frontQueue: number }) => frontQueue === budgetQueue;
  const by = frontQueues.every(isBudget)
    ? 'its budget'
    : frontQueues.some(isBudget)
      ? 'its budget and traps'
      : 'a trap';
  return `its ${counted(urls, 'waiting URL')} ${urls === 1 ? 'is' : 'are'} deferred by ${by}; "explain" with such a URL says how to fetch it`;
}

/** `nothing`: why no URL may be fetched of a free host. `obstacle`: why none may be fetched of any host. */
export function whyItWaits(
  policy: Policy,
  hostKey: string,
  { facts, leasesOut, hostSlots, nowMs }: Pick<UrlTimeline, 'facts' | 'leasesOut' | 'hostSlots' | 'nowMs'>,
  nothing: string | null = null,
  obstacle: CrawlObstacle | null = null,
): string {
  if (facts.hold === 'limit') return limitText(policy, hostKey, facts);
  if (facts.hold !== '') return holds[facts.hold] ?? facts.hold;
  if (facts.deadUntilMs > nowMs) return 'it was unreachable at every retry';
  if (leasesOut.length > 0)
    return `it is on lease ${leasesOut.join(', ')}${hostSlots.most > 1 ? `, of ${hostSlots.most} at once` : ''}`;
  if (nothing !== null) return nothing;
  if (obstacle?.byPolicy === true) return obstacle.text;
  const pace = paceText(policy, hostKey, facts, nowMs);
  return obstacle === null ? pace : `${obstacle.text}; ${pace}`;
}

/** Names the setting or event that sets the time of the next request to a free host. */
function paceText(policy: Policy, hostKey: string, facts: HostFacts, nowMs: number): string {
  const settings = policy.hostSettings(hostKey);
  const openAtMs = policy.openAt(hostKey, nowMs);
  if (openAtMs > nowMs) return `its crawl window opens at ${new Date(openAtMs).toISOString()}`;
  if (facts.readyAtMs === 0) return 'it was never contacted';
  if (facts.failures > 0)
    return `back-off of ${failureDelayMs(settings, facts.failures)} ms after ${counted(facts.failures, 'failure')} in a row`;
  if (isFailingServer(settings, facts))
    return `back-off number ${facts.throttles}: its server failed for several URLs in a row (serverErrorsMax)`;
  if (facts.throttles > 0)
    return `back-off after ${counted(facts.throttles, 'throttled answer')} or ${facts.throttles === 1 ? 'timeout' : 'timeouts in a row'}`;
  if (facts.returns > 0)
    return `a pause that the host asked for, or after ${counted(facts.returns, 'lease')} returned unfinished`;
  const adaptiveMs = Math.min(settings.delayFactor * facts.fetchMs, settings.delayFactorCapMs);
  const ownMs = orderedDelayMs(settings, facts);
  const delayMs = Math.max(ownMs, facts.crawlDelayMs, adaptiveMs);
  if (delayMs === facts.crawlDelayMs) return `${delayMs} ms after the last contact: its Crawl-delay`;
  if (delayMs > ownMs)
    return `${Math.round(delayMs)} ms after the last contact: ${settings.delayFactor} times the fetch time`;
  const isOwn = facts.ownDelayMs === ownMs;
  const own = facts.ownDelayIsLeast ? 'its webmaster' : 'an operator';
  const whose = isOwn ? own : orderedBy(policy, hostKey, 'delayMs');
  return `${delayMs} ms after the last contact: the delay of ${whose}`;
}

/** Names the limit or cap that holds the host, in the order of caps.ts. */
function limitText(policy: Policy, hostKey: string, { pagesMax, pages, bytes }: HostFacts): string {
  const { pagesPerHostMax, bytesPerHostMax } = policy.hostSettings(hostKey);
  if (pagesMax >= 0 && pages >= pagesMax) return 'it reached the page limit set by an operator';
  if (pagesMax < 0 && pagesPerHostMax != null && pages >= pagesPerHostMax)
    return `it reached its limit, ${pages} of ${pagesPerHostMax} pages: pagesPerHostMax of ${orderedBy(policy, hostKey, 'pagesPerHostMax')}`;
  if (bytesPerHostMax != null && bytes >= bytesPerHostMax)
    return `it reached its limit, ${bytes} of ${bytesPerHostMax} bytes: bytesPerHostMax of ${orderedBy(policy, hostKey, 'bytesPerHostMax')}`;
  const { pagesPerDomainMax } = policy.config;
  if (pagesPerDomainMax != null)
    return `its domain reached its limit, ${pagesPerDomainMax} pages: pagesPerDomainMax of the policy`;
  return 'it reached the page limit of an earlier policy';
}

function orderedBy(policy: Policy, hostKey: string, field: string): string {
  const overlay = policy.deciding(`https://${hostKey}/`).find(({ fields }) => fields.includes(field));
  return overlay === undefined ? 'the policy' : `overlay ${overlay.name}`;
}
