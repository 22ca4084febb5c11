/**
 * Answers queries about one host or one URL from a partition's state. It runs between two steps, and plays no part in
 * decisions. The leases must have been read (checkpoint/read-rows.ts).
 *
 * The cost is bounded: at most `queryUrlsMax` URLs of a queue are read, however long it is. If the URL is not among
 * them, the answer is `unknown`.
 */

import { isFeedSignature } from '../../content/feed-signature.ts';
import type { PageHistory } from '../../policy/recrawl/history.ts';
import { hostKeyOf } from '../../url/host-key.ts';
import { seenKey } from '../../url/seen-key.ts';
import type { HostFacts, KnownUrl } from '../changes/changes.ts';
import type { PageRecord } from '../changes/page-record.ts';
import { readKnownUrl } from '../changes/url-record-bytes.ts';
import { findInFrontQueues, listQueue, type QueueCursor, type QueuePage } from '../checkpoint/read-rows.ts';
import { urlRecordKey } from '../checkpoint/save-checkpoint.ts';
import { placeName, readPlaces } from '../decide/pull/find-known.ts';
import { frontierLimits } from '../frontier-limits.ts';
import { type Freshness, freshnessNow } from '../recrawl/freshness-now.ts';
import { seenVerdicts } from '../seen/seen-test.ts';
import type { FrontierState, Host } from '../state/state.ts';
import { ByteReader } from '../storage/bytes.ts';
import type { StoreJob } from '../storage/store-job.ts';

type Unset = 'crawlDelayMs' | 'ownDelayMs' | 'pagesMax' | 'ownBudget';

export interface HostAnswer {
  readonly host: string;
  /** null: not set. */
  readonly facts: Omit<HostFacts, Unset> & Readonly<Record<Unset, number | null>>;
  /** Queued, in front queues; `held`: deferred, by a budget or a trap. */
  readonly frontQueues: readonly { readonly frontQueue: number; readonly urls: number; readonly held: boolean }[];
  /** URLs to fetch again after a lease; the earliest is due at `nextAtMs`, null: none. */
  readonly again: { readonly urls: number; readonly nextAtMs: number | null };
  /** Leases the host may be on at once; `own`: as ordered by an operator, null: by the policy. */
  readonly parallel: { readonly leases: number; readonly own: number | null };
  readonly leases: readonly { readonly id: number; readonly urls: number; readonly deadlineMs: number }[];
  /** Pages scheduled for a revisit, and their freshness; null: none. */
  readonly refresh: (Freshness & { readonly nextAtMs: number | null }) | null;
  /** A page of the URLs in front queues, in the order in which they may be fetched. */
  readonly queue: QueuePage['urls'];
  /** Start of the next page; null: this was the last. */
  readonly next: QueueCursor | null;
}

/** null: the host is unknown. */
export function* answerHost(
  state: FrontierState,
  hostKey: string,
  count: number,
  from: QueueCursor,
): StoreJob<HostAnswer | null> {
  const host = state.hosts.get(hostKey);
  if (host === undefined) return null;
  const { queue, facts } = host;
  const { own, most } = state.hosts.hostSlots.of(host.id);
  const page = count === 0 ? { urls: [], next: undefined } : yield* listQueue(state, hostKey, count, from);
  return {
    host: hostKey,
    facts: {
      ...facts,
      crawlDelayMs: orNull(facts.crawlDelayMs),
      ownDelayMs: orNull(facts.ownDelayMs),
      pagesMax: orNull(facts.pagesMax),
      ownBudget: orNull(facts.ownBudget),
    },
    frontQueues: queue
      .frontQueues()
      .map(({ number, size }) => ({ frontQueue: number, urls: size, held: queue.isHeld(number) })),
    again: { urls: queue.again.length + (queue.rescheduled?.size ?? 0), nextAtMs: nextAtMs(queue) },
    parallel: { leases: most, own: own < 0 ? null : own },
    leases: host.leaseIds.map((id) => {
      const { entries, deadlineMs } = state.leases.get(id)!;
      return { id, urls: entries.filter((entry) => entry !== null).length, deadlineMs };
    }),
    refresh: refreshOf(state, host.id),
    queue: page.urls,
    next: page.next ?? null,
  };
}

/** When the first URL that waits for a retry, or was rescheduled, is due. */
function nextAtMs({ cameBack, rescheduled }: Host['queue']): number | null {
  return cameBack?.first?.dueAtMs ?? rescheduled?.first?.dueAtMs ?? null;
}

function refreshOf({ recrawl, nowMs }: FrontierState, host: number): HostAnswer['refresh'] {
  const nextAtMs = recrawl.dueAtMs(host) ?? null;
  if (nextAtMs === null && !recrawl.trust.has(host)) return null;
  return { ...freshnessNow([recrawl], nowMs, host), nextAtMs };
}

function orNull(count: number): number | null {
  return count < 0 ? null : count;
}

export type UrlPlace =
  | { readonly in: 'lease'; readonly lease: number; readonly deadlineMs: number }
  | { readonly in: 'again'; readonly dueAtMs: number; readonly attempts: number }
  | { readonly in: 'frontQueue'; readonly frontQueue: number; readonly held: boolean }
  /** The URL has left the frontier; these are its stored facts. */
  | {
      readonly in: 'end';
      readonly status: KnownUrl['status'];
      readonly outcome: string;
      readonly httpStatus: number;
      readonly atMs: number;
      readonly attempts: number;
    }
  /** The URL is not among the URLs that were read, but there are more. */
  | { readonly in: 'unknown'; readonly lookedAt: number };

export interface UrlAnswer {
  readonly url: string;
  readonly host: string;
  /** Whether it was ever admitted; null: unknown without a lookup in sorted runs. */
  readonly seen: boolean | null;
  /** null: the URL has no place: it was never found, or its end is not stored. */
  readonly place: UrlPlace | null;
  /** Counts for its score. Absent: the partition has counted no links. */
  readonly counts?: ScoreCounts;
}

/** Facts for the score of a URL that only the state of its partition has. */
export interface ScoreCounts {
  /** Links to it that were found. */
  readonly inLinks: number;
  /** Registrable domains that link to its host; null: no link between domains was found yet. */
  readonly linkingDomains: number | null;
  /** Its rank by cash, 0 to 1; null: the crawl is too young, or has no cash. */
  readonly cash: number | null;
  /** Its visits so far; null: none is kept. */
  readonly visits: { readonly visitedAtMs: number; readonly history: PageHistory; readonly isFeed: boolean } | null;
}

/** `url` is normal. */
export function* answerUrl(state: FrontierState, url: string): StoreJob<UrlAnswer> {
  const hostKey = hostKeyOf(url);
  const host = state.hosts.get(hostKey);
  const [hi, lo] = state.identityOf(hostKey, url);
  const verdict = state.seen.test(hi!, lo!);
  const place = host === undefined ? yield* endOf(state, hostKey, url) : yield* placeOf(state, host, url);
  const isThere = place !== null && place.in !== 'unknown';
  const seen = isThere || verdict === seenVerdicts.seen ? true : verdict === seenVerdicts.new ? false : null;
  const counts = countsOf(state, hostKey, url);
  return { url, host: hostKey, seen, place, ...(counts && { counts }) };
}

function countsOf(state: FrontierState, hostKey: string, url: string): ScoreCounts | undefined {
  const { inLinks, budgets, cash, recrawl } = state;
  if (inLinks.total === 0) return undefined;
  const [hi, lo] = state.fingerprintOf(url) as unknown as readonly [number, number];
  const page = recrawl.pageAt(hi, lo);
  return {
    inLinks: inLinks.countOf(hi, lo),
    linkingDomains:
      budgets.accounts.size === 0 ? null : (budgets.accounts.get(budgets.keyOf(hostKey))?.sources.count ?? 0),
    cash: cash.shareOf(cash.heldBy(hi, lo)),
    visits: page === undefined ? null : visitsOf(page),
  };
}

function visitsOf({ visitedAtMs, history, signature }: PageRecord): ScoreCounts['visits'] {
  return { visitedAtMs, history, isFeed: isFeedSignature(signature) };
}

function* placeOf(state: FrontierState, host: Host, url: string): StoreJob<UrlPlace | null> {
  for (const id of host.leaseIds) {
    const { entries, deadlineMs } = state.leases.get(id)!;
    if (entries.some((entry) => entry?.url === url)) return { in: 'lease', lease: id, deadlineMs };
  }
  for (const { dueAtMs, entry } of host.queue.again) {
    if (entry.url === url) return { in: 'again', dueAtMs, attempts: entry.attempts };
  }
  if (host.queue.rescheduled !== undefined) {
    const found = (yield* readPlaces(state, [{ key: host.key, url }], false)).get(placeName(host.key, url));
    if (found?.from.in === 'again') return { in: 'again', dueAtMs: found.from.a, attempts: found.entry!.attempts };
  }
  const end = yield* endOf(state, host.key, url);
  let lookedAt = 0;
  // Matches the URL, or ends the search after enough URLs.
  const isIt = (entry: { readonly url: string }) => entry.url === url || ++lookedAt >= frontierLimits.queryUrlsMax;
  const found = yield* findInFrontQueues(state, host.id, isIt);
  if (found?.entry.url === url)
    return { in: 'frontQueue', frontQueue: found.number, held: host.queue.isHeld(found.number) };
  // A forced URL is queued again, although it has a row from before.
  if (end !== null) return end;
  return found === undefined ? null : { in: 'unknown', lookedAt };
}

/** The end of a URL, from the records of the next checkpoint, or else from its row. */
function* endOf(state: FrontierState, hostKey: string, url: string): StoreJob<UrlPlace | null> {
  const key = seenKey(url);
  const ofHost = (one: string) => one.startsWith(`${hostKey}/`, one.indexOf('//') + 2);
  const isIt = (record: KnownUrl) => record.url === url || (ofHost(record.url) && seenKey(record.url) === key);
  const { records, writing } = state.unsaved;
  const [hi, lo] = state.fingerprintOf(url);
  let record = state.recrawl.pageAt(hi!, lo!)?.record ?? records.findLast(isIt) ?? writing.findLast(isIt);
  if (record === undefined) {
    const [value] = yield { read: [urlRecordKey(state, url)] };
    if (value == null) return null;
    record = readKnownUrl(new ByteReader(value));
    if (!isIt(record)) return null;
  }
  const { status, outcome, httpStatus, atMs, attempts } = record;
  return { in: 'end', status, outcome, httpStatus, atMs, attempts };
}
