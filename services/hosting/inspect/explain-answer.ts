/** The answer of `explain` in one sentence: the outcome of the URL, or the reason why it is unknown. */
import type { OutcomeKind } from '../../../schemas/types.ts';
import { counted } from '../../runtime/counted.ts';
import { notPublishedIn } from '../../runtime/crawl/not-published.ts';
import { inShell } from '../../runtime/in-shell.ts';
import { ownName } from '../../runtime/own-name.ts';
import { whenText } from '../../runtime/when-text.ts';
import type { Explained } from './explain.ts';
import { causeOf } from './outcome-cause.ts';

/** Everything that was found out, but for the sentence. */
type Facts = Omit<Explained, 'answer'>;

/** `place`: the options that name the crawl to other commands. */
export function answerOf(facts: Facts, place: string, nowMs: number): string {
  const { normalize, filter, purged } = facts;
  if (normalize.url === null) {
    const why = filter.admitted ? '' : `: ${filter.detail}`;
    return `cannot be crawled${why}`;
  }
  if (purged !== null) return `purged on ${time(purged.atMs)} by ${purged.by}; links to it are rejected`;
  return facts.queue === null ? neverAdmitted(facts, place) : placed(facts, facts.queue, place, nowMs);
}

function placed(facts: Facts, queue: NonNullable<Facts['queue']>, place: string, nowMs: number): string {
  if (queue.in === 'lease') return `being fetched, on lease ${queue.leaseId}`;
  if (queue.in === 'frontQueue') return queue.deferred ? heldBack(facts, place) : waiting(facts, queue.ahead, nowMs);
  if (queue.in === 'again') {
    const last = facts.newest === null ? '' : `; the last attempt: ${causeOf(facts.newest)}`;
    return `waits for a retry ${retryText(facts, queue.dueAtMs, nowMs)}${last}`;
  }
  if (queue.status === 'known') return 'imported as already known: this crawl never requests it';
  const next = queue.in === 'schedule' ? `; due again ${whenText(queue.dueAtMs, nowMs)}` : '';
  return `${ended(facts, queue.status)}${next}`;
}

function waiting({ host }: Facts, ahead: number, nowMs: number): string {
  const before = ahead === 0 ? 'first of its host' : `behind ${counted(ahead, 'URL')} of its host`;
  if (host === null) return `queued, ${before}`;
  const { readyAtMs, why, held } = host;
  if (held || readyAtMs === 0) return `queued, ${before} (${why})`;
  if (readyAtMs > nowMs) return `queued, ${before}, from ${time(readyAtMs)} (${why})`;
  return `queued, ${before}, which has been free since ${time(readyAtMs)}: it waits for a fetcher`;
}

/** Its host may be free later than the URL is due. */
function retryText({ host }: Facts, dueAtMs: number, nowMs: number): string {
  if (dueAtMs > nowMs) return `from ${time(dueAtMs)}`;
  if (host?.held === true) return `(${host.why})`;
  if (host !== null && host.readyAtMs > nowMs) return `from ${time(host.readyAtMs)} (${host.why})`;
  return dueAtMs === 0 ? 'as soon as its host is free' : `since ${time(dueAtMs)}, until a fetcher takes it`;
}

/** Deferred: by a trap, or with its host. */
function heldBack({ trap, host, normalize }: Facts, place: string): string {
  if (trap !== null && !trap.released) {
    const release = `${ownName()} release ${host?.hostKey ?? 'HOST'} ${inShell(trap.pattern)} ${place}`;
    return `held by the trap ${trap.pattern} (${trap.reason}: ${trap.detail}); to fetch it: ${release}`;
  }
  const remedy = host?.hold === 'blocked' ? `; to fetch it: ${ownName()} unblock ${host.hostKey} ${place}` : '';
  return `deferred with its host${host === null ? ` of ${normalize.url}` : `: ${host.why}`}${remedy}`;
}

function ended(facts: Facts, status: 'page' | 'redirected' | 'denied' | 'failed' | 'dead'): string {
  const { newest, outcomes } = facts;
  const last = outcomes.at(-1);
  const on = time(newest?.atMs ?? last?.atMs ?? 0);
  if (status === 'page') return fetched(facts);
  if (status === 'redirected') return redirected(facts);
  if (status === 'denied') return `refused by robots.txt on ${on}${deniedLine(facts)}`;
  const isOfHost = newest === null && facts.hostFailure !== null;
  const cause = isOfHost
    ? `its host could not be reached: ${causeOf({ ...facts.hostFailure!, status: 0 })}`
    : newest !== null
      ? causeOf(newest)
      : (last?.outcome ?? 'the cause is not stored any more');
  if (newest?.kind === 'redirect')
    return `given up on ${on}: it redirects to ${newest.redirectUrl}, in a circle or too many times`;
  if (status === 'failed') return `no page: ${cause}, on ${on}`;
  const attempts = last === undefined || last.attempts === 0 ? '' : ` after ${counted(last.attempts, 'attempt')}`;
  return `given up${attempts}: ${cause}, on ${on}`;
}

/** A page stays fetched if a later visit fails. */
function fetched(facts: Facts): string {
  const { newest, outcomes } = facts;
  const seen = newest !== null && isOfPage(newest.kind) ? newest : null;
  const last = outcomes.findLast(({ outcome }) => outcome !== null && isOfPage(outcome));
  const on = time(seen?.atMs ?? last?.atMs ?? 0);
  const failed =
    newest === null || seen !== null ? '' : `; the visit on ${time(newest.atMs)} failed: ${causeOf(newest)}`;
  const why = notPublished(facts);
  if (why !== '') return `fetched on ${on}, and not published: ${why}${failed}`;
  const status = seen === null || seen.status === 0 ? (last?.httpStatus ?? 0) : seen.status;
  const size = seen === null || seen.bytes === 0 ? '' : `, ${seen.bytes.toLocaleString('en-US')} bytes`;
  const cut = seen?.truncated === true ? '; its body was cut there: --max-body sets the limit' : '';
  return `fetched on ${on}${status > 0 ? `: ${status}` : ''}${size}${cut}${failed}`;
}

/** A page that was found unchanged is still what the visit before made of it. */
function notPublished({ newest, usage, outcomes }: Facts): string {
  const barred = usage?.barred ?? '';
  if (barred !== '') return notPublishedIn(barred) || barred;
  const own = newest !== null && isOfPage(newest.kind) ? newest.detail : '';
  const dropped = notPublishedIn(own || (newest?.fetchedDetail ?? ''));
  const visits = outcomes.filter(({ outcome }) => outcome === 'fetched').length;
  return dropped === '' || visits < 2 ? dropped : `${dropped}; the page of an earlier visit, if there is one, stays`;
}

function isOfPage(kind: OutcomeKind): boolean {
  return kind === 'fetched' || kind === 'notModified';
}

function redirected({ newest, target, outcomes }: Facts): string {
  if (newest === null || newest.kind !== 'redirect' || newest.redirectUrl === '') {
    const last = outcomes.findLast(({ outcome }) => outcome === 'redirect');
    return `redirected on ${time(last?.atMs ?? 0)}; its target is not stored any more`;
  }
  const on = time(newest.atMs);
  const how =
    newest.status >= 300 && newest.status < 400 ? ` (${newest.status})` : ` (${newest.detail || 'by the page'})`;
  const to = `redirected to ${target?.url ?? newest.redirectUrl}${how} on ${on}`;
  return target?.refused == null ? to : `${to}, which is refused by ${ruleText(target.refused)}`;
}

function deniedLine({ robots }: Facts): string {
  return robots === null || robots.line === null ? '' : `: line ${robots.line}, ${robots.rule}`;
}

/** The answer for a URL that was never in a queue. */
function neverAdmitted(facts: Facts, place: string): string {
  const { filter, links, leftOut, nofollow, folded, knownAs, normalize } = facts;
  if (knownAs !== null)
    return `never seen in this form, but as ${knownAs}: ${ownName()} explain ${inShell(knownAs)} ${place}`;
  const [first] = links;
  const from =
    first === undefined ? '' : first.sourceUrl === '' ? ', given as a seed' : `, linked from ${first.sourceUrl}`;
  const refused = links.find(({ refusal }) => refusal !== null)?.refusal ?? null;
  if (refused !== null && links.every(({ refusal }) => refusal !== null))
    return `refused by ${ruleText(refused)}${from}`;
  if (!filter.admitted) {
    const seen = first === undefined ? '; no link to it was found' : from;
    return `refused by ${ruleText(filter)}${seen}`;
  }
  if (folded !== null) {
    const [trap] = folded.traps;
    const why = trap === undefined ? 'by earlier redirects of its host' : `by trap ${trap.pattern}: ${trap.detail}`;
    return `counts as ${folded.into}, ${why}`;
  }
  if (leftOut !== null) return `dropped by the plugin ${leftOut.plugin} on page ${leftOut.page}`;
  const [page] = nofollow;
  if (page !== undefined) return `not followed: ${page.page} links to it with nofollow`;
  if (first !== undefined)
    return `found${from.replace(/^,/, '')}, but not queued; for the reason: ${ownName()} story ${inShell(normalize.url ?? '')} ${place}`;
  return 'never seen: it is not a seed, and no fetched page links to it';
}

function ruleText({ rule, detail }: { readonly rule: string; readonly detail: string }): string {
  if (rule === 'scope') return `the scope: ${detail} is outside it (--scope, or another seed)`;
  if (rule === 'depth') return `the depth limit: ${detail} (--max-depth)`;
  if (rule === 'hops') return `the limit of redirects: ${detail}`;
  return `${rule}: ${detail}`;
}

function time(atMs: number): string {
  return atMs === 0 ? 'an unknown date' : new Date(atMs).toISOString();
}
