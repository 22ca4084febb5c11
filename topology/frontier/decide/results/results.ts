/**
 * Results: what fetchers report of a lease. Each outcome counts once, by (lease id, index).
 *
 * A result of a lease that is over still teaches: it raises `readyAt`, and a URL that came back is finished if the
 * late outcome is terminal. docs/design.md §4.5, §4.7, §4.13.
 */
import type { Outcome, Result } from '../../../../schemas/types.ts';
import { failsHost, isNotRead, isRetriable } from '../../../fetch/outcome.ts';
import type { HostSettings } from '../../../policy/overlay-config.ts';
import type { Policy } from '../../../policy/policy.ts';
import { seenKey } from '../../../url/seen-key.ts';
import { urlLimits } from '../../../url/url-limits.ts';
import { type FinalStatus, type HostFacts, isOrderedHold, type UrlRecord } from '../../changes/changes.ts';
import type { Entry } from '../../changes/entry.ts';
import { frontierLimits } from '../../frontier-limits.ts';
import { attemptsOf } from '../../hosts/lease.ts';
import type { Host, Lease } from '../../state/state.ts';
import { fetchedEvents } from '../../state/traps-state.ts';
import type { Decision } from '../decision.ts';
import { giveSlotBack, pauseOthers } from '../leases/host-slots.ts';
import { decideLeaseRequests } from '../leases/robots-hops.ts';
import { spendCash } from '../links/cash.ts';
import { noticeTraps } from '../links/traps.ts';
import {
  failureDelayMs,
  heldByLimit,
  isTroubled,
  politeDelayMs,
  returnDelayMs,
  smoothedFetchMs,
  throttleDelayMs,
} from '../politeness.ts';
import { decideSitemapsHeld, decideSitemapsOfDead, decideSitemapsRead } from '../sitemaps.ts';
import { noteResolved, type ResolvedTo } from '../trace-events.ts';
import { finals } from './finals.ts';
import { giveUp } from './give-up.ts';
import { type Lesson, learn, learnPauses, newLesson } from './lesson.ts';
import { learnEquivalences } from './prove.ts';
import { putBack } from './put-back.ts';
import { decideLateVisit, decideNoVisit, decideVisit } from './visits.ts';

export function decideResult(decision: Decision, reported: Result): void {
  const { state, policy } = decision;
  if (policy === null) return;
  const result = onOurClock(reported, decision.nowMs);
  if (result.robotsHops.length > 0) return decideLeaseRequests(decision, result);
  const host = state.hosts.get(result.hostKey);
  if (host === undefined) return; // of another crawl's life: nothing here knows the host
  decision.tally('fetches', result.requests.length);
  for (const request of result.requests) decision.tally('bytes', request.bytes);
  const lease = state.leases.get(result.leaseId);
  if (lease === undefined || lease.host.id !== host.id) lateResult(decision, policy, host, result);
  else currentResult(decision, policy, lease, result);
}

/**
 * Nothing ends after it is heard of, nor before its lease was granted: a fetcher's clock that says so is wrong, and the
 * end counts as now. Otherwise a clock a year ahead would park each host for a year.
 */
function onOurClock(result: Result, nowMs: number): Result {
  const { completedAtMs, grantedAtMs } = result;
  const isBelieved = completedAtMs <= nowMs && (completedAtMs >= grantedAtMs || grantedAtMs > nowMs);
  return completedAtMs === 0 || isBelieved ? result : { ...result, completedAtMs: nowMs };
}

function currentResult(decision: Decision, policy: Policy, lease: Lease, result: Result): void {
  const { host } = lease;
  const settings = policy.hostSettings(host.key);
  const lesson = newLesson(host.facts);
  for (const outcome of result.outcomes) {
    const entry = lease.entries[outcome.index];
    if (entry === null || entry === undefined) continue; // reported twice
    // After a changelog has lost its tail, a lease's number is given again: this result is about the lease that was
    // forgotten.
    if (outcome.url !== '' && outcome.url !== entry.url) continue;
    learn(lesson, outcome, result, settings, attemptsOf(lease, outcome.index, entry) === 0);
    const to = decideOutcome(decision, policy, lease, outcome, entry, result);
    if (outcome.traceparent !== '') noteResolved(decision, lease, outcome, entry, to);
  }
  learnPauses(lesson, result);
  if (result.last) {
    lease.entries.forEach((entry, index) => {
      if (entry === null) return;
      lesson.returned = true;
      putBack(decision, lease, index, entry);
    });
  }
  const before = host.facts;
  const facts = taught(decision, settings, before, lesson, result, lease);
  if (result.last) {
    decision.emit({ kind: 'release', leaseId: lease.id, expired: false });
    giveSlotBack(decision, policy, host, facts, result.completedAtMs || decision.nowMs);
  }
  if (facts !== before) decision.emit({ kind: 'host', hostKey: host.key, facts });
  if (facts.hold !== before.hold) decideSitemapsHeld(decision, host.key);
  if (facts.deadUntilMs > 0) decideSitemapsOfDead(decision, policy, host);
  if (result.last) decideSitemapsRead(decision, policy, host, result);
  if (lesson.hostFailed || lesson.throttled || lesson.retryAfterMs > 0) pauseOthers(decision, host);
}

/** Decides the next place of the URL. */
function decideOutcome(
  decision: Decision,
  policy: Policy,
  lease: Lease,
  outcome: Outcome,
  entry: Entry,
  result: Result,
): ResolvedTo {
  const { index, kind } = outcome;
  const { nowMs } = decision;
  if (kind === 'notModified') decision.tally('notModified');
  if (kind === 'redirect' && sameKey(policy, outcome.redirectUrl, entry.url)) {
    // The target has the same seen key as this URL, so the seen test would drop it: fetch it in the new spelling, with
    // the redirect count one higher.
    const { spelling: _, ...rest } = entry;
    const next = { ...rest, url: outcome.redirectUrl, hop: entry.hop + 1 };
    if (next.hop > urlLimits.redirectHopsMax) {
      giveUp(decision, lease, index, entry, 'tooManyRedirects', kind, outcome.status, `${next.hop} redirect hops`);
      return 'dead';
    }
    const disposition = { to: 'again', dueAtMs: 0, entry: next } as const;
    decision.emit({ kind: 'resolve', leaseId: lease.id, index, disposition, record: null });
    return 'again';
  }
  if (outcome.linksDropped > 0) decision.tally('linksDropped', outcome.linksDropped);
  if (outcome.truncated && kind === 'fetched') decision.tally('truncated');
  if (isNotRead(kind, outcome.status)) decision.tally('notRead');
  if (kind === 'paymentRequired') decision.tally('paymentRequired');
  const status = finals[kind];
  const { recrawl } = policy;
  const visit = { lease, index, outcome, atMs: result.completedAtMs || nowMs, frontQueue: entry.frontQueue };
  if (status !== undefined) {
    const disposition = { to: 'final', status } as const;
    const record = recordOf(policy, outcome, entry, status, nowMs);
    const { textSignature } = outcome;
    learnEquivalences(decision, policy, lease.host.key, record.url, outcome, status);
    if (!decideVisit(decision, recrawl, visit, record))
      decision.emit({ kind: 'resolve', leaseId: lease.id, index, disposition, record, textSignature });
    if (policy.cash !== null && kind !== 'notModified') spendCash(decision, record.url);
    const { traps } = policy.config;
    if (traps !== undefined) noticeTraps(decision, traps, lease.host.key, fetchedEvents(entry, record, textSignature));
    return status;
  }
  if (lease.pages.has(index)) {
    decideNoVisit(decision, recrawl, visit, policy.hostSettings(lease.host.key).retriesMs);
    return 'again';
  }
  if (kind === 'parseFailed') {
    giveUp(decision, lease, index, tried(entry), 'parseKilled', kind, outcome.status, outcome.detail);
    return 'dead';
  }
  if (failsHost(outcome) || !isRetriable(kind)) {
    putBack(decision, lease, index, entry); // returned, held back by a Crawl-delay, or the host's own failure
    return 'again';
  }
  const { retriesMs } = policy.hostSettings(lease.host.key);
  const waitMs = retriesMs[entry.attempts];
  if (waitMs === undefined) {
    const reason = kind === 'robotsUnreachable' ? kind : 'retriesExhausted';
    giveUp(decision, lease, index, tried(entry), reason, kind, outcome.status, outcome.detail);
    return 'dead';
  }
  decision.tally('retries');
  const dueAtMs = Math.max(1, (result.completedAtMs || nowMs) + Math.max(waitMs, outcome.retryAfterMs));
  const disposition = { to: 'again', dueAtMs, entry: tried(entry) } as const;
  decision.emit({ kind: 'resolve', leaseId: lease.id, index, disposition, record: null });
  return 'again';
}

/** Do two URLs have the same seen key? */
function sameKey(policy: Policy, one: string, other: string): boolean {
  const [a, b] = [policy.normalize(one), policy.normalize(other)];
  return a !== null && b !== null && seenKey(a) === seenKey(b);
}

function tried(entry: Entry): Entry {
  return { ...entry, attempts: entry.attempts + 1 };
}

export function recordOf(policy: Policy, outcome: Outcome, entry: Entry, status: FinalStatus, atMs: number): UrlRecord {
  return {
    url: policy.normalize(entry.url) ?? entry.url,
    status,
    outcome: outcome.kind,
    httpStatus: outcome.status,
    atMs,
    attempts: entry.attempts + 1,
    depth: entry.depth,
    etag: outcome.etag,
    lastModified: outcome.lastModified,
    contentHash: outcome.contentHash,
    soft404: outcome.soft404,
    ...(outcome.noindex && outcome.links === 0 && { barren: true }),
    ...(entry.tags !== undefined && { tags: entry.tags }),
    ...(entry.spelling !== undefined && { spelling: entry.spelling }),
  };
}

/** The host's facts after a message; the same object if nothing changed. */
function taught(
  decision: Decision,
  settings: HostSettings,
  before: HostFacts,
  lesson: Lesson,
  result: Result,
  lease: Lease,
): HostFacts {
  const { hostSlots } = decision.state.hosts;
  const isNews = hostSlots.isNews(lease.host.id, before, lease.id);
  if (!isNews) {
    const nothing = { answered: false, reached: false, hostFailed: false, throttled: false };
    Object.assign(lesson, { ...nothing, serverErrors: before.serverErrors });
  }
  const facts = { ...before };
  for (const ms of lesson.fetchMs) facts.fetchMs = smoothedFetchMs(facts.fetchMs, ms);
  if (result.host.robotsStatus !== 'unknown') facts.crawlDelayMs = result.host.crawlDelayMs;
  if (lesson.answered || lesson.reached) facts.failures = 0;
  if (lesson.answered) facts.throttles = 0;
  if (lesson.hostFailed) facts.failures = before.failures + 1;
  if (lesson.throttled) facts.throttles = before.throttles + 1;
  facts.serverErrors = lesson.serverErrors;
  facts.bytes += bytesToCount(settings, result);
  facts.fetched += lesson.fetched;
  facts.pages += lesson.pages;
  // A block, a pause or a purge lasts until it is lifted.
  if (lesson.heldBack && !isOrderedHold(before.hold)) facts.hold = 'crawlDelay';
  else facts.hold = heldByLimit(settings, facts);
  if (facts.hold === 'limit' && before.hold !== 'limit' && facts.pagesMax < 0) decision.tally('capped');
  const { hostFailed, throttled, heldBack, retryAfterMs } = lesson;
  const troubled = hostFailed || throttled || heldBack || retryAfterMs > 0 || !isNews;
  if (result.last && lease.entries.length > 0) {
    facts.returns = lesson.returned && !troubled ? before.returns + 1 : 0;
    facts.leaseMax = nextLeaseMax(settings, before, lease, lesson, troubled);
  }
  // With several slots, each keeps its own delay; what follows applies to all of them.
  const manySlots = hostSlots.inForce(lease.host.id, facts) > 1;
  let pauseMs = lesson.retryAfterMs;
  if (lesson.hostFailed) pauseMs = Math.max(pauseMs, failureDelayMs(settings, facts.failures));
  if (lesson.throttled) pauseMs = Math.max(pauseMs, throttleDelayMs(settings, facts.throttles, decision.random));
  if (result.last && facts.returns > 0) pauseMs = Math.max(pauseMs, returnDelayMs(facts.returns));
  const waitMs = manySlots ? pauseMs : Math.max(pauseMs, politeDelayMs(settings, facts));
  const completedAtMs = result.completedAtMs || (result.last ? decision.nowMs : 0);
  if (completedAtMs > 0) {
    if (waitMs > 0 || !manySlots) facts.readyAtMs = Math.max(before.readyAtMs, completedAtMs + waitMs);
    // A pause counts as one until it is over: of those that the host asked for, and of slots, nothing else shows it.
    const isPaused = pauseMs > 0 || (isTroubled(before) && before.readyAtMs > completedAtMs);
    if (isPaused && !isTroubled(facts)) facts.returns = 1;
  }
  if (lease.entries.length > 0 && facts.failures > settings.retriesMs.length) {
    facts.deadUntilMs = decision.nowMs + frontierLimits.deadHostMs;
  }
  return same(facts, before) ? before : facts;
}

function heldByBytes(settings: HostSettings, facts: HostFacts): HostFacts {
  return settings.bytesPerHostMax == null ? facts : { ...facts, hold: heldByLimit(settings, facts) };
}

/** Bytes are counted only if they are capped: other hosts store no number. */
function bytesToCount({ bytesPerHostMax }: HostSettings, { requests }: Result): number {
  return bytesPerHostMax == null ? 0 : requests.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Shrinks leases that come back unfinished, lets them grow again when they don't. */
function nextLeaseMax(
  { urlsPerLeaseMax }: HostSettings,
  before: HostFacts,
  lease: Lease,
  lesson: Lesson,
  troubled: boolean,
): number {
  if (lesson.returned && !troubled) return Math.max(1, Math.floor(lease.entries.length / 2));
  if (before.leaseMax === 0) return 0;
  const grown = 2 * before.leaseMax;
  return grown >= urlsPerLeaseMax ? 0 : grown;
}

function same(a: HostFacts, b: HostFacts): boolean {
  return (Object.keys(a) as (keyof HostFacts)[]).every((name) => a[name] === b[name]);
}

/** Learns from a lease that is over: its host was contacted all the same. */
function lateResult(decision: Decision, policy: Policy, host: Host, result: Result): void {
  decision.tally('lateResults');
  for (const outcome of result.outcomes) {
    const status = finals[outcome.kind];
    if (status === undefined || (outcome.kind === 'redirect' && sameKey(policy, outcome.redirectUrl, outcome.url))) {
      continue;
    }
    const again = host.queue.again.find(({ entry }) => entry.url === outcome.url);
    if (again === undefined) continue; // on a new lease, or finished
    const record = recordOf(policy, outcome, again.entry, status, decision.nowMs);
    decision.emit({ kind: 'finish', hostKey: host.key, seq: again.seq, record });
    if (policy.cash !== null && outcome.kind !== 'notModified') spendCash(decision, record.url);
    const { recrawl } = policy;
    if (recrawl !== null)
      decideLateVisit(decision, recrawl, host.key, { outcome, record, frontQueue: again.entry.frontQueue });
  }
  const settings = policy.hostSettings(host.key);
  const { facts } = host;
  const learnt = { ...facts, bytes: facts.bytes + bytesToCount(settings, result) };
  const { completedAtMs } = result;
  if (completedAtMs > 0) {
    const lesson = newLesson(facts);
    learnPauses(lesson, result);
    const pauseMs = lesson.retryAfterMs;
    learnt.readyAtMs = Math.max(facts.readyAtMs, completedAtMs + Math.max(pauseMs, politeDelayMs(settings, facts)));
    if (pauseMs > 0 && !isTroubled(facts)) learnt.returns = 1;
  }
  if (!same(learnt, facts)) decision.emit({ kind: 'host', hostKey: host.key, facts: heldByBytes(settings, learnt) });
}
