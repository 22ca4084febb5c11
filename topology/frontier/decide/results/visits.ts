/**
 * Records, as a change, the result of a visit and when the page is due again (after-visit.ts).
 *
 * A visit with a temporary failure is repeated by the retry schedule, and after that at the interval for errors; the
 * facts about the page are kept. Without a `recrawl` policy, or if it says never, the URL is finished. If a refetch was
 * requested while the URL was on lease, it is due once more, at once, or with the retry.
 */
import type { Outcome } from '../../../../schemas/types.ts';
import { failsHost, isRetriable } from '../../../fetch/outcome.ts';
import type { RecrawlConfig } from '../../../policy/recrawl/recrawl-config.ts';
import type { Recrawl } from '../../../policy/recrawl/schedule.ts';
import type { UrlRecord } from '../../changes/changes.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import type { Lease } from '../../hosts/lease.ts';
import type { Due } from '../../recrawl/due-table.ts';
import type { FrontierState } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { scorerOf } from '../links/score-visited.ts';
import { type AfterVisit, afterVisit, type Seen, visitedOf } from './after-visit.ts';

export interface Visit {
  readonly lease: Lease;
  readonly index: number;
  readonly outcome: Outcome;
  /** When the fetch ended. */
  readonly atMs: number;
  readonly frontQueue: number;
}

/** Records a successful visit, as in `record`. Returns false, and does nothing, if the URL has no further visits. */
export function decideVisit(decision: Decision, recrawl: Recrawl | null, visit: Visit, record: UrlRecord): boolean {
  const due = dueOf(decision, record.url);
  const isPushed = due?.pushed === true;
  if (recrawl === null && !isPushed) return false;
  const { lease, index, outcome, atMs, frontQueue } = visit;
  const scoreAgain = scorerOf(decision, lease.host, record);
  const seen = {
    outcome,
    atMs,
    frontQueue,
    record,
    scoreAgain,
    gained: due?.gained ?? 0,
    duplicate: due?.duplicate === true,
  };
  const after = afterVisit(recrawl, lease.pages.get(index), seen, decision.state.recrawl.visitPrice);
  const { page, changed, delayS } = after;
  if (delayS === null && !isPushed) return false;
  if (changed !== null) decision.tally('revisits');
  if (changed === true) decision.tally('changesFound');
  decision.emit({
    kind: 'visit',
    hostKey: lease.host.key,
    leaseId: lease.id,
    index,
    dueAtMs: isPushed ? decision.nowMs : dueAtMs(decision, recrawl!, atMs, after),
    spent: record.status === 'page',
    proved: due?.fromSitemap === true ? changed : null,
    page,
  });
  return true;
}

/** A visit to a known page failed or was not made: the page stays unchanged, and is due again. */
export function decideNoVisit(decision: Decision, recrawl: Recrawl | null, visit: Visit, retriesMs: readonly number[]) {
  const { lease, index, outcome, atMs } = visit;
  const before = lease.pages.get(index)!;
  const { kind, retryAfterMs } = outcome;
  const emit = (dueAtMs: number, failures: number) => putPageBack(decision, lease, index, dueAtMs, failures);
  if (kind !== 'parseFailed' && (failsHost(outcome) || !isRetriable(kind))) return emit(atMs, before.failures);
  const waitMs = retriesMs[before.failures];
  if (waitMs !== undefined && kind !== 'parseFailed') {
    decision.tally('retries');
    return emit(atMs + Math.max(waitMs, retryAfterMs), before.failures + 1);
  }
  const next = recrawl?.next(visitedOf(before, 'error', null, atMs), 0) ?? null;
  if (dueOf(decision, before.record.url)?.pushed === true) return emit(decision.nowMs, 0);
  if (next !== null) return emit(atMs + 1_000 * next.delayS, 0);
  // The page is never visited again, and stays in the place of its last visit.
  const { record } = before;
  const disposition = { to: 'final', status: record.status } as const;
  return decision.emit({ kind: 'resolve', leaseId: lease.id, index, disposition, record });
}

const errorMs = 24 * 3_600_000;

/** A page of a lease that was not visited is due again. `failures`: in a row, for now. */
export function putPageBack(decision: Decision, lease: Lease, index: number, dueAtMs: number, failures?: number): void {
  const before = lease.pages.get(index)!;
  decision.emit({
    kind: 'visit',
    hostKey: lease.host.key,
    leaseId: lease.id,
    index,
    dueAtMs,
    spent: false,
    proved: null,
    page: { ...before, failures: failures ?? before.failures },
  });
}

/**
 * The lease of a page has expired. If the page was alone on it, that counts as a failure, and several failures count as
 * an error that no push shortens.
 */
export function expirePage(decision: Decision, lease: Lease, index: number): void {
  const before = lease.pages.get(index)!.failures;
  const failures = lease.entries.length === 1 ? before + 1 : before;
  const isPoison = failures >= frontierLimits.expiriesMax;
  putPageBack(decision, lease, index, decision.nowMs + (isPoison ? errorMs : 0), isPoison ? 0 : failures);
}

/** A URL that a late result finished has had its first visit. */
export function decideLateVisit(decision: Decision, recrawl: Recrawl, hostKey: string, seen: Omit<Seen, 'atMs'>): void {
  const { nowMs: atMs } = decision;
  const after = afterVisit(recrawl, undefined, { ...seen, atMs }, decision.state.recrawl.visitPrice);
  if (after.delayS === null) return;
  const due = dueAtMs(decision, recrawl, atMs, after);
  const { page } = after;
  decision.emit({ kind: 'visit', hostKey, leaseId: 0, index: 0, dueAtMs: due, spent: true, proved: null, page });
}

/** When the next visit is due. If the policy limits the visits per day, on a day with room. */
function dueAtMs({ state }: Decision, { config }: Recrawl, atMs: number, { delayS, isBounded }: AfterVisit): number {
  const wantedMs = atMs + 1_000 * delayS!;
  const { days } = state.recrawl.table;
  if (!isBounded || config.fetchesPerDay === null || days === null) return wantedMs;
  const wantedS = Math.ceil(wantedMs / 1_000);
  return wantedMs + 1_000 * (days.withRoom(wantedS, config.fetchesPerDay) - wantedS);
}

/** The same for a page that waits until `fromS`, and that does not count against its own day. */
export function onDayWithRoom(
  { recrawl: { table } }: FrontierState,
  { fetchesPerDay }: RecrawlConfig,
  wantedS: number,
  fromS: number,
): number {
  const { days } = table;
  if (fetchesPerDay === null || days === null) return wantedS;
  days.count(fromS, -1);
  const dueS = days.withRoom(wantedS, fetchesPerDay);
  days.count(fromS, 1);
  return dueS;
}

/** The schedule of a URL; undefined: it is not scheduled. */
function dueOf({ state }: Decision, url: string): Due | undefined {
  const { table } = state.recrawl;
  if (table.size === 0) return undefined;
  const [hi, lo] = state.fingerprintOf(url);
  const row = table.find(hi!, lo!);
  return row < 0 ? undefined : table.at(row);
}
