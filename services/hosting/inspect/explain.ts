/** Explains step by step what a crawl decides about a URL. It calls the same functions as the frontier, and reads the rest from the crawl's log, while the crawl runs or later. */
import { join } from 'node:path';
import type { UrlAnswer } from '../../../topology/frontier/ask/queries.ts';
import type { Place, UrlTimeline } from '../../../topology/frontier/ask/url-timeline.ts';
import { isOfWebmaster, purgePayload } from '../../../topology/frontier/decide/control-payloads.ts';
import { isAskedAsFound, learntOf } from '../../../topology/frontier/decide/links/fold.ts';
import { pagesMaxOf } from '../../../topology/frontier/decide/politeness.ts';
import type { ActiveTrap } from '../../../topology/frontier/state/traps-state.ts';
import { foldedBy } from '../../../topology/policy/equivalences.ts';
import { type Admission, compilePolicy, type Policy } from '../../../topology/policy/policy.ts';
import { gainPerDay, secondsToGain } from '../../../topology/policy/recrawl/gain.ts';
import { isPlacePattern, withValues } from '../../../topology/policy/traps/places.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { admitSpan } from '../../../topology/trace/journey.ts';
import { fingerprint } from '../../../topology/url/fingerprint.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { explainNormalize } from '../../../topology/url/normalize.ts';
import { rewritten } from '../../../topology/url/rewriting.ts';
import { withScheme } from '../../../topology/url/seed.ts';
import { explainSeenKey, seenKey } from '../../../topology/url/seen-key.ts';
import { spelt } from '../../../topology/url/spelling.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';
import { recordedPlugins } from '../../application/plugin/record-plugins.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { controlEvents, readControl } from '../../runtime/crawl/control-log.ts';
import { pageThatLeftOut } from '../../runtime/crawl/dropped-links.ts';
import { hostFailures } from '../../runtime/crawl/host-failures.ts';
import { newestOutcome } from '../../runtime/crawl/newest-outcome.ts';
import { nofollowPages } from '../../runtime/crawl/nofollow-pages.ts';
import { readPaymentBook } from '../../runtime/crawl/payment-book.ts';
import { traceUrl, type UrlTrace } from '../../runtime/crawl/trace-url.ts';
import { linksTo } from '../../runtime/crawl/url-links.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import { fingerprintKeyOf, readRequest } from '../connect/crawl-folder.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';
import { placeText } from '../connect/place-text.ts';
import { listsOfCrawl } from '../connect/policy-lists.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { answerOf } from './explain-answer.ts';
import { explainScore } from './explain-score.ts';
import { explainLines } from './explain-text.ts';
import { hostStatus } from './host-status.ts';
import { noPolicy } from './no-policy.ts';
import { robotsDenial } from './robots-denial.ts';
import { statedUses } from './stated-uses.ts';
import { byEitherScheme } from './typed-scheme.ts';
import { urlUsage } from './url-usage.ts';

/** Most pages that are listed because their nofollow excludes a URL. */
const nofollowPagesMax = 5;

/** Most links that are read for a URL that was never admitted. The first that no rule refuses decides. */
const linksMax = 100;

/** The parts of a crawl that it reads. */
interface ExplainedCrawl extends Pick<ReadableCrawl, 'codec' | 'topics'> {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
}

/** The options that name a crawl, in this process and to other commands. */
type CrawlPlace = Pick<KafkaFlags, 'brokers' | 'data'> & { readonly registry?: string | undefined };

/** For the dashboard: names and values as they are printed. */
export function explainer(crawl: ExplainedCrawl, flags: CrawlPlace) {
  return async (given: string) => {
    const lines = explainLines(await explainTyped(crawl, flags, given));
    return { lines: lines.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])) };
  };
}

/** `askState` reads the counts for a URL's score from the state. Absent: the score is left out. */
export async function explainTyped(
  crawl: ExplainedCrawl,
  flags: CrawlPlace,
  typed: string,
  askState?: (url: string) => Promise<UrlAnswer | undefined>,
): Promise<Explained> {
  const given = await ofFirstSeed(typed, flags.data);
  const { policy, lists } = await policyOfCrawl(crawl, flags);
  const ask = (url: string) => glance(crawl, policy, url);
  const glimpse = await byEitherScheme(given, ask, isKnown);
  const facts = await explain(crawl, policy, glimpse);
  const found = isKnown(glimpse) ? null : await knownForm(given, ask);
  const score = askState === undefined ? null : await scoreOf(policy, lists, glimpse, askState);
  const all = { ...facts, score, knownAs: found?.url ?? null };
  const { brokers, data, registry } = flags;
  const place = placeText({ data, brokers, registry, crawl: crawl.topics.crawl });
  return { answer: answerOf(all, place), ...all };
}

type Facts = Awaited<ReturnType<typeof explain>>;

/** `knownAs`: another form of the URL, under which the crawl knows it; null: none. */
export type Explained = Facts & {
  readonly answer: string;
  readonly knownAs: string | null;
  /** Its score, factor by factor; null: the policy has none, or the state was not read. */
  readonly score: ReturnType<typeof explainScore>;
};

async function scoreOf(
  policy: Policy,
  lists: ListSource,
  { url, known }: Glimpse,
  askState: (url: string) => Promise<UrlAnswer | undefined>,
): Promise<Explained['score']> {
  if (url === null || known === null || !policy.scores || policy.byCash) return null;
  const { timeline, found } = known.trace;
  const counts = (await askState(url))?.counts;
  return explainScore(policy, lists, { url, timeline, source: found.at(-1)?.source ?? null, counts });
}

/**
 * The part of an explanation that shows whether the crawl knows a URL. Other forms of the URL are read only for that.
 */
interface Glimpse {
  readonly given: string;
  /** Normal; null: it cannot be crawled. */
  readonly url: string | null;
  readonly known: { readonly trace: UrlTrace; readonly purged: Awaited<ReturnType<typeof purgeOf>> } | null;
}

async function glance({ log, codec, topics }: ExplainedCrawl, policy: Policy, given: string): Promise<Glimpse> {
  const url = policy.normalize(given);
  if (url === null) return { given, url, known: null };
  const trace = await traceUrl(log, codec, topics, url, policy.normalize);
  const purged = await purgeOf(log, codec, topics.crawl, trace.partition, url);
  return { given, url, known: { trace, purged } };
}

function isKnown({ known }: Glimpse): boolean {
  return known !== null && (known.trace.timeline.admitted.length > 0 || known.purged !== null);
}

/** Tries the other scheme, and the host with or without www: people type URLs from memory. */
async function knownForm(given: string, ask: (url: string) => Promise<Glimpse>): Promise<Glimpse | null> {
  const url = withScheme(given);
  const other = url.replace(/^https?:/, (one) => (one === 'http:' ? 'https:' : 'http:'));
  const forms = [url, other].flatMap((one) => [one, otherHost(one)]);
  for (const form of new Set(forms.filter((one) => one !== url))) {
    const glimpse = await ask(form);
    if (isKnown(glimpse)) return glimpse;
  }
  return null;
}

function otherHost(url: string): string {
  return /^https?:\/\/www\./i.test(url) ? url.replace(/\/\/www\./i, '//') : url.replace('//', '//www.');
}

/** A path alone belongs to the first seed's host. */
async function ofFirstSeed(typed: string, data: string | undefined): Promise<string> {
  if (!typed.startsWith('/') || typed.startsWith('//') || data === undefined) return typed;
  const { seeds } = await readRequest({ part: (name) => join(data, name) });
  return seeds[0] === undefined ? typed : new URL(typed, seeds[0]).href;
}

async function policyOfCrawl({ log, codec, topics }: ExplainedCrawl, flags: CrawlPlace) {
  const { policy } = await readControl(log, codec, topics.crawl);
  if (policy === null) throw noPolicy();
  const config = parsePolicy(policy.json);
  const lists = await listsOfCrawl(config, flags);
  return { policy: compilePolicy(config, lists), lists };
}

export async function explain({ log, codec, topics }: ExplainedCrawl, policy: Policy, { given, url, known }: Glimpse) {
  const steps = url === null ? [] : [...explainNormalize(given, policy.config.normalize), ...explainSeenKey(url)];
  const normalize = { given, url, key: url === null ? null : seenKey(url), steps };
  const overlays = url === null ? [] : policy.deciding(url);
  if (url === null || known === null)
    return { normalize, overlays, filter: filterOf(policy, policy.admit(given, 0, 0)), ...nothingKnown };
  const { trace, purged } = known;
  const newest = await newestOutcome(log, codec, topics, url, policy.normalize);
  const { timeline } = trace;
  const first = timeline.admitted.at(-1);
  const filter = filterOf(policy, policy.admit(given, first?.depth ?? 0, first?.hop ?? 0));
  const { place, facts } = timeline;
  const isNew = first === undefined;
  return {
    normalize,
    /** The newest report of a fetcher; null: none is stored. */
    newest,
    /** The target of this redirect, and the rule that refuses it. */
    target: newest === null ? null : targetOf(policy, newest.redirectUrl, trace),
    /** Links to a URL that was never admitted, each with the rule that refuses it. */
    links: isNew ? await linksWithRules(log, codec, topics, url, policy) : [],
    /** The plugin that left out a URL that was never admitted, and the page. */
    leftOut: isNew ? await pageThatLeftOut({ log, codec, topics }, url) : null,
    /** Overlays of the policy that match it, in order, and the fields each decides. */
    overlays,
    filter,
    /** Purged by an operator: nothing is kept of it, and no link to it is admitted. */
    purged,
    partition: trace.partition,
    /** The commit that the answer reflects. `start` above 0: earlier commits are missing. */
    asOf: { changelog: trace.changelog, atMs: timeline.nowMs, policyVersion: timeline.policyVersion },
    seen: seenOf(trace),
    budget: {
      ownBudget: unset(facts.ownBudget),
      pagesMax: unset(pagesMaxOf(policy.hostSettings(hostKeyOf(url)), facts)),
      pages: facts.pages,
      fetched: facts.fetched,
    },
    /** The URL as it is requested, if the policy fetches by the first spelling; null: the normal form. */
    askedAs: first?.spelling === undefined ? null : spelt(url, first.spelling),
    /** Tags from the seed that led to it first. */
    tags: trace.found.at(-1)?.tags ?? [],
    /** The URL that replaces this one in links, because its host has proved them equal; null: none. */
    folded: variantOf(timeline, url) ?? foldedOf(policy, topics, timeline, url),
    frontQueue: first?.frontQueue ?? (filter.admitted ? filter.frontQueue : null),
    trap: trapNow(timeline) ?? null,
    queue: place === undefined ? null : queueOf(timeline, place),
    host: { hostKey: hostKeyOf(url), ...hostStatus(policy, hostKeyOf(url), timeline) },
    raised: timeline.raised,
    lowered: timeline.lowered,
    leases: timeline.leased,
    outcomes: timeline.outcomes,
    /** The reason of an overlay for not requesting its host's robots.txt; null: it is requested. */
    robotsNotAsked: policy.hostSettings(hostKeyOf(url)).robotsNotAsked ?? null,
    /** The robots.txt rule that denied the last fetch; null: it was not denied. */
    robots:
      timeline.outcomes.at(-1)?.outcome === 'robotsDenied'
        ? await robotsDenial({ log, codec, crawl: topics.crawl, partition: trace.partition }, url)
        : null,
    /** The usage preferences of its page, and the result under the policy at the time of its fetch. */
    usage: await usageOf({ log, codec, crawl: topics.crawl, partition: trace.partition }, url, timeline),
    /** For a URL that was never found: pages with a nofollow link to it. */
    nofollow: first === undefined ? await nofollowPages(log, codec, topics, url, nofollowPagesMax) : [],
    /** The last failure to reach its host. */
    hostFailure:
      facts.failures > 0 || facts.deadUntilMs > 0 || (place?.in === 'end' && place.status === 'dead')
        ? ((await hostFailures(log, codec, topics, hostKeyOf(url))).get(hostKeyOf(url)) ?? null)
        : null,
    /** Payments for it. */
    payments: [...(await readPaymentBook(log, codec, topics.crawl)).payments()].filter((one) => one.url === url),
    nextDueAtMs: nextDue(timeline, place),
    hub: hubOf(policy, timeline),
    demoted: demotedBy(policy, timeline),
    trace: traceOf(policy, topics, url),
    /** Plugins that take part in the crawl, in the order in which they were first recorded. */
    plugins: [...(await recordedPlugins(log, codec, topics.crawl)).values()],
  };
}

async function usageOf(kept: Parameters<typeof urlUsage>[0], url: string, { outcomes }: UrlTimeline) {
  const last = outcomes.at(-1);
  if (last === undefined) return null;
  const { said, barred } = await urlUsage(kept, url);
  return said.length === 0 && barred === '' ? null : { uses: statedUses(said, last.atMs), barred };
}

/** For a URL that is traced, its first trace, from the admission to the page. */
function traceOf({ tracing }: Policy, manifest: Manifest, url: string): { readonly traceId: string } | null {
  const [hi = 0, lo = 0] = fingerprintOf(manifest, url);
  return tracing?.traces(hostKeyOf(url), lo) === true ? { traceId: admitSpan(hi, lo).traceId } : null;
}

/** The purge that removed it, from `control`; null: there is none, or it was lifted. */
async function purgeOf(
  log: ExplainedCrawl['log'],
  codec: RecordCodec,
  crawl: string,
  partition: number,
  url: string,
): Promise<{ readonly atMs: number; readonly by: string; readonly whole: 'host' | 'url' } | null> {
  const hostKey = hostKeyOf(url);
  let ofHost: Awaited<ReturnType<typeof purgeOf>> = null;
  let ofUrl: Awaited<ReturnType<typeof purgeOf>> = null;
  const { start, end } = await log.offsets(`${crawl}.control`, partition);
  for await (const { event } of controlEvents(log, codec, crawl, partition, start, end)) {
    if (event.hostKey !== hostKey) continue;
    if (event.kind === 'releaseHost' && !isOfWebmaster(event.payload)) ofHost = null;
    const purge = event.kind === 'purge' ? purgePayload(event.payload) : null;
    if (purge === null) continue;
    const { atMs, by } = event;
    if (purge.url === '') ofHost = { atMs, by, whole: 'host' };
    else if (seenKey(purge.url) === seenKey(url)) ofUrl = { atMs, by, whole: 'url' };
  }
  return ofUrl ?? ofHost;
}

async function linksWithRules(
  log: ExplainedCrawl['log'],
  codec: RecordCodec,
  topics: Manifest,
  url: string,
  policy: Policy,
) {
  const links = await linksTo(log, codec, topics, url, policy.normalize, linksMax);
  return links.map((link) => ({ ...link, refusal: refusalIn(policy.admit(link.url, link.depth, link.hop, link)) }));
}

function refusalIn(admission: Admission): { readonly rule: string; readonly detail: string } | null {
  return admission.ok ? null : { rule: admission.rule, detail: admission.detail };
}

function targetOf(policy: Policy, redirectUrl: string, { timeline }: UrlTrace) {
  if (redirectUrl === '') return null;
  const first = timeline.admitted.at(-1);
  const admission = policy.admit(redirectUrl, first?.depth ?? 0, (first?.hop ?? 0) + 1);
  return { url: policy.normalize(redirectUrl) ?? redirectUrl, refused: refusalIn(admission) };
}

const nothingKnown = {
  newest: null,
  target: null,
  links: [],
  leftOut: null,
  purged: null,
  partition: null,
  asOf: null,
  seen: null,
  budget: null,
  askedAs: null,
  tags: [],
  folded: null,
  frontQueue: null,
  trap: null,
  queue: null,
  host: null,
  raised: [],
  lowered: [],
  leases: [],
  outcomes: [],
  robotsNotAsked: null,
  robots: null,
  usage: null,
  nofollow: [],
  hostFailure: null,
  payments: [],
  nextDueAtMs: null,
  hub: null,
  demoted: null,
  trace: null,
  plugins: [],
} as const;

function filterOf({ config }: Policy, admission: Admission) {
  const policyVersion = config.version;
  if (!admission.ok) return { admitted: false, rule: admission.rule, detail: admission.detail, policyVersion } as const;
  return { admitted: true, frontQueue: admission.frontQueue, policyVersion } as const;
}

function seenOf({ timeline, found }: UrlTrace) {
  return timeline.admitted.map((admitted) => {
    const link = found.find(({ admittedBy }) => admittedBy.offset === admitted.offset);
    const { offset: changelogOffset, atMs, policyVersion, depth, hop, frontQueue, isNew } = admitted;
    const from =
      link === undefined
        ? null
        : { page: link.sourceUrl, url: link.url, discoveredOffset: link.offset, foundAtMs: link.foundAtMs };
    return { atMs, changelogOffset, policyVersion, depth, hop, frontQueue, forced: !isNew, from };
  });
}

function queueOf(timeline: UrlTimeline, place: Place) {
  return place.in === 'frontQueue'
    ? { ...place, deferred: timeline.facts.hold !== '' || timeline.isHeld(place.frontQueue) }
    : place;
}

/**
 * The earliest time of the next request, by the URL's time and its host's, ms. null: it does not wait, or waits for an
 * operator.
 */
function nextDue(timeline: UrlTimeline, place: Place | undefined): number | null {
  if (place === undefined || place.in === 'end' || place.in === 'lease' || timeline.facts.hold !== '') return null;
  if (place.in === 'again' || place.in === 'schedule') return Math.max(timeline.facts.readyAtMs, place.dueAtMs);
  return timeline.isHeld(place.frontQueue) ? null : timeline.facts.readyAtMs;
}

/** The trap in which the URL waits, or to which it was admitted. */
function trapNow(timeline: UrlTimeline) {
  const { place, admitted } = timeline;
  const frontQueue = place?.in === 'frontQueue' ? place.frontQueue : admitted.at(-1)?.frontQueue;
  return frontQueue === undefined ? undefined : timeline.trapOf(frontQueue);
}

/** The URL that a variant counts as, and the traps that say so; null: it is not a variant. */
function variantOf({ traps }: UrlTimeline, url: string) {
  const isOf = ({ pattern, released }: ActiveTrap & { readonly released: boolean }) =>
    !released && isPlacePattern(pattern) && withValues(url, pattern) !== url;
  const found = [...traps.values()].filter(isOf);
  if (found.length === 0) return null;
  const into = found.reduce((folded, { pattern }) => withValues(folded, pattern), url);
  return { into, by: [], traps: found.map(({ pattern, detail }) => ({ pattern, detail })), askedAsFound: false };
}

function foldedOf({ config }: Policy, manifest: Manifest, { verdicts: { equivalences } }: UrlTimeline, url: string) {
  if (config.equivalences === undefined) return null;
  const { proofs } = config.equivalences;
  const learnt = learntOf(equivalences, proofs);
  const into = foldedBy(url, learnt);
  if (into === url) return null;
  const by = learnt.filter((rewriting) => rewritten(url, rewriting) !== url);
  const trace = by.map((rewriting) => ({ rewriting, ...equivalences.get(rewriting)! }));
  return { into, by: trace, traps: [], askedAsFound: isAskedAsFound(fingerprintOf(manifest, url)) };
}

function fingerprintOf(manifest: Manifest, url: string): Uint32Array {
  const { hi, lo } = fingerprintKeyOf(manifest);
  const words = new Uint32Array(2);
  fingerprint(seenKey(url), hi, lo, words);
  return words;
}

/** The verdict that makes it less urgent; null: there is none, or the policy does not use it. */
function demotedBy({ config }: Policy, { verdicts, outcomes }: UrlTimeline) {
  const demote = config.recrawl?.demote;
  if (demote === undefined || outcomes.length === 0) return null;
  const { duplicateOf, isThin } = verdicts;
  if (duplicateOf === '' && !(isThin && demote.thin === true)) return null;
  const { waitFactor, frontQueue } = demote;
  return { duplicateOf: duplicateOf || null, thin: isThin, waitFactor, frontQueue };
}

/** The new links found by its visits, if the policy refetches hubs; null: no such policy, or nothing found. */
function hubOf({ config }: Policy, { outcomes }: UrlTimeline) {
  const gain = outcomes.at(-1)?.gain;
  const hubs = config.recrawl?.hubs;
  if (gain === undefined || hubs === undefined) return null;
  const { newUrls } = hubs;
  return { ...gain, perDay: gainPerDay(gain), newUrls, expectedAfterS: secondsToGain(gain, newUrls) };
}

/** Turns -1, the value of unset fields, into null. */
function unset(value: number): number | null {
  return value < 0 ? null : value;
}
