/** URLs, robots.txt and what responses ask for. */

import { NetworkEvidence } from '../../topology/fetch/network-evidence.ts';
import { networkLimits } from '../../topology/fetch/network-limits.ts';
import { responseLimits } from '../../topology/fetch/response-limits.ts';
import { retryAfterSeconds } from '../../topology/fetch/retry-after.ts';
import { Decision } from '../../topology/frontier/decide/decision.ts';
import { tagNumber } from '../../topology/frontier/decide/links/tags.ts';
import { FrontierState } from '../../topology/frontier/state/state.ts';
import { compilePolicy, defaultPolicy } from '../../topology/policy/policy.ts';
import { robotsLimits } from '../../topology/robots/robots-limits.ts';
import { isAllowed, sitemapValues } from '../../topology/robots/rules.ts';
import { isRepeated, needsRefetch, robotsVerdict } from '../../topology/robots/verdict.ts';
import { linearFault, linearFaultOfAll } from '../../topology/url/linear-patterns.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';
import type { patternLimits } from '../../topology/url/pattern-limits.ts';
import { tagLimits } from '../../topology/url/tag-limits.ts';
import { tagFault, tagsOf } from '../../topology/url/tags.ts';
import type { urlLimits } from '../../topology/url/url-limits.ts';
import { type BoundaryTable, cutAt, from, tuning, upTo } from './boundary.ts';
import { hopsFollowed } from './redirect-chain.ts';
import { readFor, robotsAnswer } from './robots-file.ts';

const normalize = compileNormalizer();
const policy = compilePolicy(defaultPolicy());
/** A URL of so many characters. */
export const urlOf = (chars: number, start = 'http://a.test/') => start + 'x'.repeat(chars - start.length);

export const urlBoundaries: BoundaryTable<typeof urlLimits> = {
  // Plain, which takes the fast path; and one with an escape that the slow path writes anew.
  urlCharsMax: upTo((n) => normalize(urlOf(n)) !== null && normalize(`${urlOf(n - 1)}%7e`) !== null),
  hostKeyCharsMax: upTo((n) => policy.admit(`http://${'a'.repeat(n)}/`, 0, 0).ok),
  redirectHopsMax: upTo(hopsFollowed),
};

/** Is it ours, once so many have fallen silent? */
function isOursAfter(silent: number): boolean {
  const evidence = new NetworkEvidence();
  for (let n = 0; n < silent; n++) evidence.silent(`h${n}.test`);
  return evidence.isOurs('host', true);
}

function witnessesOf(count: number): NetworkEvidence {
  const evidence = new NetworkEvidence();
  for (let n = 0; n < count; n++) {
    const witness = { origin: `http://h${n}.test`, hostKey: `h${n}.test`, delayMs: 0 };
    evidence.answered(`h${n}.test`, witness, n);
  }
  return evidence;
}

/** Those that are asked if everybody is, in turn. */
function remembered(count: number): number {
  const evidence = witnessesOf(count);
  const targets = new Set<string>();
  for (let skip = 0; skip < count; skip++) for (const [target] of evidence.witnesses(false, skip)) targets.add(target);
  return targets.size;
}

/** Of so many hosts that answered first, those that are asked after many others answered. */
function keptOfFirst(count: number): number {
  const others = 10 * networkLimits.witnessesMax;
  const kept = witnessesOf(count + others).witnesses(false, 0, count + others);
  return kept.filter(([target]) => Number(target.slice(1, -'.test'.length)) < count).length;
}

export const networkBoundaries: BoundaryTable<typeof networkLimits> = {
  silentTargetsLeast: from(isOursAfter),
  witnessesMax: cutAt(networkLimits.witnessesMax, remembered),
  askedAtOnce: cutAt(networkLimits.askedAtOnce, (n) => witnessesOf(n).witnesses().length),
  firstWitnesses: cutAt(networkLimits.firstWitnesses, keptOfFirst),
  unprovenAtOnce: tuning('how soon one host that works is found among hosts that do not'),
  keptOfSeveral: tuning('how soon a host that has not answered before shows that the network is back'),
  betweenMs: tuning('how often hosts are asked whether they still answer'),
  nextAnswerMs: tuning('how long the next answer is waited for'),
  answerMs: tuning('how long they may take: one that takes longer is asked again'),
  againMs: tuning('how soon the return of the network is noticed'),
  othersMs: tuning('how long a first failure is kept back'),
  lookMs: tuning('how soon it is seen what became of others'),
};

export const patternBoundaries: BoundaryTable<typeof patternLimits> = {
  patternsMax: upTo((n) => linearFaultOfAll(new Array<string>(n).fill('a')) === null),
  // A class of so many characters is one state.
  charsMax: upTo((n) => linearFault(`[${'a'.repeat(n - 2)}]`) === null),
  charsOfAllMax: upTo((n) => linearFaultOfAll(['a'.repeat(n)]) === null),
  // A letter is a state, and two more begin and end the pattern.
  instructionsMax: upTo((n) => linearFault('a'.repeat(n - 2)) === null),
  memoryBytesMax: tuning('how often the automaton forgets what it has seen: what it matches is the same'),
};

export const tagBoundaries: BoundaryTable<typeof tagLimits> = {
  perUrlMax: cutAt(tagLimits.perUrlMax, (n) => tagsOf(Array.from({ length: n }, (_, at) => `t${at}`)).length),
  charsMax: upTo((n) => tagFault('x'.repeat(n)) === null),
  setsMax: cutAt(tagLimits.setsMax, setsKept),
};

export const robotsBoundaries: BoundaryTable<typeof robotsLimits> = {
  // A file that reaches the bound may be cut there: its last line is then not believed.
  bodyBytesMax: from((n) => isAllowed(readFor(n), 'http://a.test/no')),
  redirectsMax: upTo((n) => robotsVerdict(robotsAnswer({ status: 301, hops: n - 1 })).kind, 'follow', 'allow_all'),
  repeatsMax: upTo((n) => isRepeated(408, n - 1)),
  cacheMsMax: from(needsRefetch),
  staleMsMax: upTo(
    (n) => robotsVerdict(robotsAnswer({ status: 503, cachedAgeMs: n })).kind,
    'use_cached',
    'disallow_all',
  ),
  crawlDelayMsMax: cutAt(robotsLimits.crawlDelayMsMax, (n) => readFor(100, `Crawl-delay: ${n / 1000}`).crawlDelayMs),
  sitemapsMax: cutAt(robotsLimits.sitemapsMax, (n) => {
    const lines = Array.from({ length: n }, (_, i) => `Sitemap: http://a.test/${i}.xml`).join('\n');
    const { length } = sitemapValues(Buffer.from(lines));
    return readFor(0, lines).sitemaps.length === length ? length : 'the two readings differ';
  }),
  licencesMax: cutAt(
    robotsLimits.licencesMax,
    (n) => readFor(0, 'License: http://a.test/terms\n'.repeat(n)).licences.length,
  ),
};

const nowMs = Date.UTC(2026, 0, 1);
export const responseBoundaries: BoundaryTable<typeof responseLimits> = {
  retryAfterSecondsMax: cutAt(responseLimits.retryAfterSecondsMax, (n) => {
    const seconds = retryAfterSeconds(`${n}`, nowMs);
    return seconds === retryAfterSeconds(new Date(nowMs + n * 1_000).toUTCString(), nowMs) ? seconds : 'the two differ';
  }),
};

/** Lists of tags that a partition knows once so many came with links. */
function setsKept(n: number): number {
  const state = new FrontierState({ hi: 1, lo: 2 });
  const decision = new Decision({ crawl: 'c', partition: 0, partitions: 1 }, state, 0, () => null);
  for (let at = 0; at < n; at++) tagNumber(decision, [`t${at}`]);
  return state.tagSets.size;
}
