/**
 * What may be known of a URL when it is scored. null: unknown, and the factor then has no say.
 *
 * Everything comes as a value, so that the frontier may keep counts in its state and a checker may take them from its
 * command line.
 */
export interface ScoreInputs {
  readonly domain: DomainInputs;
  readonly page: PageInputs;
  readonly freshness: FreshnessInputs;
}

export interface DomainInputs {
  /** From a list, 0 to 1: it takes precedence over what the crawl knows. */
  readonly listedAuthority: number | null;
  readonly listedQuality: number | null;
  /** Distinct partition keys that link to the host: what the budget's sketch counts. */
  readonly linkingDomains: number | null;
  /** Place in a list of sites by traffic, from 1. */
  readonly trafficRank: number | null;
  /** Pages fetched of the host: ones worth keeping, and all. */
  readonly pagesGood: number | null;
  readonly pagesFetched: number | null;
}

export interface PageInputs {
  /** Place among what others hold, from 0 to 1. */
  readonly cash: number | null;
  /** Sightings of links to the page, or their distinct sources. */
  readonly inLinks: number | null;
  /** Link distance from a seed. */
  readonly depth: number;
  readonly type: PageKind | null;
  readonly source: LinkSource;
}

/** By media type where the page was fetched before, else by its extension. */
export type PageKind = 'html' | 'feed' | 'text' | 'document' | 'other';

/** Who named the URL, and for a page's links their position. `link`: unknown. */
export const linkSources = [
  'seed',
  'operator',
  'redirect',
  'sitemap',
  'feed',
  'content',
  'navigation',
  'footer',
  'link',
] as const;
export type LinkSource = (typeof linkSources)[number];

export interface FreshnessInputs {
  /** Since the last fetch, ms. null: never fetched. */
  readonly ageMs: number | null;
  /** Changes per day, as estimated from past fetches. */
  readonly changesPerDay: number | null;
  /** Share of past fetches that found the page changed. */
  readonly changedShare: number | null;
}

export const unknownDomain: DomainInputs = {
  listedAuthority: null,
  listedQuality: null,
  linkingDomains: null,
  trafficRank: null,
  pagesGood: null,
  pagesFetched: null,
};

/** Nothing is known but the link itself. */
export function linkOnly(depth: number): ScoreInputs {
  return {
    domain: unknownDomain,
    page: { cash: null, inLinks: null, depth, type: null, source: 'link' },
    freshness: { ageMs: null, changesPerDay: null, changedShare: null },
  };
}
