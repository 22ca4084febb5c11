/**
 * Facts about a URL for its score. null: unknown; the factor is then left out.
 *
 * All inputs are values, so the frontier can keep counts in its state, and a checker can read them from its command
 * line.
 */
export interface ScoreInputs {
  readonly domain: DomainInputs;
  readonly page: PageInputs;
  readonly freshness: FreshnessInputs;
}

export interface DomainInputs {
  /** From a list, 0 to 1; overrides what the crawl has measured. */
  readonly listedAuthority: number | null;
  readonly listedQuality: number | null;
  /** Number of distinct registrable domains that link to the host, from a sketch. */
  readonly linkingDomains: number | null;
  /** Place in a list of sites by traffic, from 1. */
  readonly trafficRank: number | null;
  /** Fetched pages of the host: those worth keeping, and all. */
  readonly pagesGood: number | null;
  readonly pagesFetched: number | null;
}

export interface PageInputs {
  /** The page's rank by cash among waiting URLs, from 0 to 1. */
  readonly cash: number | null;
  /** Number of links to the page that arrived; fetchers drop those they published lately, so it is about that of sources. */
  readonly inLinks: number | null;
  /** Link distance from a seed. */
  readonly depth: number;
  readonly type: PageKind | null;
  readonly source: LinkSource;
}

/** Kind of content: `feed` if the last fetch brought a feed, else by the extension of the URL. */
export type PageKind = 'html' | 'feed' | 'text' | 'document' | 'other';

/** The place where the URL was found; for links of a page, their position. `link`: unknown position. */
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
  /** Time since the last fetch, ms. null: never fetched. */
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
