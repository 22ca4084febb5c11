/**
 * Schedules fetched URLs by a new policy, a range of them in each step: their next visits count from the last one.
 *
 * A visit that is due stays due, and so does one that a sitemap or a retry asked for. URLs that were
 * fetched under a policy without revisits are scheduled by the time of that fetch; their changes count from the next
 * visit on.
 */
import type { Policy } from '../../../policy/policy.ts';
import { noHistory } from '../../../policy/recrawl/history.ts';
import type { Recrawl } from '../../../policy/recrawl/schedule.ts';
import { linkOnly } from '../../../policy/score/inputs.ts';
import { hostKeyOf } from '../../../url/host-key.ts';
import type { UrlRecord } from '../../changes/changes.ts';
import { freshStepS } from '../../changes/fresh-steps.ts';
import type { PageRecord } from '../../changes/page-record.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { Due } from '../../recrawl/due-table.ts';
import type { FetchedUrl, RecheckRange } from '../../recrawl/recheck.ts';
import type { Decision } from '../decision.ts';
import { setPrice } from '../leases/price.ts';
import { judged, kindOf, visitedOf } from './after-visit.ts';
import { dueAtMs } from './visits.ts';

/** A policy has just come into force: if it schedules visits in another way, all fetched URLs are scheduled again. */
export function beginRecheck(decision: Decision, before: Policy | null, now: Policy): void {
  if (before === null || decision.state.pull.on || schedulesOf(before) === schedulesOf(now)) return;
  setPrice(decision);
  decision.emit({ kind: 'recheck', from: 0, never: [] });
}

/** All that due times follow from, as one text. */
function schedulesOf({ config: { recrawl, overlays = [] } }: Policy): string {
  const { share: _, ...schedule } = recrawl ?? { share: 0 };
  const ofOverlays = recrawl === undefined ? [] : overlays.filter(({ set }) => set.recrawl !== undefined);
  return JSON.stringify([recrawl !== undefined, schedule, ofOverlays.map(({ match, set }) => [match, set.recrawl])]);
}

/** `range`: the URLs that were read for this step. */
export function decideRecheck(decision: Decision, range: RecheckRange | null): void {
  const { policy, state } = decision;
  if (range === null || policy === null || range.from !== state.recrawl.recheckFrom) return;
  const never: number[] = [];
  let { to } = range;
  for (const one of range.urls) {
    const { hi, lo, page } = one;
    // The rest of the commit is for results and leases.
    if (decision.bytes >= frontierLimits.commitBytesSoft / 2) {
      to = hi;
      break;
    }
    if (page === null) enlist(decision, policy, one);
    else if (!moveVisit(decision, policy.recrawl, one, page)) never.push(hi, lo);
  }
  if (to > range.from) decision.emit({ kind: 'recheck', from: to, never });
}

/** Moves the next visit of a scheduled page. False: there is none under the policy. */
function moveVisit(decision: Decision, recrawl: Recrawl | null, { hi, lo }: FetchedUrl, page: PageRecord): boolean {
  const { state, nowMs } = decision;
  const row = state.recrawl.table.find(hi, lo);
  if (row < 0) return true;
  const due = state.recrawl.table.at(row);
  if (due.out || due.fromSitemap || page.failures > 0 || due.dueS <= Math.ceil(nowMs / 1_000)) return true;
  if (recrawl === null) return false;
  const atMs = page.record.status === 'page' ? page.visitedAtMs : page.record.atMs;
  const wantedMs = nextVisitMs(decision, recrawl, page, atMs, due);
  if (wantedMs === null) return false;
  const dueS = Math.ceil(wantedMs / 1_000);
  const hostKey = state.hosts.keys.keyOf(due.host);
  if (dueS !== due.dueS) decision.emit({ kind: 'due', hostKey, url: page.record.url, dueS, fromSitemap: false });
  return true;
}

/** When a page that was visited at `atMs` is visited next, ms; null: never. */
function nextVisitMs(decision: Decision, recrawl: Recrawl, page: PageRecord, atMs: number, due: Due | null) {
  const { state } = decision;
  const visit = { ...visitedOf(page, kindOf(page), null, atMs), isPast: true as const };
  const next = recrawl.next(judged(recrawl.config, visit, page, due?.duplicate === true), state.recrawl.visitPrice);
  if (next === null) return null;
  const { isBounded = false } = next;
  const delayS = Math.max(next.delayS, freshS(recrawl, page, atMs, due));
  return dueAtMs(decision, recrawl, atMs, { delayS, isBounded }, due);
}

/**
 * Seconds for which a page that was visited at `atMs` stays fresh. Its record has them rounded up, but its next visit was
 * never due before they end.
 */
function freshS({ config: { freshMsMax } }: Recrawl, { record }: PageRecord, atMs: number, due: Due | null): number {
  const keptS = due === null ? Infinity : Math.max(0, due.dueS - Math.ceil(atMs / 1_000));
  return Math.min(freshStepS(record.fresh ?? 0), keptS, Math.ceil((freshMsMax ?? Infinity) / 1_000));
}

/** Schedules a URL that was fetched under a policy without revisits. */
function enlist(decision: Decision, policy: Policy, { hi, lo, record }: FetchedUrl): void {
  const { state } = decision;
  const { recrawl } = policy;
  const { status } = record;
  if (recrawl === null || status === 'known' || status === 'dead') return;
  const hostKey = hostKeyOf(record.url);
  const host = state.hosts.get(hostKey);
  if (host === undefined || state.purge.refuses(state.hosts, hostKey, hi, lo)) return;
  const page = firstVisit(policy, { ...record, status });
  const dueAtMs = nextVisitMs(decision, recrawl, page, record.atMs, null);
  if (dueAtMs === null) return;
  decision.emit({ kind: 'visit', hostKey, leaseId: 0, index: 0, dueAtMs, spent: true, proved: null, page });
}

function firstVisit(policy: Policy, record: UrlRecord): PageRecord {
  const visitedAtMs = record.status === 'page' ? record.atMs : 0;
  const frontQueue = policy.frontQueueOf(record.url, linkOnly(record.depth));
  const visits = { visitedAtMs, changedAtMs: visitedAtMs, history: noHistory, signature: '', failures: 0 };
  return { record, frontQueue, ...visits };
}
