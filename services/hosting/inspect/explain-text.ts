/** `explain` for people. */

import { decidingText } from '../../../topology/policy/overlays.ts';
import { counted } from '../../runtime/counted.ts';
import type { HostFailure } from '../../runtime/crawl/host-failures.ts';
import type { NofollowPage } from '../../runtime/crawl/nofollow-pages.ts';
import { inShell } from '../../runtime/in-shell.ts';
import { ownName } from '../../runtime/own-name.ts';
import { rows } from '../../runtime/rows-text.ts';
import { whenText } from '../../runtime/when-text.ts';
import type { Explained } from './explain.ts';
import { causeOf } from './outcome-cause.ts';
import type { RobotsDenial } from './robots-denial.ts';
import { scoreLines } from './score-text.ts';
import { usesText } from './usage-text.ts';

export function explainText(explained: Explained, nowMs: number): string {
  return rows(explainLines(explained, nowMs));
}

type Row = readonly [name: string, value: string | null];

/** Names and values; one that is null does not apply. */
export function explainLines(explained: Explained, nowMs: number): readonly Row[] {
  const { normalize, overlays, filter, purged, seen, budget, host, leases, outcomes, raised, lowered, asOf, trap } =
    explained;
  const { url, key, steps } = normalize;
  const lines: Row[] = [
    ['answer', explained.answer],
    ['URL', url ?? 'cannot be crawled'],
    ['key', key === url ? null : key],
    ...steps.map(({ step, after }): [string, string] => [`  ${step}`, after]),
    ['overlays', overlays.length === 0 ? null : overlays.map(decidingText).join('\n')],
    [
      'filter',
      filter.admitted ? `admitted, front queue ${filter.frontQueue}` : `refused by ${filter.rule}: ${filter.detail}`,
    ],
    [
      'purged',
      purged === null
        ? null
        : `${time(purged.atMs)} by ${purged.by}${purged.whole === 'host' ? ', with its whole host' : ''}: its data is deleted, and links to it are rejected`,
    ],
    ['policy', `version ${filter.policyVersion}`],
    ['seen', seen === null ? null : seen.length === 0 ? 'never' : seen.map(seenText).join('\n')],
    ['requested as', explained.askedAs && `${explained.askedAs} (fetchAs: firstSpelling)`],
    ['folded', explained.folded && foldedText(explained.folded)],
    ['tags', tagsText(explained)],
    ['budget', budget === null ? null : budgetText(budget)],
    ['front queue', explained.frontQueue === null ? null : String(explained.frontQueue)],
    ['score', explained.score && scoreText(explained.score)],
    [
      'trap',
      trap === null ? null : `${trap.pattern}: ${trap.reason}, ${trap.detail}${trap.released ? ' (released)' : ''}`,
    ],
    ['queue', queueText(explained.queue, nowMs)],
    ['host', host === null ? null : hostText(host, nowMs)],
    ['raised', raised.length === 0 ? null : raised.map(raisedText).join('\n')],
    ['lowered', lowered.length === 0 ? null : lowered.map(loweredText).join('\n')],
    ['parallel', host === null || host.parallel.leases === 1 ? null : parallelText(host.parallel)],
    ['leases', leases.length === 0 ? null : leases.map(leaseText).join('\n')],
    ['outcomes', outcomes.length === 0 ? null : outcomes.map(outcomeText).join('\n')],
    ['denied by', deniedBy(explained)],
    ['uses', explained.usage === null ? null : usesText(explained.usage.uses)],
    ['no page', explained.usage?.barred || null],
    ...explained.more.flatMap(({ rows }) => rows),
    ['robots.txt', explained.robotsNotAsked === null ? null : `not requested: ${explained.robotsNotAsked}`],
    ['nofollow', explained.nofollow.length === 0 ? null : explained.nofollow.map(nofollowText).join('\n')],
    ['host failed', explained.hostFailure === null ? null : failureText(explained.hostFailure)],
    ['next due', explained.nextDueAtMs === null ? null : dueText(explained.nextDueAtMs, nowMs)],
    ['hub', explained.hub && hubText(explained.hub)],
    ['demoted', explained.demoted && demotedText(explained.demoted)],
    ['trace', explained.trace?.traceId ?? null],
    ['plugins', explained.plugins.length === 0 ? null : explained.plugins.map(pluginText).join('\n')],
    [
      'as of',
      asOf === null ? null : `${time(asOf.atMs)}, partition ${explained.partition}, ${changelogText(asOf.changelog)}`,
    ],
  ];
  return lines;
}

function foldedText({ into, by, traps, askedAsFound }: NonNullable<Explained['folded']>): string {
  if (traps.length > 0)
    return `into ${into}, by ${traps.map(({ pattern, detail }) => `trap ${pattern} (${detail})`).join(', ')}`;
  const why = by.map(({ rewriting, proofs }) => `${rewriting} (${proofs} redirects of its host)`).join(', ');
  return askedAsFound
    ? `it would be rewritten to ${into} by ${why}, but one URL in sixteen is requested as found, to check the rule`
    : `into ${into}, by ${why}`;
}

function demotedText({ duplicateOf, waitFactor, frontQueue }: NonNullable<Explained['demoted']>): string {
  const why = duplicateOf === null ? 'it has too little text' : `it is a near-duplicate of ${duplicateOf}`;
  return `${why}: it is revisited ${waitFactor} times less often, in front queue ${frontQueue} or later (recrawl.demote)`;
}

function hubText({ urls, visits, seconds, newUrls, expectedAfterS }: NonNullable<Explained['hub']>): string {
  return `its last ${visits} ${visits === 1 ? 'visit' : 'visits'} found ${urls} new URLs in ${seconds} s: ${newUrls} more are expected after ${expectedAfterS} s (recrawl.hubs)`;
}

function pluginText({ plugin: { name, version, sha256 }, atMs }: Explained['plugins'][number]): string {
  return `${name}${version === '' ? '' : ` ${version}`}, sha256 ${sha256.slice(0, 12)}, since ${time(atMs)}`;
}

function scoreText({ value, frontQueue, groups, factors }: NonNullable<Explained['score']>): string {
  return [`${value.toFixed(3)} by what is known now: front queue ${frontQueue}`, ...scoreLines(groups, factors)].join(
    '\n',
  );
}

type Known = NonNullable<Explained['seen']>[number];

function seenText({ atMs, from, forced, depth, policyVersion, changelogOffset }: Known): string {
  const source = from === null ? 'its record was trimmed' : from.page === '' ? 'a seed' : `from ${from.page}`;
  const where = from === null ? '' : `, discovered at offset ${from.discoveredOffset}`;
  const how = forced ? 'forced' : 'admitted';
  return `${how} ${time(atMs)}, ${source}${where}, depth ${depth}, policy ${policyVersion}, changelog ${changelogOffset}`;
}

function budgetText({ ownBudget, pagesMax, pages, fetched }: NonNullable<Explained['budget']>): string {
  const limit = pagesMax === null ? '' : ` of at most ${pagesMax}`;
  return `${ownBudget === null ? 'by the policy' : `${counted(ownBudget, 'URL')}, set by an operator`}; the host has ${counted(pages, 'page')}${limit} from ${counted(fetched, 'request')}`;
}

function hostText({ hostKey, readyAtMs, why, held }: NonNullable<Explained['host']>, nowMs: number): string {
  if (held) return `${hostKey}: ${why}`;
  if (readyAtMs === 0) return `${hostKey}, ready at once: ${why}`;
  return readyAtMs > nowMs
    ? `${hostKey}, ready ${whenText(readyAtMs, nowMs)}: ${why}`
    : `${hostKey}, free ${whenText(readyAtMs, nowMs)}`;
}

function dueText(atMs: number, nowMs: number): string {
  return atMs > 0 && atMs <= nowMs ? whenText(atMs, nowMs) : time(atMs);
}

function queueText(queue: Explained['queue'], nowMs: number): string | null {
  if (queue === null) return null;
  if (queue.in === 'lease') return `on lease ${queue.leaseId}`;
  if (queue.in === 'end' && queue.status === 'known') return 'imported as already known: never fetched by this crawl';
  if (queue.in === 'end') return `done: ${queue.status}`;
  if (queue.in === 'schedule') return `done: ${queue.status}; due for refetch ${whenText(queue.dueAtMs, nowMs)}`;
  if (queue.in === 'again')
    return `back in the queue, ${queue.ahead} before it, due ${queue.dueAtMs === 0 ? 'at once' : whenText(queue.dueAtMs, nowMs)}`;
  return queue.deferred
    ? `deferred in front queue ${queue.frontQueue}, ${queue.ahead} before it`
    : `front queue ${queue.frontQueue}, ${queue.ahead} before it`;
}

function raisedText({ atMs, offset }: Explained['raised'][number]): string {
  return `${time(atMs)}, changelog ${offset}`;
}

function loweredText({ atMs, offset, frontQueue }: Explained['lowered'][number]): string {
  return `to front queue ${frontQueue}, ${time(atMs)}, changelog ${offset}`;
}

function parallelText({ leases, by }: NonNullable<Explained['host']>['parallel']): string {
  return `${leases} leases at once, set by ${by === 'operator' ? 'an operator' : 'the policy'}`;
}

function leaseText({ leaseId, atMs, deadlineMs, offset }: Explained['leases'][number]): string {
  return `${leaseId}, granted ${time(atMs)} until ${time(deadlineMs)}, changelog ${offset}`;
}

function outcomeText({
  atMs,
  status,
  outcome,
  httpStatus,
  attempts,
  dueAtMs,
  offset,
}: Explained['outcomes'][number]): string {
  const what =
    status === 'again'
      ? `again${dueAtMs > 0 ? `, due ${time(dueAtMs)}` : ''}`
      : `${status} (${outcome}${httpStatus > 0 ? ` ${httpStatus}` : ''})`;
  return `${time(atMs)} ${what}, attempts ${attempts}, changelog ${offset}`;
}

/** Each barred use has a separate line. */
function deniedBy({ robots, usage, normalize }: Explained): string | null {
  return robots === null || usage?.barred ? null : denialText(robots, normalize.url ?? '');
}

function denialText({ line, rule, robotsUrl, fetchedAtMs }: RobotsDenial, url: string): string {
  if (line === null)
    return `robots.txt; that version is not stored: ${ownName()} check robots ${inShell(url)} fetches the current one`;
  return `line ${line} of ${robotsUrl}, as of ${time(fetchedAtMs ?? 0)}: ${rule}`;
}

function nofollowText({ page, whole }: NofollowPage): string {
  return `${page} links to it, but forbids following ${whole ? 'its links' : 'this link'} (${whole ? 'nofollow for the whole page' : 'rel=nofollow, ugc or sponsored'})`;
}

function failureText({ kind, detail, atMs }: HostFailure): string {
  return `${time(atMs)}: ${causeOf({ kind, detail, status: 0 })}`;
}

function changelogText({ start, end }: { readonly start: number; readonly end: number }): string {
  return `changelog ${start} to ${end}${start > 0 ? ' (older records were trimmed)' : ''}`;
}

function time(atMs: number): string {
  return atMs === 0 ? 'once' : new Date(atMs).toISOString();
}

function tagsText({ tags, seen }: Explained): string | null {
  if (tags.length === 0) return null;
  const from = seen?.at(-1)?.from?.page ?? '';
  return `${tags.join(', ')}: ${from === '' ? 'set on the seed' : `inherited from ${from}`}`;
}
