/**
 * The policy: which links become work, under which spelling, and how urgently (docs/design.md §4.17).
 *
 * `PolicyConfig` is plain data with a version, immutable by version; it travels on `control` as JSON. `compilePolicy`
 * makes a pure function of it: normalise → filter → scope → depth → hops → metadata → front queue. Replaying with the same version gives the
 * same verdicts.
 */

import type { PayPolicy } from '../pay/pay-policy.ts';
import { compileTracing, type TraceConfig, type Tracing } from '../trace/tracing.ts';
import {
  compileFilters,
  defaultFilters,
  depthVerdict,
  type FilterConfig,
  type Verdict,
  withRequisites,
} from '../url/filters.ts';
import { frontQueueOf } from '../url/front-queue.ts';
import { hostKeyOf, withoutPort } from '../url/host-key.ts';
import { compileNormalizer, type Normalizer, refusalOf } from '../url/normalize.ts';
import { defaultNormalize, type NormalizeConfig } from '../url/normalize-config.ts';
import type { PatternEngine } from '../url/patterns.ts';
import { compileScope, type ScopeConfig } from '../url/scope.ts';
import { urlLimits } from '../url/url-limits.ts';
import { type ListSource, noLists } from '../url/url-lists.ts';
import type { Use } from '../usage/statement.ts';
import type { WhenBarred } from '../usage/uses-policy.ts';
import type { BudgetConfig } from './budget.ts';
import type { EquivalencesConfig } from './equivalences.ts';
import { compileMetadataRules, type LinkFacts, type MetadataRule } from './metadata-rules.ts';
import type { HostSettings, OverlayConfig } from './overlay-config.ts';
import { compileOverlays, type Deciding, type OverlaidUrl, openAtOf } from './overlays.ts';
import { compileParallel, type LeasesOf, type ParallelRule } from './parallel.ts';
import { policyLimits } from './policy-limits.ts';
import { hasPatterns, patternCompilerOf } from './policy-patterns.ts';
import type { RecrawlConfig } from './recrawl/recrawl-config.ts';
import { compileRecrawl, type Recrawl } from './recrawl/schedule.ts';
import { linkOnly, type ScoreInputs } from './score/inputs.ts';
import { compileListedDomains } from './score/listed-domains.ts';
import { type CashFlow, defaultOpic } from './score/opic.ts';
import { compileScorer, frontQueueOfScore, type Scorer } from './score/score.ts';
import type { ScoreConfig } from './score/score-config.ts';
import { compileSitemaps, type Sitemaps, type SitemapsConfig } from './sitemaps.ts';
import type { TrapConfig } from './traps/trap-config.ts';
import { type CrawlWindow, compileWindows, type OpenAt } from './windows.ts';

/** How a full partition handles new URLs. */
export const whenFullChoices = ['pause', 'dropLowest'] as const;
export type WhenFull = (typeof whenFullChoices)[number];

/** Spelling in which the crawler requests a URL. */
export const fetchAsChoices = ['normal', 'firstSpelling'] as const;
export type FetchAs = (typeof fetchAsChoices)[number];

/** The scope of the delay between two requests. */
export const politenessKeys = ['host', 'domain'] as const;
export type PolitenessKey = (typeof politenessKeys)[number];

/** A policy as one versioned value, as in a file and on the topic `control`. docs/policy.md describes each field. */
export interface PolicyConfig {
  /** Grows with each change, from 1. */
  readonly version: number;
  /** Normalisation of URLs, before filters and scope. */
  readonly normalize: NormalizeConfig;
  /** Engine for regular expressions. `linear`: RE2's syntax, in time linear in the length of the URL. Absent: `javascript`. */
  readonly patterns?: PatternEngine | undefined;
  /** Filters that decide which URLs may be fetched at all. */
  readonly filters: FilterConfig;
  /** How far the crawl may go from its seeds. */
  readonly scope: ScopeConfig;
  /** Most links between a seed and a URL. null: any. */
  readonly maxDepth: number | null;
  /** Most redirects that the crawl follows in a chain. */
  readonly hopsMax: number;
  /** Waits before the second, third, … attempt; its length is the number of retries. */
  readonly retriesMs: readonly number[];
  /** Back off from a host, as after a 503, once first tries of this many different URLs in a row got 5xx (other than 503). The next good answer ends it. 0, or absent: only the failed URLs wait. */
  readonly serverErrorsMax?: number | undefined;
  /** Shortest wait from the completion of a request to a host to the start of the next. */
  readonly delayMs: number;
  /** The wait is also at least this many times as long as the last fetch took. 0: off. */
  readonly delayFactor: number;
  /** Longest wait that `delayFactor` may cause. */
  readonly delayFactorCapMs: number;
  /** Apply the delay per `host` or per registrable `domain`. With `domain`, one host of a domain is on a lease at a time; if topics are partitioned by host, this holds within each partition only. Absent: `host`. */
  readonly politenessKey?: PolitenessKey | undefined;
  /** Shortest time between the starts of two requests to one IP address, over all its hosts and all fetchers, ms. A host with n leases at once divides it by n. 0: none. Absent: 100. */
  readonly addressDelayMs?: number | undefined;
  /** Defer a host if its robots.txt asks for a longer Crawl-delay; the delay is never shortened. 0: accept any Crawl-delay. */
  readonly crawlDelayCapMs: number;
  /** A lease gets as many URLs as can be fetched within this time. */
  readonly leadTimeMs: number;
  /** Most URLs in a lease. */
  readonly urlsPerLeaseMax: number;
  /** Extra time for a lease, beyond twice the expected time of its requests, ms. Clients of the lease API may keep a URL this long. Absent: 45 s, longer than any request of the fetcher. */
  readonly leaseMarginMs?: number | undefined;
  /** End the crawl after this many pages. null: no limit. */
  readonly pageQuota: number | null;
  /** Most URLs queued for one host; further URLs are dropped. null: any number. */
  readonly urlsPerHostMax: number | null;
  /** Most pages fetched from one host, revisits included; the rest of its queue is deferred. Absent or null: any number. */
  readonly pagesPerHostMax?: number | null | undefined;
  /** Most pages fetched from all hosts of a registrable domain. If topics are partitioned by host, the limit holds for each partition. Absent or null: any number. */
  readonly pagesPerDomainMax?: number | null | undefined;
  /** Stop fetching from a host after this many bytes of bodies, as received. The count starts when the policy first sets this. Absent or null: any number. */
  readonly bytesPerHostMax?: number | null | undefined;
  /** Most URLs in a partition that are queued or wait for a retry. */
  readonly queuedMax: number;
  /**
   * Share of `queuedMax` that one host or registrable domain may hold; URLs that exceed it are deferred. Absent, or 1:
   * all of it.
   */
  readonly queueShareMax?: number | undefined;
  /**
   * How a full partition handles new URLs. `pause`: stop reading `discovered`. `dropLowest`: drop new URLs, those of
   * low front queues first. Absent: `pause`.
   */
  readonly whenFull?: WhenFull | undefined;
  /** Hours during which hosts may be contacted. Absent: at any hour. */
  readonly windows?: readonly CrawlWindow[] | undefined;
  /** Hosts that may have several leases at once. Absent: none. */
  readonly parallel?: readonly ParallelRule[] | undefined;
  /** Rules that refuse links by their source, depth, redirects or date. Absent: none. */
  readonly metadata?: readonly MetadataRule[] | undefined;
  /** Budgets: how many URLs of a host or domain are fetched at full rate. Absent: all. */
  readonly budget?: BudgetConfig | undefined;
  /** Scoring of URLs. Absent: by depth and spelling alone (front-queue.ts). */
  readonly score?: ScoreConfig | undefined;
  /** `pull`: clients of the lease API take the leases. Absent: fetchers do, from `tasks`. A crawl's first policy fixes this. */
  readonly sink?: 'pull' | undefined;
  /** No leases while it is true. Absent: false. */
  readonly paused?: boolean | undefined;
  /** Most bytes of bodies per second, over all fetchers. Absent: any number. */
  readonly bytesPerSecond?: number | undefined;
  /** Detection of traps on a host. Absent: off. */
  readonly traps?: TrapConfig | undefined;
  /** Schedule for refetching URLs. Absent: never refetch, and end the crawl. */
  readonly recrawl?: RecrawlConfig | undefined;
  /** More sitemaps than robots.txt names, and how often all are read. Absent: only those of robots.txt, read each time robots.txt is. */
  readonly sitemaps?: SitemapsConfig | undefined;
  /** URLs to trace. Absent: none. */
  readonly trace?: TraceConfig | undefined;
  /** Intended uses of the pages, checked against each site's usage preferences. Absent: no use is checked, and all pages are published. */
  readonly uses?: readonly Use[] | undefined;
  /** Also fetch styles, scripts, pictures and fonts of pages, if filters and scope allow them. Absent: no. */
  readonly requisites?: true | undefined;
  /** Request URLs in their `normal` form, or with path and query as first found (`firstSpelling`). A URL is known by its normal form in both cases. Absent: `normal`. */
  readonly fetchAs?: FetchAs | undefined;
  /** Treat URLs as one without a request, once the host's redirects or canonicals have proved it. Absent: request each URL. */
  readonly equivalences?: EquivalencesConfig | undefined;
  /**
   * How to handle a page if its site bars one of `uses`. `skip`: do not fetch it, if robots.txt bars the use.
   * `withhold`: fetch it, do not publish it. `mark`: publish it, and record the barred uses. Absent: `withhold`.
   */
  readonly usesBarred?: WhenBarred | undefined;
  /** Payment limits for pages that answer 402; a plugin pays. Absent, or `none`: nothing is paid, and the outcome names the price. */
  readonly pay?: PayPolicy | 'none' | undefined;
  /** Settings for part of the web that replace the policy's. If several set a field, the last that matches decides. Absent: none. */
  readonly overlays?: readonly OverlayConfig[] | undefined;
}

export type Admission =
  | { readonly ok: true; readonly url: string; readonly hostKey: string; readonly frontQueue: number }
  | { readonly ok: false; readonly rule: string; readonly detail: string };

export interface Policy {
  readonly config: PolicyConfig;
  /** A host's settings, by its key: the policy's own fields, or those that overlays set. */
  hostSettings(hostKey: string): HostSettings;
  /** Whether the policy caps the URLs or pages of a host or domain. */
  readonly hasCaps: boolean;
  /** Whether an overlay sets a budget for hosts. */
  readonly givesBudgets: boolean;
  /** Budget of a host that an overlay sets, in URLs; -1: none does, so the domain's budget counts. */
  budgetOf(hostKey: string): number;
  /** Overlays that match a normal URL, with the fields that they decide. */
  deciding(url: string): readonly Deciding[];
  /** The front queue that an overlay gives a normal URL; null: none does. */
  givenQueueOf(url: string): number | null;
  /** Whether a normal URL is requested in the spelling in which it was first found. */
  fetchesAsFound(url: string): boolean;
  /** Returns the normal form of a URL; null if it cannot be crawled. */
  readonly normalize: Normalizer;
  /**
   * Decides whether a URL is admitted. `depth`: links from a seed; `hop`: redirects that led to it. `facts`: other
   * facts about the link; without them, metadata rules are skipped. `frontQueue` is based on the link alone;
   * `frontQueueOf` is better if more is known.
   */
  admit(url: string, depth: number, hop: number, facts?: LinkFacts): Admission;
  /** Whether front queues depend on more than depth and spelling. */
  readonly scores: boolean;
  /** Whether further links to a known URL count. */
  readonly countsLinks: boolean;
  /** Whether the domains that link to a host count: for budgets, or for the factor `authority`. */
  readonly countsReferrers: boolean;
  /** How cash flows; null: the policy has no cash. */
  readonly cash: CashFlow | null;
  /** Whether cash alone decides the order of URLs. */
  readonly byCash: boolean;
  /** Front queue of a normal URL, by everything known about it. */
  frontQueueOf(url: string, inputs: ScoreInputs): number;
  /** When a host may be contacted, by its key. */
  readonly openAt: OpenAt;
  /** Whether any host may have several leases at once. */
  readonly hasParallel: boolean;
  /** True if its patterns and overlays decide how long its decisions take. */
  readonly hasPatterns: boolean;
  /** Number of leases that a host may have at once, by its key. */
  readonly leasesOf: LeasesOf;
  /** When a URL is refetched; null: never. */
  readonly recrawl: Recrawl | null;
  /** null: only those that robots.txt names. */
  readonly sitemaps: Sitemaps | null;
  /** Selects the URLs that are traced; null: none. */
  readonly tracing: Tracing | null;
}

/** The default policy: a second between requests, robots.txt obeyed, no limit on depth or pages. */
export function defaultPolicy(): PolicyConfig {
  return {
    version: 1,
    normalize: defaultNormalize,
    filters: defaultFilters,
    // Seeds narrow it (scopeOf); without seeds there is nothing to stay near.
    scope: { kind: 'all', names: [] },
    maxDepth: null,
    hopsMax: urlLimits.redirectHopsMax,
    ...policyLimits,
    pageQuota: null,
    urlsPerHostMax: null,
  };
}

/** The filters that apply to the whole web, without overlays. */
function filtersOf({ filters, requisites }: PolicyConfig): Partial<FilterConfig> | undefined {
  return requisites ? withRequisites(filters) : filters;
}

/** Throws INVALID_ARGUMENT for a regular expression that does not compile, or a list that `lists` cannot give. */
export function compilePolicy(config: PolicyConfig, lists: ListSource = noLists): Policy {
  const normalize = compileNormalizer(config.normalize);
  const compile = patternCompilerOf(config);
  const filter = compileFilters(filtersOf(config), null, lists, compile);
  const metadata = compileMetadataRules(config.metadata ?? [], compile);
  const hasMetadata = (config.metadata?.length ?? 0) > 0;
  const opic = config.score?.kind === 'opic' ? config.score : null;
  const weights = config.score === undefined || config.score.kind === 'opic' ? null : config.score;
  const listed = compileListedDomains(weights?.lists ?? [], lists);
  const plain = weights === null ? null : compileScorer(weights, compile);
  const score: Scorer | null =
    listed === null || plain === null
      ? plain
      : (url, inputs) => plain(url, { ...inputs, domain: listed(url, inputs.domain) });
  const outOfScope = compileScope(config.scope);
  const overlays = compileOverlays(config, lists, compile);
  const leasesOf = compileParallel(config.parallel ?? []);
  const plainUrl = { filter, maxDepth: config.maxDepth, hopsMax: config.hopsMax, scopedBy: '' };
  const settingsOf: (url: string) => OverlaidUrl = overlays === null ? () => plainUrl : overlays.ofUrl;
  return {
    config,
    hostSettings: overlays === null ? () => config : overlays.ofHost,
    hasCaps: hasCaps(config),
    givesBudgets: (config.overlays ?? []).some(({ set }) => set.budget !== undefined),
    budgetOf: overlays === null ? () => -1 : (hostKey) => overlays.ofHost(hostKey).budget ?? -1,
    deciding: overlays === null ? () => [] : overlays.deciding,
    givenQueueOf: overlays === null ? () => null : (url) => overlays.ofUrl(url).frontQueue ?? null,
    fetchesAsFound: (url) => (overlays?.ofUrl(url).fetchAs ?? config.fetchAs) === 'firstSpelling',
    normalize,
    scores: config.score !== undefined,
    countsLinks: weights !== null && weights.page > 0 && weights.factors.inLinks > 0,
    countsReferrers:
      config.budget !== undefined || (weights !== null && weights.domain > 0 && weights.factors.authority > 0),
    cash: opic ?? ((weights?.factors.cash ?? 0) > 0 ? defaultOpic : null),
    byCash: opic !== null,
    openAt: openAtOf(overlays, compileWindows(config.windows ?? [])),
    hasParallel: config.parallel !== undefined || config.overlays?.some(({ set }) => set.leases !== undefined) === true,
    hasPatterns: hasPatterns(config),
    leasesOf: (hostKey) => overlays?.ofHost(hostKey).leases ?? leasesOf(withoutPort(hostKey)),
    recrawl: config.recrawl === undefined ? null : compileRecrawl(config.recrawl, overlays?.recrawl, compile),
    // Clients of the pull API read their own.
    sitemaps:
      config.sitemaps === undefined || config.sink === 'pull' ? null : compileSitemaps(config.sitemaps, normalize),
    tracing: compileTracing(config.trace),
    frontQueueOf: (url, inputs) =>
      settingsOf(url).frontQueue ??
      (score === null ? frontQueueOf(url, inputs.page.depth) : frontQueueOfScore(score(url, inputs))),
    admit(given, depth, hop, facts) {
      const url = normalize(given);
      if (url === null) return { ok: false, rule: 'normalize', detail: refusalOf(given, config.normalize) };
      const hostKey = hostKeyOf(url);
      if (hostKey.length > urlLimits.hostKeyCharsMax)
        return { ok: false, rule: 'length', detail: `host name of ${hostKey.length} characters` };
      const own = settingsOf(url);
      const { maxDepth, hopsMax } = own;
      const verdict =
        own.filter(url, depth) ??
        scopeVerdict(own, url, outOfScope) ??
        (maxDepth === null ? null : depthVerdict(depth, maxDepth));
      if (verdict !== null) return { ok: false, rule: verdict.rule, detail: verdict.detail };
      if (hop > hopsMax) return { ok: false, rule: 'hops', detail: `${hop} > ${hopsMax}` };
      const refused = hasMetadata && facts !== undefined ? metadata(url, facts) : null;
      if (refused !== null) return { ok: false, rule: refused.rule, detail: refused.detail };
      const frontQueue =
        own.frontQueue ?? (score === null ? frontQueueOf(url, depth) : frontQueueOfScore(score(url, linkOnly(depth))));
      return { ok: true, url, hostKey, frontQueue };
    },
  };
}

/** An overlay's word on scope outweighs the policy's. */
function scopeVerdict(
  { inScope, scopedBy }: OverlaidUrl,
  url: string,
  outOfScope: (url: string) => Verdict | null,
): Verdict | null {
  if (inScope === undefined) return outOfScope(url);
  return inScope ? null : { rule: 'scope', detail: `overlay ${scopedBy}` };
}

function hasCaps({ pagesPerHostMax, pagesPerDomainMax, bytesPerHostMax, overlays = [] }: PolicyConfig): boolean {
  const isCapped = [pagesPerHostMax, pagesPerDomainMax, bytesPerHostMax].some((cap) => cap != null);
  return isCapped || overlays.some(({ set }) => set.pagesPerHostMax != null || set.bytesPerHostMax != null);
}
