/**
 * The score of a URL: its worth, from 0 to 1, and the front queue it waits in.
 *
 * A weighted mean of weighted means: domain, page and freshness, each with separate factors. An unknown factor is left
 * out of its mean, and a group without known factors is left out of the whole, instead of counting as bad: a new host
 * has no record, which is not a poor record. If only the link itself is known, depth and spelling make the score, and
 * the front queue is that of `frontQueueOf`.
 *
 * Pure, no state: the frontier keeps the counts and passes them in (inputs.ts).
 */

import { frontQueueCount } from '../../url/front-queue.ts';
import { type CompilePatterns, javascriptPatterns } from '../../url/patterns.ts';
import * as domain from './domain-factors.ts';
import * as freshness from './freshness-factors.ts';
import type { ScoreInputs } from './inputs.ts';
import * as page from './page-factors.ts';
import { compilePageKinds } from './page-kinds.ts';
import { defaultScore, type Factors, type WeightedScore } from './score-config.ts';

/** Score of a normal URL, 0 to 1. */
export type Scorer = (url: string, inputs: ScoreInputs) => number;

export type GroupName = 'domain' | 'page' | 'freshness';

export interface FactorScore {
  readonly group: GroupName;
  readonly factor: keyof Factors;
  /** null: unknown. */
  readonly value: number | null;
  readonly weight: number;
  /** The facts that give the value, for people. */
  readonly from: string;
}

/** `compile`: for the patterns of `pageKinds`. */
export function compileScorer(
  config: WeightedScore = defaultScore,
  compile: CompilePatterns = javascriptPatterns,
): Scorer {
  const { factors, scales, sources } = config;
  const kindOf = compilePageKinds(config.pageKinds ?? [], compile);
  return (url, { domain: of, page: its, freshness: past }) => {
    const mean = new Mean();
    const whole = new Mean();
    mean.add(domain.authority(of, scales), factors.authority);
    mean.add(domain.traffic(of, scales), factors.traffic);
    mean.add(domain.quality(of, scales), factors.quality);
    whole.add(mean.take(), config.domain);
    mean.add(page.cash(its), factors.cash ?? 0);
    mean.add(page.inLinks(its, scales), factors.inLinks);
    mean.add(page.depth(its, url), factors.depth);
    mean.add(page.type(its, kindOf(url)), factors.type);
    mean.add(page.source(its, sources), factors.source);
    whole.add(mean.take(), config.page);
    mean.add(freshness.timeSince(past, scales), factors.timeSince);
    mean.add(freshness.changeRate(past, scales), factors.changeRate);
    mean.add(freshness.volatility(past), factors.volatility);
    whole.add(mean.take(), config.freshness);
    return whole.take() ?? 0;
  };
}

/** Returns every factor with its value, its weight within its group, and the facts that it was computed from. */
export function factorScores(
  config: WeightedScore,
  url: string,
  inputs: ScoreInputs,
  compile: CompilePatterns = javascriptPatterns,
): FactorScore[] {
  const { factors, scales } = config;
  const kind = compilePageKinds(config.pageKinds ?? [], compile)(url);
  const from = factsOf(inputs, kind?.name);
  const row = (group: GroupName, factor: keyof Factors, value: number | null): FactorScore => ({
    ...{ group, factor, value, weight: factors[factor] ?? 0, from: from[factor] },
  });
  return [
    row('domain', 'authority', domain.authority(inputs.domain, scales)),
    row('domain', 'traffic', domain.traffic(inputs.domain, scales)),
    row('domain', 'quality', domain.quality(inputs.domain, scales)),
    row('page', 'cash', page.cash(inputs.page)),
    row('page', 'inLinks', page.inLinks(inputs.page, scales)),
    row('page', 'depth', page.depth(inputs.page, url)),
    row('page', 'type', page.type(inputs.page, kind)),
    row('page', 'source', page.source(inputs.page, config.sources)),
    row('freshness', 'timeSince', freshness.timeSince(inputs.freshness, scales)),
    row('freshness', 'changeRate', freshness.changeRate(inputs.freshness, scales)),
    row('freshness', 'volatility', freshness.volatility(inputs.freshness)),
  ];
}

/** The facts behind each factor. */
function factsOf({ domain, page, freshness }: ScoreInputs, kind: string | undefined): Record<keyof Factors, string> {
  const fact = <T>(value: T | null, text: (value: T) => string) => (value === null ? 'not known' : text(value));
  const days = (ms: number) => `${(ms / 86_400_000).toFixed(1)} days`;
  const pages = `${domain.pagesGood ?? 0} good of ${domain.pagesFetched ?? 0} requests to its host`;
  const listed = (value: number | null, otherwise: string) => (value === null ? otherwise : `list: ${value}`);
  const linking = fact(domain.linkingDomains, (count) => `${count} domains that link to its host`);
  return {
    authority: listed(domain.listedAuthority, linking),
    traffic: fact(domain.trafficRank, (rank) => `list: rank ${rank}`),
    quality: listed(domain.listedQuality, domain.pagesFetched === null ? 'not known' : pages),
    cash: fact(page.cash, (share) => `rank ${share.toFixed(2)} by cash among queued URLs`),
    inLinks: fact(page.inLinks, (count) => `${count} links found`),
    depth: `depth ${page.depth}, and the spelling of its URL`,
    type: kind === undefined ? fact(page.type, (type) => `content: ${type}`) : `page kind: ${kind}`,
    source: page.source === 'link' ? 'not known' : `found as ${page.source}`,
    timeSince: fact(freshness.ageMs, (ms) => `${days(ms)} since its last visit`),
    changeRate: fact(freshness.changesPerDay, (rate) => `${rate.toFixed(2)} changes a day`),
    volatility: fact(freshness.changedShare, (share) => `${share.toFixed(2)} of the newest visits found a change`),
  };
}

export interface GroupScore {
  readonly group: GroupName;
  readonly weight: number;
  /** null: none of its factors is known, or none counts. */
  readonly value: number | null;
}

export function groupScores(config: WeightedScore, factors: readonly FactorScore[]): GroupScore[] {
  const groups: readonly GroupName[] = ['domain', 'page', 'freshness'];
  return groups.map((group) => ({ group, weight: config[group], value: groupScore(group, factors) }));
}

/** The mean of a group's known factors; null: none is known, or none counts. */
export function groupScore(group: GroupName, scores: readonly FactorScore[]): number | null {
  let sum = 0;
  let weights = 0;
  for (const { group: of, value, weight } of scores) {
    if (of !== group || value === null) continue;
    sum += value * weight;
    weights += weight;
  }
  return weights === 0 ? null : sum / weights;
}

/** A weighted mean of the known values. */
class Mean {
  #sum = 0;
  #weights = 0;

  add(value: number | null, weight: number): void {
    if (value === null) return;
    this.#sum += value * weight;
    this.#weights += weight;
  }

  /** Returns the mean and resets it; null: no known value, or none with a weight. */
  take(): number | null {
    const mean = this.#weights === 0 ? null : this.#sum / this.#weights;
    this.#sum = 0;
    this.#weights = 0;
    return mean;
  }
}

/** Front queues are equal stretches around their middles, so that `1 − frontQueue / 7` falls into `frontQueue`. */
export function frontQueueOfScore(score: number): number {
  const frontQueue = Math.round((1 - score) * (frontQueueCount - 1));
  return Math.max(0, Math.min(frontQueueCount - 1, frontQueue));
}
