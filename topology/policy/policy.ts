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
import { patternCompilerOf } from './policy-patterns.ts';
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

/** What a full partition does about new URLs. */
export const whenFullChoices = ['pause', 'dropLowest'] as const;
export type WhenFull = (typeof whenFullChoices)[number];

/** In which spelling a URL is asked for. */
export const fetchAsChoices = ['normal', 'firstSpelling'] as const;
export type FetchAs = (typeof fetchAsChoices)[number];

/** What a wait between two requests may be of. */
export const politenessKeys = ['host', 'domain'] as const;
export type PolitenessKey = (typeof politenessKeys)[number];

/** A policy as one versioned value, as it stands in a file and on the topic `control`: docs/policy.md has each field. */
export interface PolicyConfig {
  /** Grows with each change, from 1. */
  readonly version: number;
  /** How URLs are spelt before anything else is asked of them. */
  readonly normalize: NormalizeConfig;
  /** How patterns run. `linear`: in time that grows with the URL alone, in RE2's syntax. Absent: `javascript`. */
  readonly patterns?: PatternEngine | undefined;
  /** Which URLs are wanted at all. */
  readonly filters: FilterConfig;
  /** How far the crawl may go from its seeds. */
  readonly scope: ScopeConfig;
  /** Link distance from a seed. null: any. */
  readonly maxDepth: number | null;
  /** Redirects after which a chain is given up. */
  readonly hopsMax: number;
  /** Waits before the second, third, … attempt; its length is the number of retries. */
  readonly retriesMs: readonly number[];
  /** Answers of 5xx (other than 503) in a row, to first tries of different URLs, that count as a host's trouble: it is then backed off as after a 503, until it answers well. 0, or absent: however many, only their URLs wait. */
  readonly serverErrorsMax?: number | undefined;
  /** Shortest wait from the completion of a request to a host to the start of the next. */
  readonly delayMs: number;
  /** The wait is also at least this many times as long as the last fetch took. 0: off. */
  readonly delayFactor: number;
  /** Longest adaptive wait. */
  readonly delayFactorCapMs: number;
  /** Whose the wait between two requests is. `domain`: all hosts of a registrable domain share it, one at a time on a lease; exact where topics are partitioned by domain, and within each partition else. Absent: `host`. */
  readonly politenessKey?: PolitenessKey | undefined;
  /** Shortest time between the starts of two requests to one address, whatever their hosts, ms: for all fetchers together, divided by a host's leases at once. 0: none. Absent: 100. */
  readonly addressDelayMs?: number | undefined;
  /** A robots.txt Crawl-delay above this defers the host; it is never cut short. 0: it is waited out, however long. */
  readonly crawlDelayCapMs: number;
  /** A lease holds as many URLs as can be fetched within this time. */
  readonly leadTimeMs: number;
  /** A lease holds no more URLs than this. */
  readonly urlsPerLeaseMax: number;
  /** Time that a lease has beyond twice what its requests should take, ms: as long as clients of the lease API may keep a URL. Absent: 45 s, which a request of ours cannot outlive. */
  readonly leaseMarginMs?: number | undefined;
  /** Pages after which the crawl ends. null: none. */
  readonly pageQuota: number | null;
  /** URLs one host may have queued; further ones are not admitted. null: any number. */
  readonly urlsPerHostMax: number | null;
  /** Pages that one host may give, visits to known ones included; what it has queued is deferred then. Absent or null: any number. */
  readonly pagesPerHostMax?: number | null | undefined;
  /** The same for all hosts of a registrable domain together; exact where topics are partitioned by domain, and for each partition else. Absent or null: any number. */
  readonly pagesPerDomainMax?: number | null | undefined;
  /** Bytes of bodies, as received, after which a host is fetched from no more; counted from when a policy first has this. Absent or null: any number. */
  readonly bytesPerHostMax?: number | null | undefined;
  /** URLs a partition may hold queued or waiting for retry. */
  readonly queuedMax: number;
  /**
   * Share of `queuedMax` that one host or registrable domain may hold; URLs that exceed it are deferred. Absent, or 1:
   * all of it.
   */
  readonly queueShareMax?: number | undefined;
  /** `pause`: `discovered` waits. `dropLowest`: new URLs are dropped, those of low front queues first. Absent: pause. */
  readonly whenFull?: WhenFull | undefined;
  /** Hours in which hosts may be contacted. Absent: at any hour. */
  readonly windows?: readonly CrawlWindow[] | undefined;
  /** Hosts that may be on several leases at once. Absent: none. */
  readonly parallel?: readonly ParallelRule[] | undefined;
  /** Rules that refuse links by what is known of them beside their URL. Absent: none. */
  readonly metadata?: readonly MetadataRule[] | undefined;
  /** How many URLs of a host or domain go at full rate. Absent: all. */
  readonly budget?: BudgetConfig | undefined;
  /** How URLs are scored. Absent: by depth and spelling alone (front-queue.ts). */
  readonly score?: ScoreConfig | undefined;
  /** Who takes the leases: clients of the pull API. Absent: fetchers, by `tasks`. A crawl's first policy decides it. */
  readonly sink?: 'pull' | undefined;
  /** No leases while it is true. Absent: false. */
  readonly paused?: boolean | undefined;
  /** Bytes of bodies that all fetchers together receive a second, at most. Absent: any number. */
  readonly bytesPerSecond?: number | undefined;
  /** When part of a host counts as a trap. Absent: never. */
  readonly traps?: TrapConfig | undefined;
  /** When fetched URLs are fetched again. Absent: never, and a crawl ends. */
  readonly recrawl?: RecrawlConfig | undefined;
  /** Sitemaps beside those of robots.txt, and when all are read again. Absent: those, as often as robots.txt is. */
  readonly sitemaps?: SitemapsConfig | undefined;
  /** Which URLs are traced. Absent: none. */
  readonly trace?: TraceConfig | undefined;
  /** What the pages are wanted for. Absent: nothing in particular, and all are published. */
  readonly uses?: readonly Use[] | undefined;
  /** Fetch what pages are built of, too (styles, scripts, pictures, fonts), where filters and scope let it. Absent: no. */
  readonly requisites?: true | undefined;
  /** In which spelling a URL is asked for: its normal one, by which it is known in any case, or that in which it was found first (path and query; scheme and host are the normal ones). Absent: `normal`. */
  readonly fetchAs?: FetchAs | undefined;
  /** URLs that a host's redirects and canonicals have proved to be one are folded without a request. Absent: each is asked for. */
  readonly equivalences?: EquivalencesConfig | undefined;
  /** What becomes of a page of which a wanted use is barred. Absent: withhold. */
  readonly usesBarred?: WhenBarred | undefined;
  /** What may be paid for pages that answer 402, by a plugin that pays. Absent, or `none`: nothing, and the outcome names the price. */
  readonly pay?: PayPolicy | 'none' | undefined;
  /** Settings for part of the web, in place of the policy's own; of those that set the same, the last that matches decides. Absent: none. */
  readonly overlays?: readonly OverlayConfig[] | undefined;
}

export type Admission =
  | { readonly ok: true; readonly url: string; readonly hostKey: string; readonly frontQueue: number }
  | { readonly ok: false; readonly rule: string; readonly detail: string };

export interface Policy {
  readonly config: PolicyConfig;
  /** What a host goes by, by its key: the policy's own fields, or what overlays set for it. */
  hostSettings(hostKey: string): HostSettings;
  /** Does it cap what a host or a domain may give? */
  readonly hasCaps: boolean;
  /** URLs of a host at full rate, by an overlay; -1: the budget counts. */
  budgetOf(hostKey: string): number;
  /** Overlays that match a normal URL, and what they decide. */
  deciding(url: string): readonly Deciding[];
  /** The front queue that an overlay gives a normal URL; null: none does. */
  givenQueueOf(url: string): number | null;
  /** Is a normal URL asked for in the spelling in which it was found first? */
  fetchesAsFound(url: string): boolean;
  /** The spelling a URL is known by; null for one that can't be crawled. */
  readonly normalize: Normalizer;
  /**
   * `depth`: link distance from a seed; `hop`: redirects taken to get here. `facts`: the rest that is known; without it
   * no metadata rule is asked. `frontQueue` is that of the link alone; `frontQueueOf` gives a better one where more is known.
   */
  admit(url: string, depth: number, hop: number, facts?: LinkFacts): Admission;
  /** Is there more to a front queue than depth and spelling? */
  readonly scores: boolean;
  /** Do links to a URL that is known already count? */
  readonly countsLinks: boolean;
  /** How cash flows; null: there is none. */
  readonly cash: CashFlow | null;
  /** Does cash alone say how urgent a URL is? */
  readonly byCash: boolean;
  /** The front queue of a normal URL by all that is known of it. */
  frontQueueOf(url: string, inputs: ScoreInputs): number;
  /** When a host may be contacted, by its key and the crawl's windows. */
  readonly openAt: OpenAt;
  /** May any host be on several leases at once? */
  readonly hasParallel: boolean;
  /** How many leases a host may be on at once, by its key. */
  readonly leasesOf: LeasesOf;
  /** When a URL is fetched again; null: never. */
  readonly recrawl: Recrawl | null;
  /** null: those of robots.txt alone. */
  readonly sitemaps: Sitemaps | null;
  /** Which URLs are traced; null: none. */
  readonly tracing: Tracing | null;
}

/** What holds where nothing else is said: a second between requests, robots.txt obeyed, no limit on depth or pages. */
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

/** The filters that hold for all of the web. */
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
  const plain = weights === null ? null : compileScorer(weights);
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
    budgetOf: overlays === null ? () => -1 : (hostKey) => overlays.ofHost(hostKey).budget ?? -1,
    deciding: overlays === null ? () => [] : overlays.deciding,
    givenQueueOf: overlays === null ? () => null : (url) => overlays.ofUrl(url).frontQueue ?? null,
    fetchesAsFound: (url) => (overlays?.ofUrl(url).fetchAs ?? config.fetchAs) === 'firstSpelling',
    normalize,
    scores: config.score !== undefined,
    countsLinks: weights !== null && weights.page > 0 && weights.factors.inLinks > 0,
    cash: opic ?? ((weights?.factors.cash ?? 0) > 0 ? defaultOpic : null),
    byCash: opic !== null,
    openAt: openAtOf(overlays, compileWindows(config.windows ?? [])),
    hasParallel: config.parallel !== undefined || config.overlays?.some(({ set }) => set.leases !== undefined) === true,
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
      return { ok: true, url, hostKey: hostKeyOf(url), frontQueue };
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
