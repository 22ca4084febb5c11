/**
 * The schedule: when a URL that was just visited is visited again, by the policy's `recrawl` field.
 *
 * A pure function of the URL, its visits' findings, and for `optimal` and `importance` the price of a visit, which the
 * frontier computes from all pages' rates (allocation.ts). A schedule only proposes a time: politeness, and the share
 * of revisits, decide when the visit takes place.
 */
import { hostnameOf } from '../../url/host-key.ts';
import { type CompilePatterns, javascriptPatterns } from '../../url/patterns.ts';
import { compileSuffixSet } from '../../url/suffix-set.ts';
import { type AdaptiveConfig, adaptivePresets, adaptiveVisit, adaptiveWait, type NextVisit } from './adaptive.ts';
import { type Bounds, boundedDays, priceOfVisit } from './allocation.ts';
import { changesPerDay, daySeconds } from './change-rate.ts';
import { type Gain, secondsToGain } from './gain.ts';
import type { PageHistory } from './history.ts';
import { type RateClasses, weightClasses } from './rate-classes.ts';
import type { FeedBounds, RecrawlConfig, RecrawlRule, ScheduleName, VisitKind } from './recrawl-config.ts';

export interface Visited {
  readonly url: string;
  readonly kind: VisitKind;
  /** With this visit. */
  readonly history: PageHistory;
  /** null: nothing to compare with, or no page. */
  readonly changed: boolean | null;
  /** Since the page last changed, by its Last-Modified or by our visits. */
  readonly sinceChangeS: number;
  /** Front queue, 0 the most important. */
  readonly frontQueue: number;
  /** New URLs that its visits brought. Absent: none. */
  readonly gain?: Gain | undefined;
  /** A verdict says that it is less urgent (demote.ts). */
  readonly demoted?: boolean;
  /** For a feed: the shortest time between polls that it asks for, s. */
  readonly pollS?: number;
  /** The page waits since that visit, and the policy is new: adaptive schedules keep its interval, within the bounds. */
  readonly waits?: true;
}

export interface Recrawl {
  readonly config: RecrawlConfig;
  /** Price of a visit, so that all pages together use the bandwidth. 0 if the schedule has no price. */
  priceFor(pages: RateClasses): number;
  /** Time of the next visit; null: never again. `price` null: none is known yet. */
  next(visit: Visited, price: number | null): NextVisit | null;
}

/** Each front queue counts half as much as the previous one. */
const byImportance = Array.from({ length: weightClasses }, (_, frontQueue) => 2 ** -frontQueue);
const alike = new Array<number>(weightClasses).fill(1);

/** A rule from an overlay, for the URLs that the overlay matches. */
export interface OverlaidRule {
  readonly rule: Omit<RecrawlRule, 'hosts' | 'url'>;
  holds(url: string): boolean;
}

/** `overlaid`: rules that precede those of `config`. */
export function compileRecrawl(
  config: RecrawlConfig,
  overlaid: readonly OverlaidRule[] = [],
  compile: CompilePatterns = javascriptPatterns,
): Recrawl {
  const rules = [
    ...overlaid.map(({ rule, holds }) => {
      const isKind = conditionOf(rule, compile);
      return { fits: (visit: Visited) => isKind(visit) && holds(visit.url), plan: planOf(config, rule) };
    }),
    ...config.rules.map((rule) => ({ fits: conditionOf(rule, compile), plan: planOf(config, rule) })),
  ];
  const schedules = [config, ...config.rules, ...overlaid.map(({ rule }) => rule)].map(({ schedule }) => schedule);
  const general = planOf(config, {});
  const feed = config.feeds === undefined ? general : pollsOf(config.feeds);
  const byKind = { page: general, error: steady(config.errorMs), gone: steady(config.goneMs), feed };
  const weights = config.schedule === 'importance' ? byImportance : alike;
  const bounds = boundsOf(config, {});
  return {
    config,
    priceFor(pages) {
      if (!schedules.some(isPriced)) return 0;
      const wanted = (pages.pages * daySeconds * 1_000) / config.intervalMs;
      return priceOfVisit(pages, weights, Math.min(wanted, config.fetchesPerDay ?? wanted), inDays(bounds));
    },
    next(visit, price) {
      const rule = rules.find(({ fits }) => fits(visit));
      // A rule that only says how pages are scheduled does not change the times of errors, nor of feeds that it does
      // not name.
      const plan = rule?.plan.says(visit.kind) ? rule.plan : byKind[visit.kind];
      const next = plan.next(visit, price, weights);
      if (next === null || visit.demoted !== true || config.demote === undefined) return next;
      const { waitFactor } = config.demote;
      return { ...next, delayS: Math.max(next.delayS, Math.min(bounds.maxS, Math.ceil(next.delayS * waitFactor))) };
    },
  };
}

interface Plan {
  says(kind: VisitKind): boolean;
  next(visit: Visited, price: number | null, weights: readonly number[]): NextVisit | null;
}

function conditionOf({ hosts, url, kinds }: RecrawlRule, compile: CompilePatterns): (visit: Visited) => boolean {
  const domains = hosts === undefined ? null : compileSuffixSet(hosts);
  const pattern = url === undefined ? null : compile([url]);
  return (visit) =>
    (kinds === undefined || kinds.includes(visit.kind)) &&
    (domains === null || domains.match(hostnameOf(visit.url)) !== null) &&
    (pattern === null || pattern.first(visit.url) !== null);
}

function steady(intervalMs: number | null): Plan {
  const intervalS = intervalMs === null ? 0 : Math.ceil(intervalMs / 1_000);
  return { says: () => true, next: () => (intervalMs === null ? null : { intervalS, delayS: intervalS }) };
}

function planOf(config: RecrawlConfig, rule: RecrawlRule): Plan {
  if (rule.intervalMs !== undefined) return steady(rule.intervalMs);
  const schedule = rule.schedule ?? config.schedule;
  const { minS, maxS } = boundsOf(config, rule);
  const adaptive = { ...presetOf(schedule), minS, maxS };
  const bounds = inDays({ minS, maxS });
  const firstS = Math.min(maxS, Math.max(minS, seconds(config.intervalMs)!));
  return {
    says: (kind) => kind === 'page' || (kind === 'feed' && rule.kinds?.includes(kind) === true),
    next({ history, changed, sinceChangeS, frontQueue, gain, waits }, price, weights) {
      const { hubs } = config;
      const hubS = hubs === undefined || gain === undefined ? maxS : Math.max(minS, secondsToGain(gain, hubs.newUrls));
      const sooner = (next: NextVisit) => ({ ...next, delayS: Math.min(next.delayS, hubS) });
      if (schedule === 'fixed') return sooner({ intervalS: firstS, delayS: firstS });
      if (!isPriced(schedule)) return sooner(adapted(waits)(adaptive, history, changed, sinceChangeS));
      const rate = changesPerDay(history);
      const isKnown = rate !== null && price !== null;
      const days = isKnown ? boundedDays(rate, weights[frontQueue] ?? 1, price, bounds) : firstS / daySeconds;
      const intervalS = Math.ceil(days * daySeconds);
      return sooner({ intervalS, delayS: intervalS, isBounded: true });
    },
  };
}

/**
 * The next poll of a feed. The first interval is an hour, within the bounds; later ones adapt to changes. A pause that
 * the feed asks for is kept, up to the longest interval.
 */
function pollsOf({ minMs, maxMs }: FeedBounds): Plan {
  const [minS, maxS] = [seconds(minMs)!, seconds(maxMs)!];
  const config = { ...adaptivePresets.adaptive, firstS: firstPollS, minS, maxS };
  return {
    says: () => true,
    next({ history, changed, sinceChangeS, pollS = 0, waits }) {
      const { intervalS, delayS } = adapted(waits)(config, history, changed, sinceChangeS);
      return { intervalS, delayS: Math.min(maxS, Math.max(delayS, pollS)) };
    },
  };
}

const firstPollS = 3_600;

function adapted(waits: true | undefined): typeof adaptiveVisit {
  return waits === true ? adaptiveWait : adaptiveVisit;
}

function isPriced(schedule: ScheduleName | undefined): boolean {
  return schedule === 'optimal' || schedule === 'importance';
}

interface BoundsS {
  readonly minS: number;
  readonly maxS: number;
}

function boundsOf(config: RecrawlConfig, rule: RecrawlRule): BoundsS {
  const own = presetOf(rule.schedule ?? config.schedule);
  const minS = seconds(rule.minMs ?? config.minMs) ?? own.minS;
  return { minS, maxS: Math.max(minS, seconds(rule.maxMs ?? config.maxMs) ?? own.maxS) };
}

function inDays({ minS, maxS }: BoundsS): Bounds {
  return { minDays: minS / daySeconds, maxDays: maxS / daySeconds };
}

function presetOf(schedule: ScheduleName): AdaptiveConfig {
  return schedule === 'nutch' || schedule === 'stormcrawler' ? adaptivePresets[schedule] : adaptivePresets.adaptive;
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.ceil(ms / 1_000);
}
