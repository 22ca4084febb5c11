/** The part of an explanation that follows from the policy and the URL's timeline, without reading more. */
import type { Place, UrlTimeline } from '../../../topology/frontier/ask/url-timeline.ts';
import { isAskedAsFound, learntOf } from '../../../topology/frontier/decide/links/fold.ts';
import { pagesMaxOf } from '../../../topology/frontier/decide/politeness.ts';
import type { ActiveTrap } from '../../../topology/frontier/state/traps-state.ts';
import { foldedBy } from '../../../topology/policy/equivalences.ts';
import type { Admission, Policy } from '../../../topology/policy/policy.ts';
import { gainPerDay, secondsToGain } from '../../../topology/policy/recrawl/gain.ts';
import { isPlacePattern, withValues } from '../../../topology/policy/traps/places.ts';
import { admitSpan } from '../../../topology/trace/journey.ts';
import { fingerprint } from '../../../topology/url/fingerprint.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { rewritten } from '../../../topology/url/rewriting.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import { spelt } from '../../../topology/url/spelling.ts';
import type { UrlTrace } from '../../runtime/crawl/trace-url.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import { fingerprintKeyOf } from '../connect/crawl-folder.ts';
import type { CrawlObstacle } from './crawl-obstacle.ts';
import { hostStatus } from './host-status.ts';

/** Facts of a URL that the crawl may know. `filter`: the decision of the filters about it. */
export function factsOf(
  policy: Policy,
  topics: Manifest,
  url: string,
  trace: UrlTrace,
  filter: ReturnType<typeof filterOf>,
  obstacle: CrawlObstacle | null,
) {
  const { timeline } = trace;
  const { place, facts } = timeline;
  const first = timeline.admitted.at(-1);
  const hostKey = hostKeyOf(url);
  const settings = policy.hostSettings(hostKey);
  return {
    partition: trace.partition,
    /** The commit that the answer reflects. `start` above 0: earlier commits are missing. */
    asOf: { changelog: trace.changelog, atMs: timeline.nowMs, policyVersion: timeline.policyVersion },
    seen: seenOf(trace),
    budget: {
      ownBudget: unset(facts.ownBudget),
      pagesMax: unset(pagesMaxOf(settings, facts)),
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
    host: { hostKey, ...hostStatus(policy, hostKey, timeline, obstacle) },
    raised: timeline.raised,
    lowered: timeline.lowered,
    leases: timeline.leased,
    outcomes: timeline.outcomes,
    /** The reason of an overlay for not requesting its host's robots.txt; null: it is requested. */
    robotsNotAsked: settings.robotsNotAsked ?? null,
    nextDueAtMs: nextDue(timeline, place),
    hub: hubOf(policy, timeline),
    demoted: demotedBy(policy, timeline),
    trace: traceOf(policy, topics, url),
  };
}

/** For a URL that is traced, its first trace, from the admission to the page. */
function traceOf({ tracing }: Policy, manifest: Manifest, url: string): { readonly traceId: string } | null {
  const [hi = 0, lo = 0] = fingerprintOf(manifest, url);
  return tracing?.traces(hostKeyOf(url), lo) === true ? { traceId: admitSpan(hi, lo).traceId } : null;
}

/** The facts of a URL that cannot be crawled. */
export const nothingKnown = {
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
  nextDueAtMs: null,
  hub: null,
  demoted: null,
  trace: null,
  plugins: [],
} as const;

export function filterOf({ config }: Policy, admission: Admission) {
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
