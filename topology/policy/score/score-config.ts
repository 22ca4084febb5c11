import { z } from 'zod';
import { type NumberListKind, numberListKinds } from '../../url/number-list.ts';
import type { ListName } from '../../url/url-lists.ts';
import { type LinkSource, linkSources } from './inputs.ts';
import { type OpicScore, opicSchema } from './opic.ts';

/** Settings of the score: by weights, or by cash. */
export type ScoreConfig = WeightedScore | OpicScore;

/**
 * Weights and scales of the score, as plain data. A weight is relative to those of the other known factors within its
 * group, and of the other groups. 0 switches a factor off.
 */
export interface WeightedScore {
  /** Kind of score. Absent: `weighted`. */
  readonly kind?: 'weighted' | undefined;
  /** Weight of the domain factors. */
  readonly domain: number;
  /** Weight of the page factors. */
  readonly page: number;
  /** Weight of the freshness factors. */
  readonly freshness: number;
  /** Weights within the groups. */
  readonly factors: Factors;
  /** The counts at which curves reach one half, or their end. */
  readonly scales: Scales;
  /** Value of the factor `source` for each kind of source, 0 to 1; null: no value. Absent: seed and operator 1, redirect and feed 0.8, sitemap 0.7, content 0.6, navigation 0.4, footer 0.1, link null. */
  readonly sources?: SourceShares | undefined;
  /** Kinds of pages by their URLs, for the factor `type`; the first that matches decides. They precede the default kinds: `login` and `cart` 0.05, `search` 0.2, `listing` 0.5, `product` 0.9, `article` 1. Absent: the default kinds alone. */
  readonly pageKinds?: readonly PageKindRule[] | undefined;
  /** Files with numbers for domains. Absent: none. */
  readonly lists?: readonly ScoreList[] | undefined;
}

/** A kind of page. */
export interface PageKindRule {
  /** Name of the kind, as `explain` shows it. */
  readonly name: string;
  /** Regular expression that the URL matches. */
  readonly pattern: string;
  /** Value of the factor `type` for these pages, 0 to 1. */
  readonly value: number;
}

export type SourceShares = Readonly<Partial<Record<LinkSource, number | null | undefined>>>;

/** Domains with numbers (url/number-list.ts), for the factor of its kind. */
export interface ScoreList extends ListName {
  readonly kind: NumberListKind;
}

export interface Factors {
  /** Weight, for the host, of the number of domains that link to it, or of a list. */
  readonly authority: number;
  /** Weight, for the host, of a list of ranks. */
  readonly traffic: number;
  /** Weight, for the host, of the share of good pages so far, or of a list. */
  readonly quality: number;
  /** Weight of cash, as in `opic`. Absent: 0. */
  readonly cash?: number | undefined;
  /** Weight, for the page, of the number of links to it that were found. */
  readonly inLinks: number;
  /** Weight, for the page, of its distance from a seed and of the segments of its path: the fewer the better. */
  readonly depth: number;
  /** Weight, for the page, of its kind: by words of its path (`pageKinds`), else by its extension. */
  readonly type: number;
  /** Weight, for the page, of how it was found: as a seed, in a sitemap, in a page's content or footer. */
  readonly source: number;
  /** Weight, for freshness, of the time since the last visit. A page is scored when a visit ends, so it is the time between its last two visits. */
  readonly timeSince: number;
  /** Weight, for freshness, of the changes of the page per day. */
  readonly changeRate: number;
  /** Weight, for freshness, of the share of visits that found a change. */
  readonly volatility: number;
}

export interface Scales {
  /** Number of linking domains at which authority is 1. */
  readonly linkingDomainsMost: number;
  /** Rank at which traffic is 0. */
  readonly trafficRankMost: number;
  /** Fetches after which a host's own record weighs more than the assumption that it is average. */
  readonly pagesHalf: number;
  /** Number of links found at which a page’s in-links count as 1. */
  readonly inLinksMost: number;
  /** Age at which a page is due, ms. */
  readonly ageMs: number;
  /** Changes per day at which the factor is one half. */
  readonly changesPerDayHalf: number;
}

export const defaultScore: WeightedScore = {
  domain: 0.3,
  page: 0.4,
  freshness: 0.3,
  factors: {
    // Links from other domains are hardest to fake; traffic lists cover few hosts; quality is the crawl's own
    // experience.
    authority: 0.5,
    traffic: 0.2,
    quality: 0.3,
    // Cash is the best factor: a link counts by the worth of its page, which a link farm cannot create alone. With cash
    // the coverage bench finds more than with any other order, on webs of several seeds (lab/bench/policy/coverage.ts).
    cash: 0.6,
    // Depth is always known, and finds well-linked pages first (Najork & Wiener, WWW 2001).
    inLinks: 0.14,
    depth: 0.16,
    type: 0.04,
    source: 0.06,
    // A page is worth fetching again if it is old and it changes; how surely it changed matters least.
    timeSince: 0.5,
    changeRate: 0.3,
    volatility: 0.2,
  },
  scales: {
    // In-links follow a power law: a thousand is the top percent of hosts, and of pages.
    linkingDomainsMost: 1_000,
    trafficRankMost: 1_000_000,
    pagesHalf: 20,
    inLinksMost: 1_000,
    ageMs: 7 * 86_400_000,
    changesPerDayHalf: 1,
  },
};

const weight = z.number().min(0).max(1000);
const positive = z.number().positive().max(1e15);

const { factors, scales } = defaultScore;

/** A field that the policy omits has its default, so that `score: { kind: weighted }` is the whole formula. */
const weightedSchema = z.strictObject({
  kind: z.literal('weighted').optional(),
  domain: weight.default(defaultScore.domain),
  page: weight.default(defaultScore.page),
  freshness: weight.default(defaultScore.freshness),
  factors: z
    .strictObject({
      authority: weight.default(factors.authority),
      traffic: weight.default(factors.traffic),
      quality: weight.default(factors.quality),
      cash: weight.optional(),
      inLinks: weight.default(factors.inLinks),
      depth: weight.default(factors.depth),
      type: weight.default(factors.type),
      source: weight.default(factors.source),
      timeSince: weight.default(factors.timeSince),
      changeRate: weight.default(factors.changeRate),
      volatility: weight.default(factors.volatility),
    })
    .default(factors),
  scales: z
    .strictObject({
      linkingDomainsMost: positive.default(scales.linkingDomainsMost),
      trafficRankMost: positive.min(2).default(scales.trafficRankMost),
      pagesHalf: positive.default(scales.pagesHalf),
      inLinksMost: positive.default(scales.inLinksMost),
      ageMs: positive.default(scales.ageMs),
      changesPerDayHalf: positive.default(scales.changesPerDayHalf),
    })
    .default(scales),
  sources: z.partialRecord(z.enum(linkSources), z.number().min(0).max(1).nullable()).optional(),
  pageKinds: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(40),
        pattern: z.string().min(1).max(500),
        value: z.number().min(0).max(1),
      }),
    )
    .max(50)
    .optional(),
  lists: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(100),
        kind: z.enum(numberListKinds),
        path: z.string().min(1),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'write 64 hexadecimal digits, as sha256sum prints them'),
      }),
    )
    .optional(),
});

export const scoreSchema: z.ZodType<ScoreConfig> = z.discriminatedUnion('kind', [weightedSchema, opicSchema]);
