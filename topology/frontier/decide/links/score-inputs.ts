/**
 * The inputs for the score of an arriving URL that a partition knows (policy/score/inputs.ts).
 *
 * The domain's record is that of the host itself: pages worth keeping among those fetched. Freshness is known only of
 * visited pages (score-visited.ts): an arriving URL was never fetched, or its refetch is requested whatever its age.
 */
import type { LinkGroup } from '../../../../schemas/types.ts';
import type { FreshnessInputs, LinkSource, PageKind, ScoreInputs } from '../../../policy/score/inputs.ts';
import type { HostFacts } from '../../changes/changes.ts';

/** `inLinks`: number of sightings, including this one. `linkingDomains` null: not counted. */
export function scoreInputs(
  group: LinkGroup,
  lastModifiedMs: number,
  url: string,
  facts: HostFacts | undefined,
  inLinks: number,
  linkingDomains: number | null,
  cash: number | null,
): ScoreInputs {
  return {
    domain: domainInputs(facts, linkingDomains),
    page: { cash, inLinks, depth: group.depth, type: kindOf(url), source: sourceOf(group, lastModifiedMs) },
    freshness: neverFetched,
  };
}

/** The inputs of a URL that is queued, or was visited: who named it is not kept. */
export function queuedInputs(
  url: string,
  depth: number,
  facts: HostFacts,
  inLinks: number,
  linkingDomains: number | null,
  cash: number | null,
  freshness: FreshnessInputs = neverFetched,
): ScoreInputs {
  return {
    domain: domainInputs(facts, linkingDomains),
    page: { cash, inLinks, depth, type: kindOf(url), source: 'link' },
    freshness,
  };
}

const neverFetched = { ageMs: null, changesPerDay: null, changedShare: null } as const;

export function sourceOf({ intent, hop, depth, sourceUrl, foundIn }: LinkGroup, lastModifiedMs: number): LinkSource {
  if (intent === 'force') return 'operator';
  if (hop > 0) return 'redirect';
  if (sourceUrl === '' && depth === 0) return 'seed';
  if (foundIn !== 'unknown') return foundIn;
  return lastModifiedMs > 0 || intent === 'refresh' ? 'sitemap' : 'link';
}

/** The kind of content by the extension alone; null: the extension is unknown, as for most URLs. */
export function kindOf(url: string): PageKind | null {
  const match = /\.([a-z]{3,5})(?:\?|$)/.exec(url.slice(-40));
  return match === null ? null : (kinds[match[1]!] ?? null);
}

const kinds: Readonly<Record<string, PageKind>> = {
  html: 'html',
  htm: 'html',
  php: 'html',
  aspx: 'html',
  rss: 'feed',
  atom: 'feed',
  txt: 'text',
  pdf: 'document',
  docx: 'document',
};

/** Values from lists are null here; the policy adds them. */
function domainInputs(facts: HostFacts | undefined, linkingDomains: number | null): ScoreInputs['domain'] {
  return {
    listedAuthority: null,
    listedQuality: null,
    linkingDomains,
    trafficRank: null,
    pagesGood: facts?.pages ?? null,
    pagesFetched: facts?.fetched ?? null,
  };
}
