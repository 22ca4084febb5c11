/**
 * Rounds of sitemaps: when all of a host's sitemaps are read, by the policy's `sitemaps` field.
 *
 * A round is due like a visit. It uses a lease of the host's URLs, or a separate one if none is due, and lasts over as
 * many leases as its sitemaps need: the fetcher reports when none is left. After a lease that reads none, the round
 * continues after the retry delays, and is given up when those are used up, until the next is due.
 *
 * Without that field, a lease that reads robots.txt reads the sitemaps named there, as far as its time allows. A round
 * of what it left follows: other URLs of the host need not come.
 */
import { blankSitemapRound } from '../../../schemas/blank.ts';
import type { HostFacts, Result, Task } from '../../../schemas/types.ts';
import type { Policy } from '../../policy/policy.ts';
import { leftS, neverDue, type SitemapRound } from '../changes/sitemap-rounds.ts';
import type { FrontierState, Host } from '../state/state.ts';
import type { Decision } from './decision.ts';

/** Sitemaps that the policy names for a host are due at once. */
export function decideSitemapsNamed(decision: Decision, hostKey: string, secure: boolean): void {
  const { policy, nowMs } = decision;
  if (policy === null || policy.sitemaps === null || hostKey === '') return;
  const nowS = Math.floor(nowMs / 1_000);
  emitRound(decision, hostKey, { dueS: nowS, sinceS: nowS, tries: 0, secure });
}

/** A lease of a host is over, as its last message says. */
export function decideSitemapsRead(decision: Decision, policy: Policy, host: Host, result: Result): void {
  const { state, nowMs } = decision;
  const round = state.recrawl.sitemaps.of(host.id);
  const nowS = Math.floor(nowMs / 1_000);
  const { sitemapsSinceMs, sitemapsLeft } = result.host;
  if (round === undefined || (round.dueS === neverDue && (policy.recrawl !== null || sitemapsLeft > 0))) {
    const first = firstRound(policy, host.key, result, nowS);
    if (first !== null) emitRound(decision, host.key, first);
    return;
  }
  if (!isCovered(policy, round)) return;
  if (round.dueS > nowS || (sitemapsSinceMs === 0 && result.outcomes.length > 0)) return;
  if (sitemapsSinceMs > 0 && sitemapsLeft === 0) emitRound(decision, host.key, nextRound(policy, round, nowS));
  else if (!result.requests.some(({ kind }) => kind === 'sitemap')) decideSitemapsFailed(decision, policy, host);
}

/** A lease for a round of sitemaps failed. */
export function decideSitemapsFailed(decision: Decision, policy: Policy, host: Host): void {
  const round = decision.state.recrawl.sitemaps.of(host.id);
  const nowS = Math.floor(decision.nowMs / 1_000);
  if (round === undefined || round.dueS > nowS) return;
  const waitMs = policy.hostSettings(host.key).retriesMs[round.tries];
  const later =
    waitMs === undefined
      ? nextRound(policy, round, nowS)
      : { ...round, dueS: nowS + Math.ceil(waitMs / 1_000), tries: round.tries + 1 };
  emitRound(decision, host.key, later);
}

/**
 * The hold of a host has changed. The round of a host on hold is deferred with its URLs: it would keep a crawl that has
 * nothing else to do from ending. It goes on when the hold ends.
 */
export function decideSitemapsHeld(decision: Decision, hostKey: string): void {
  const { state, nowMs } = decision;
  if (state.recrawl.sitemaps.size === 0) return;
  const host = state.hosts.get(hostKey);
  const round = host === undefined ? undefined : state.recrawl.sitemaps.of(host.id);
  if (host === undefined || round === undefined || round.sinceS === neverDue) return;
  const isDeferred = round.dueS === neverDue;
  if (isDeferred === (host.facts.hold !== '')) return;
  emitRound(
    decision,
    hostKey,
    isDeferred ? { ...round, dueS: Math.max(round.sinceS, Math.floor(nowMs / 1_000)) } : round,
  );
}

/** The host is dead. In a crawl without revisits its round ends: the crawl would wait for the end of the verdict. */
export function decideSitemapsOfDead(decision: Decision, policy: Policy, host: Host): void {
  const round = decision.state.recrawl.sitemaps.of(host.id);
  if (policy.recrawl !== null || round === undefined || round.dueS === neverDue) return;
  emitRound(decision, host.key, { ...round, dueS: neverDue, sinceS: neverDue });
}

/** Returns whether a round is due that the current policy covers. A round that it does not cover ends here. */
export function isRoundDue(decision: Decision, policy: Policy, host: Host): boolean {
  const { sitemaps } = decision.state.recrawl;
  if (sitemaps.size === 0) return false;
  const round = sitemaps.of(host.id);
  if (round === undefined || 1_000 * round.dueS > decision.nowMs) return false;
  if (isCovered(policy, round)) return true;
  emitRound(decision, host.key, { ...round, dueS: neverDue, sinceS: neverDue });
  return false;
}

/** The sitemaps of its host that a lease granted now has to read. */
export function sitemapsOf({ recrawl, nowMs }: FrontierState, policy: Policy, host: Host): Task['sitemaps'] {
  const round = recrawl.sitemaps.of(host.id);
  if (round === undefined || !isCovered(policy, round)) return blankSitemapRound;
  if (1_000 * round.dueS > nowMs) return policy.sitemaps === null ? blankSitemapRound : onlyNew;
  const origin = `${round.secure ? 'https' : 'http'}://${host.key}`;
  return { sinceMs: Math.max(1, 1_000 * round.sinceS), origin, urls: policy.sitemaps?.of(host.key, origin) ?? [] };
}

/** A round of what a lease left needs no `sitemaps` in the policy. */
function isCovered({ sitemaps }: Policy, { sinceS }: SitemapRound): boolean {
  return sitemaps !== null || sinceS === leftS;
}

const onlyNew: Task['sitemaps'] = { ...blankSitemapRound, sinceMs: 0 };

/**
 * The first round of a host; null: the host has no sitemaps. Sitemaps that robots.txt named during this lease have
 * been read with it, except for those it left.
 */
function firstRound(policy: Policy, hostKey: string, result: Result, nowS: number): SitemapRound | null {
  const { host, outcomes } = result;
  const answered = outcomes.find(({ status }) => status > 0) ?? (host.sitemapsLeft > 0 ? outcomes[0] : undefined);
  if (answered === undefined || !isAnswered(host)) return null;
  const secure = answered.url.startsWith('https:');
  const named = (policy.sitemaps?.of(hostKey, new URL(answered.url).origin) ?? []).length > 0;
  if (!named && host.sitemapsLeft > 0) return { dueS: nowS, sinceS: leftS, tries: 0, secure };
  if (policy.sitemaps === null || (!named && host.sitemaps.length === 0)) return null;
  if (!named && policy.recrawl === null) return null;
  const round = { dueS: nowS, sinceS: Math.floor(host.robotsFetchedAtMs / 1_000) || nowS, tries: 0, secure };
  return named ? round : nextRound(policy, round, nowS);
}

function isAnswered({ robotsStatus }: HostFacts): boolean {
  return robotsStatus === 'rules' || robotsStatus === 'allowAll';
}

/** `sitemaps` may have left the policy while a lease was out to read them. */
function nextRound({ recrawl, sitemaps }: Policy, { secure }: SitemapRound, nowS: number): SitemapRound {
  const dueS =
    recrawl === null || sitemaps === null
      ? neverDue
      : Math.min(neverDue - 1, nowS + Math.ceil(sitemaps.everyMs / 1_000));
  return { dueS, sinceS: dueS, tries: 0, secure };
}

function emitRound(decision: Decision, hostKey: string, round: SitemapRound): void {
  const isHeld = (decision.state.hosts.get(hostKey)?.facts.hold ?? '') !== '';
  decision.emit({ kind: 'sitemaps', hostKey, round: isHeld ? { ...round, dueS: neverDue } : round });
}
