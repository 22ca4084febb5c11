/**
 * Links to URLs that were fetched before and will be fetched again: from an operator, from a push, or with a date that
 * a sitemap or feed gives.
 *
 * An operator and a push are believed: the URL is due at once, or as soon as its present lease is over, since the
 * change may be newer than that fetch. A date is compared with our last visit, and believed while the host's dates
 * prove true; of a host whose dates do not, one in sixteen is tried all the same, so that the host can regain its
 * credit. If a sitemap gives everything a new date, its URLs are spread to half of the host's pace, which leaves the
 * other half to discovery and to pages that are due by themselves.
 */
import type { Intent, Link } from '../../../../schemas/types.ts';
import type { Policy } from '../../../policy/policy.ts';
import type { Due } from '../../recrawl/due-table.ts';
import type { Trust } from '../../recrawl/recrawl-state.ts';
import type { Decision } from '../decision.ts';
import { baseDelayMs } from '../politeness.ts';

/** True: the URL is known and scheduled, and the link has said what it had to say. */
export function decideRefresh(
  decision: Decision,
  policy: Policy,
  intent: Intent,
  { url, hostKey }: { readonly url: string; readonly hostKey: string },
  link: Link,
  fingerprint: readonly [hi: number, lo: number],
): boolean {
  const { recrawl, hosts } = decision.state;
  const [hi, lo] = fingerprint;
  const row = recrawl.table.size === 0 ? -1 : recrawl.table.find(hi, lo);
  if (row < 0) return false;
  const due = recrawl.table.at(row);
  const nowS = Math.floor(decision.nowMs / 1_000);
  if (intent === 'force' || isPush(intent, link)) {
    if (due.out ? !due.pushed : due.dueS > nowS)
      decision.emit({ kind: 'due', hostKey, url, dueS: nowS, fromSitemap: false });
    return true;
  }
  const { lastModifiedMs } = link;
  const host = hosts.get(hostKey);
  if (
    intent !== 'refresh' ||
    host === undefined ||
    due.out ||
    due.fromSitemap ||
    !isNews(due, lastModifiedMs, decision.nowMs)
  )
    return true;
  const trust = recrawl.trust.get(host.id);
  if (!isTrusted(trust) && (lo & 15) !== ((trust?.fromSitemap ?? 0) & 15)) return true;
  const paceS = Math.ceil((2 * baseDelayMs(policy.hostSettings(hostKey), host.facts)) / 1_000);
  const dueS = Math.max(nowS, (trust?.lastDueS ?? 0) + paceS);
  if (dueS < due.dueS) decision.emit({ kind: 'due', hostKey, url, dueS, fromSitemap: true });
  return true;
}

/** Somebody says that the URL has changed just now, and wants it first: WebSub, IndexNow, an injection. */
export function isPush(intent: Intent, { lastModifiedMs, priority }: Link): boolean {
  return intent === 'refresh' && lastModifiedMs === 0 && priority === 0;
}

/** A date up to a day ahead may come from another time zone; one further ahead is not believed. */
const aheadMsMax = 24 * 3_600_000;

function isNews({ visitedS }: Due, lastModifiedMs: number, nowMs: number): boolean {
  return lastModifiedMs > 1_000 * visitedS && lastModifiedMs <= nowMs + aheadMsMax;
}

/** Dates are believed until there is evidence, and then while half of them prove true. */
export function isTrusted(trust: Trust | undefined): boolean {
  return trust === undefined || trust.fromSitemap < 4 || 2 * trust.proved >= trust.fromSitemap;
}
