/**
 * Links to pages that were fetched and are scheduled again: from an operator, from a push, or with a date in a
 * sitemap or feed.
 *
 * An operator and a push are trusted: the URL is due at once or, if it is on lease, right after it, because the
 * change may be newer than that fetch. A date is compared with the last visit, and trusted while the host's dates
 * prove true. If they do not, one date in sixteen is still tried, so that the host can regain trust. If a sitemap
 * gives everything a new date, its URLs are spread over half of the host's rate; the other half is left for discovery
 * and for pages that are due anyway.
 */
import type { Intent, Link } from '../../../../schemas/types.ts';
import type { Policy } from '../../../policy/policy.ts';
import type { Due } from '../../recrawl/due-table.ts';
import type { Trust } from '../../recrawl/recrawl-state.ts';
import type { Decision } from '../decision.ts';
import { baseDelayMs } from '../politeness.ts';

/** Returns true if the URL is known and scheduled; the link is then handled. */
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

/** A sender reports that the URL has just changed, and requests it first: WebSub, IndexNow, an injection. */
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
