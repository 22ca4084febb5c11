/**
 * The result of a visit for its page: whether it changed, what to store, and when to revisit. A pure function of known
 * and found facts.
 *
 * A page has changed if its body and its main text have, as far as signatures show; a 304 says that it has not. A feed
 * has changed if it has a new entry.
 */
import type { Outcome } from '../../../../schemas/types.ts';
import { hasNewEntries, isFeedSignature, pollSecondsOf } from '../../../content/feed-signature.ts';
import { sameText } from '../../../content/text-signature.ts';
import { parseHttpDate } from '../../../fetch/http-date.ts';
import { changesPerDay } from '../../../policy/recrawl/change-rate.ts';
import { countedIn, isDemoted } from '../../../policy/recrawl/demote.ts';
import { withVisit } from '../../../policy/recrawl/gain.ts';
import { noHistory, recentShare, visited } from '../../../policy/recrawl/history.ts';
import type { RecrawlConfig, VisitKind } from '../../../policy/recrawl/recrawl-config.ts';
import type { Recrawl, Visited } from '../../../policy/recrawl/schedule.ts';
import type { FreshnessInputs } from '../../../policy/score/inputs.ts';
import type { UrlRecord } from '../../changes/changes.ts';
import type { PageRecord } from '../../changes/page-record.ts';
import { frontierLimits } from '../../frontier-limits.ts';

/** A successful visit, as in `record`. */
export interface Seen {
  readonly outcome: Outcome;
  /** When the fetch ended. */
  readonly atMs: number;
  readonly frontQueue: number;
  readonly record: UrlRecord;
  /** New URLs that links of the page have led to since the previous visit. Absent: none. */
  readonly gained?: number;
  /** The content dedup reports that the page is nearly the same as another one. Absent: it does not. */
  readonly duplicate?: boolean;
  /** Computes the front queue from its visits, including this one. Absent: unchanged. */
  readonly scoreAgain?: ((freshness: FreshnessInputs, isFeed: boolean) => number) | undefined;
}

export interface AfterVisit {
  readonly page: PageRecord;
  /** Whether the page has changed; null: there was nothing to compare with. */
  readonly changed: boolean | null;
  /** Time until the next visit, s; null: there will be none. */
  readonly delayS: number | null;
  /** The policy bounds how many such visits a day has. */
  readonly isBounded: boolean;
}

/**
 * `recrawl` null: no policy schedules visits. `before` undefined: the first visit. `price` null: the price of a visit
 * is unknown.
 */
export function afterVisit(
  recrawl: Recrawl | null,
  before: PageRecord | undefined,
  seen: Seen,
  price: number | null,
): AfterVisit {
  const changed = hasChanged(before, seen.outcome, seen.record);
  const page = scoredAgain(before, seen, pageAfter(before, seen, changed));
  const visit = visitedOf(page, kindOf(page), changed, seen.atMs);
  const next = recrawl?.next(judged(recrawl.config, visit, page, seen.duplicate === true), price) ?? null;
  if (next === null) return { page, changed, delayS: null, isBounded: false };
  const { intervalS, isBounded = false } = next;
  const delayS = Math.max(next.delayS, freshS(seen, recrawl?.config.freshMsMax));
  return { page: { ...page, history: { ...page.history, intervalS } }, changed, delayS, isBounded };
}

/** A verdict on the page is one on its next visits. */
function judged({ demote }: RecrawlConfig, visit: Visited, page: PageRecord, duplicate: boolean): Visited {
  if (visit.kind !== 'page' || !isDemoted(demote, page, duplicate)) return visit;
  return { ...visit, demoted: true, frontQueue: countedIn(demote, page, duplicate) };
}

/** A failed visit is no evidence about the page's value. */
function scoredAgain(before: PageRecord | undefined, { scoreAgain, atMs, record }: Seen, page: PageRecord): PageRecord {
  if (scoreAgain === undefined || record.status !== 'page') return page;
  const visitedAtMs = before?.visitedAtMs ?? 0;
  const past = {
    ageMs: visitedAtMs === 0 ? null : Math.max(0, atMs - visitedAtMs),
    changesPerDay: changesPerDay(page.history),
    changedShare: recentShare(page.history),
  };
  const frontQueue = scoreAgain(past, isFeedSignature(page.signature));
  return { ...page, frontQueue };
}

/**
 * Seconds for which a page is not fetched again, because its response says that it is fresh
 * (draft-illyes-webbotauth-cbcp-00: crawlers support the directives of RFC 9111). A change that the site itself
 * reports still moves the visit forward.
 */
function freshS({ outcome, record }: Seen, mostMs?: number): number {
  if (record.status !== 'page') return 0;
  return Math.min(Math.ceil(outcome.freshForMs / 1_000), freshSMaxOf(mostMs));
}

/** Longest time that `Cache-Control: max-age` may delay a visit, s. `mostMs`: as the policy says. */
export function freshSMaxOf(mostMs: number | undefined): number {
  return mostMs === undefined
    ? frontierLimits.freshSMax
    : Math.min(Math.ceil(mostMs / 1_000), frontierLimits.freshSMax);
}

function kindOf({ record: { status, outcome, soft404 }, signature }: PageRecord): VisitKind {
  if (outcome === 'gone' || soft404) return 'gone';
  if (status !== 'page') return 'error';
  return isFeedSignature(signature) ? 'feed' : 'page';
}

/** Whether the page has changed; null: there is nothing to compare with. */
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
  before: PageRecord | undefined,
  { outcome, atMs, frontQueue, record, gained = 0 }: Seen,
  changed: boolean | null,
): PageRecord {
  if (before === undefined) {
    const visitedAtMs = record.status === 'page' ? atMs : 0;
    const signature = outcome.textSignature;
    return { record, frontQueue, visitedAtMs, changedAtMs: visitedAtMs, history: noHistory, signature, failures: 0 };
  }
  // An error is no evidence about the page, so the data for the next comparison stay.
  if (record.status !== 'page') return { ...before, record: { ...keptOf(before, record) }, failures: 0 };
  const history =
    changed === null ? before.history : visited(before.history, (atMs - before.visitedAtMs) / 1_000, changed);
  const page = {
    record: outcome.kind === 'notModified' ? keptOf(before, record) : record,
    frontQueue,
    visitedAtMs: atMs,
    changedAtMs: changed === false ? before.changedAtMs : atMs,
    history,
    signature: signatureAfter(before.signature, outcome, changed),
    failures: 0,
  };
  if (before.visitedAtMs === 0) return page;
  const gain = withVisit(before.gain, gained, (atMs - before.visitedAtMs) / 1_000);
  return gain === undefined ? page : { ...page, gain };
}

/**
 * The signature to keep: for a text, that of its last change, so that slow drift is noticed; for a feed, the present
 * one.
 */
function signatureAfter(before: string, { textSignature }: Outcome, changed: boolean | null): string {
  if (changed !== false || isFeedSignature(textSignature)) return textSignature;
  return before || textSignature;
}

/** The record, with the validators and the content hash of the page's last body if this answer had none. */
function keptOf({ record: { etag, lastModified, contentHash } }: PageRecord, record: UrlRecord): UrlRecord {
  return {
    ...record,
    etag: record.etag || etag,
    lastModified: record.lastModified || lastModified,
    contentHash: record.contentHash || contentHash,
  };
}

/** The last visit of a page that waits, for a policy that has come since. */
export function waitingVisitOf(config: RecrawlConfig, page: PageRecord, duplicate: boolean): Visited {
  const { recent } = page.history;
  const changed = recent === 1 ? null : (recent & 1) === 1;
  const visit = visitedOf(page, kindOf(page), changed, page.record.atMs);
  return { ...judged(config, visit, page, duplicate), waits: true };
}

export function visitedOf(page: PageRecord, kind: VisitKind, changed: boolean | null, atMs: number): Visited {
  const { record, frontQueue, history, changedAtMs, gain } = page;
  const modifiedMs = record.lastModified === '' ? null : parseHttpDate(record.lastModified);
  const since = modifiedMs !== null && modifiedMs > 0 && modifiedMs <= atMs ? modifiedMs : changedAtMs;
  const sinceChangeS = changed === true ? 0 : Math.max(0, Math.round((atMs - since) / 1_000));
  const visit = { url: record.url, kind, history, changed, sinceChangeS, frontQueue, gain };
  return kind === 'feed' ? { ...visit, pollS: pollSecondsOf(page.signature) } : visit;
}
