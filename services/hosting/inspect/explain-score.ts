/**
 * The score of a URL as the frontier would compute it now: every factor with its value, its weight, and the facts behind
 * it. Counts that only the partition's state has are asked for; without an answer they are left out, as in the score.
 */
import type { ScoreCounts, UrlAnswer } from '../../../topology/frontier/ask/queries.ts';
import type { UrlTimeline } from '../../../topology/frontier/ask/url-timeline.ts';
import { kindOf } from '../../../topology/frontier/decide/links/score-inputs.ts';
import type { Policy } from '../../../topology/policy/policy.ts';
import { patternCompilerOf } from '../../../topology/policy/policy-patterns.ts';
import { changesPerDay } from '../../../topology/policy/recrawl/change-rate.ts';
import { recentShare } from '../../../topology/policy/recrawl/history.ts';
import { type LinkSource, type ScoreInputs, unknownDomain } from '../../../topology/policy/score/inputs.ts';
import { compileListedDomains } from '../../../topology/policy/score/listed-domains.ts';
import { compileScorer, factorScores, frontQueueOfScore, groupScores } from '../../../topology/policy/score/score.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';

export interface ScoredUrl {
  readonly url: string;
  readonly timeline: Pick<UrlTimeline, 'facts' | 'admitted' | 'outcomes' | 'nowMs'>;
  /** Kind of place with the first link to it; null: not known. */
  readonly source: LinkSource | null;
  readonly counts: UrlAnswer['counts'];
}

/** Null: the policy does not score by factors. */
export function explainScore({ config }: Policy, lists: ListSource, scored: ScoredUrl) {
  const { score: weights } = config;
  if (weights === undefined || weights.kind === 'opic') return null;
  const { url } = scored;
  const plain = inputsOf(scored, weights.factors.cash !== undefined);
  const listed = compileListedDomains(weights.lists ?? [], lists);
  const inputs = listed === null ? plain : { ...plain, domain: listed(url, plain.domain) };
  const compile = patternCompilerOf(config);
  const factors = factorScores(weights, url, inputs, compile);
  const value = compileScorer(weights, compile)(url, inputs);
  return { value, frontQueue: frontQueueOfScore(value), groups: groupScores(weights, factors), factors };
}

function inputsOf({ url, timeline, source, counts }: ScoredUrl, hasCash: boolean): ScoreInputs {
  const { facts, admitted, outcomes } = timeline;
  const isVisited = outcomes.some(({ status }) => status === 'page');
  const visits = counts?.visits ?? null;
  return {
    domain: {
      ...unknownDomain,
      linkingDomains: counts?.linkingDomains ?? null,
      ...{ pagesGood: facts.pages, pagesFetched: facts.fetched },
    },
    page: {
      // A page that was visited has passed its cash on, and nobody keeps who named it.
      cash: isVisited || !hasCash ? null : (counts?.cash ?? null),
      inLinks: counts?.inLinks ?? null,
      depth: admitted.at(-1)?.depth ?? 0,
      type: visits?.isFeed === true ? 'feed' : kindOf(url),
      source: isVisited ? 'link' : (source ?? 'link'),
    },
    freshness: freshnessOf(visits, timeline.nowMs),
  };
}

function freshnessOf(visits: ScoreCounts['visits'], nowMs: number): ScoreInputs['freshness'] {
  if (visits === null) return { ageMs: null, changesPerDay: null, changedShare: null };
  const { visitedAtMs, history } = visits;
  return {
    ageMs: visitedAtMs === 0 ? null : Math.max(0, nowMs - visitedAtMs),
    changesPerDay: changesPerDay(history),
    changedShare: recentShare(history),
  };
}
