/**
 * What a visit means for the visits to come: what it found, what that says of the page, and when it is due again.
 *
 * A page has changed where its body has, and its main text too, as far as signatures tell; a 304 says that it has not. A
 * feed has where it has an entry that is new.
 * A visit that failed for now comes again after the steps of the retry schedule, then as errors do; what was known of the
 * page is kept. Without a `recrawl` policy, or where it says never, a URL ends as it always did.
 */
import type { Outcome } from '../../../schemas/types.ts';
import { hasNewEntries, isFeedSignature, pollSecondsOf } from '../../content/feed-signature.ts';
import { sameText } from '../../content/text-signature.ts';
import { parseHttpDate } from '../../fetch/http-date.ts';
import { isHostFailure, isRetriable } from '../../fetch/outcome.ts';
import { frontierLimits } from '../../limits.ts';
import { noHistory, visited } from '../../policy/recrawl/history.ts';
import type { VisitKind } from '../../policy/recrawl/recrawl-config.ts';
import type { Recrawl, Visited } from '../../policy/recrawl/schedule.ts';
import type { UrlRecord } from '../changes.ts';
import type { Decision } from '../decision.ts';
import type { Lease } from '../lease.ts';
import type { PageRecord } from './page-record.ts';

export interface Visit {
  readonly lease: Lease;
  readonly index: number;
  readonly outcome: Outcome;
  /** When the fetch was over. */
  readonly atMs: number;
  readonly band: number;
}

/** A visit that came to something, as `record` says. False, and nothing done: the URL will not be visited again. */
export function decideVisit(decision: Decision, recrawl: Recrawl, visit: Visit, record: UrlRecord): boolean {
  const { lease, index, outcome, atMs } = visit;
  const before = lease.pages.get(index);
  const changed = hasChanged(before, outcome, record);
  const page = pageAfter(visit, before, changed, record);
  const kind = kindOf(page);
  const next = recrawl.next(visitedOf(page, kind, changed, atMs), decision.state.recrawl.visitPrice);
  if (next === null) return false;
  if (changed !== null) decision.tally('revisits');
  if (changed === true) decision.tally('changesFound');
  decision.emit({
    kind: 'visit',
    hostKey: lease.host.key,
    leaseId: lease.id,
    index,
    dueAtMs: atMs + 1_000 * next.delayS,
    spent: record.status === 'page',
    proved: changed === null || !wasTold(decision, record.url) ? null : changed,
    page: { ...page, history: { ...page.history, intervalS: next.intervalS } },
  });
  return true;
}

/** A visit to a page that is known came to nothing, or was not made: it stays as it is, and is due again. */
export function decideNoVisit(decision: Decision, recrawl: Recrawl | null, visit: Visit, retriesMs: readonly number[]) {
  const { lease, index, outcome, atMs } = visit;
  const before = lease.pages.get(index)!;
  const { kind, retryAfterMs } = outcome;
  const emit = (dueAtMs: number, failures: number) => putPageBack(decision, lease, index, dueAtMs, failures);
  if (kind !== 'parseFailed' && (isHostFailure(kind) || !isRetriable(kind))) return emit(atMs, before.failures);
  const waitMs = retriesMs[before.failures];
  if (waitMs !== undefined && kind !== 'parseFailed') {
    decision.tally('retries');
    return emit(atMs + Math.max(waitMs, retryAfterMs), before.failures + 1);
  }
  const next = recrawl?.next(visitedOf(before, 'error', null, atMs), 0) ?? null;
  if (next !== null) return emit(atMs + 1_000 * next.delayS, 0);
  // Never again: it stays what it was when it was last seen.
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

/** The lease of a page has expired: alone on it, that counts as a failure, and several of those as an error. */
export function expirePage(decision: Decision, lease: Lease, index: number): void {
  const before = lease.pages.get(index)!.failures;
  const failures = lease.entries.length === 1 ? before + 1 : before;
  const isPoison = failures >= frontierLimits.expiriesMax;
  putPageBack(decision, lease, index, decision.nowMs + (isPoison ? errorMs : 0), isPoison ? 0 : failures);
}

/** A URL that was finished by a late result has had its first visit. */
export function decideLateVisit(
  decision: Decision,
  recrawl: Recrawl,
  hostKey: string,
  record: UrlRecord,
  signature: string,
  band: number,
): void {
  const { nowMs: atMs } = decision;
  const page = { record, band, visitedAtMs: atMs, changedAtMs: atMs, history: noHistory, signature, failures: 0 };
  const next = recrawl.next(visitedOf(page, kindOf(page), null, atMs), decision.state.recrawl.visitPrice);
  if (next === null) return;
  const history = { ...noHistory, intervalS: next.intervalS };
  const [leaseId, index, spent, proved, dueAtMs] = [0, 0, true, null, atMs + 1_000 * next.delayS] as const;
  decision.emit({ kind: 'visit', hostKey, leaseId, index, dueAtMs, spent, proved, page: { ...page, history } });
}

function wasTold({ state }: Decision, url: string): boolean {
  const [hi, lo] = state.fingerprintOf(url);
  const row = state.recrawl.table.find(hi!, lo!);
  return row >= 0 && state.recrawl.table.at(row).told;
}

function kindOf({ record: { status, outcome, soft404 }, signature }: PageRecord): VisitKind {
  if (outcome === 'gone' || soft404) return 'gone';
  if (status !== 'page') return 'error';
  return isFeedSignature(signature) ? 'feed' : 'page';
}

/** null: there is nothing to compare with. */
function hasChanged(before: PageRecord | undefined, outcome: Outcome, record: UrlRecord): boolean | null {
  if (before === undefined || before.visitedAtMs === 0 || record.status !== 'page') return null;
  if (outcome.kind === 'notModified') return false;
  const { contentHash, etag } = before.record;
  if (contentHash === '' || outcome.contentHash === '') return isStrong(etag) ? etag !== outcome.etag : null;
  return contentHash !== outcome.contentHash && !sayTheSame(before.signature, outcome.textSignature);
}

function sayTheSame(before: string, now: string): boolean {
  if (isFeedSignature(before) !== isFeedSignature(now)) return false;
  return isFeedSignature(now) ? !hasNewEntries(before, now) : sameText(before, now);
}

/** Weak tags, W/…, may stay while bytes change. */
function isStrong(etag: string): boolean {
  return etag.startsWith('"');
}

function pageAfter(
  { outcome, atMs, band }: Visit,
  before: PageRecord | undefined,
  changed: boolean | null,
  record: UrlRecord,
): PageRecord {
  if (before === undefined) {
    const visitedAtMs = record.status === 'page' ? atMs : 0;
    const signature = outcome.textSignature;
    return { record, band, visitedAtMs, changedAtMs: visitedAtMs, history: noHistory, signature, failures: 0 };
  }
  // An error tells nothing of the page: what to compare its next visit with is kept.
  if (record.status !== 'page') return { ...before, record: { ...keptOf(before, record) }, failures: 0 };
  const history =
    changed === null ? before.history : visited(before.history, (atMs - before.visitedAtMs) / 1_000, changed);
  return {
    record: outcome.kind === 'notModified' ? keptOf(before, record) : record,
    band,
    visitedAtMs: atMs,
    changedAtMs: changed === false ? before.changedAtMs : atMs,
    history,
    signature: signatureAfter(before.signature, outcome, changed),
    failures: 0,
  };
}

/** Of a text, as of its last change, so that what creeps away is noticed; of a feed, as it is now. */
function signatureAfter(before: string, { textSignature }: Outcome, changed: boolean | null): string {
  if (changed !== false || isFeedSignature(textSignature)) return textSignature;
  return before || textSignature;
}

/** The record with what the page's last body said, where this answer had none. */
function keptOf({ record: { etag, lastModified, contentHash } }: PageRecord, record: UrlRecord): UrlRecord {
  return {
    ...record,
    etag: record.etag || etag,
    lastModified: record.lastModified || lastModified,
    contentHash: record.contentHash || contentHash,
  };
}

function visitedOf(page: PageRecord, kind: VisitKind, changed: boolean | null, atMs: number): Visited {
  const { record, band, history, changedAtMs } = page;
  const modifiedMs = record.lastModified === '' ? null : parseHttpDate(record.lastModified);
  const since = modifiedMs !== null && modifiedMs > 0 && modifiedMs <= atMs ? modifiedMs : changedAtMs;
  const sinceChangeS = changed === true ? 0 : Math.max(0, Math.round((atMs - since) / 1_000));
  const visit = { url: record.url, kind, history, changed, sinceChangeS, band };
  return kind === 'feed' ? { ...visit, pollS: pollSecondsOf(page.signature) } : visit;
}
