/**
 * The policy: which links become work, under which spelling, and how urgently (docs/design.md §4.17).
 *
 * `PolicyConfig` is plain data with a version, immutable by version; it travels on `control` as JSON. `compilePolicy`
 * makes a pure function of it: normalise → filter → scope → depth → hops → metadata → front queue. Replaying with the same version gives the
 * same verdicts.
 */

import { compileTracing, type Tracing } from '../trace/tracing.ts';
import { compileFilters, depthVerdict, type FilterConfig, type Verdict, withRequisites } from '../url/filters.ts';
import { frontQueueOf } from '../url/front-queue.ts';
import { hostKeyOf, withoutPort } from '../url/host-key.ts';
import { compileNormalizer, type Normalizer, refusalOf } from '../url/normalize.ts';
import { compileScope } from '../url/scope.ts';
import { urlLimits } from '../url/url-limits.ts';
import { type ListSource, noLists } from '../url/url-lists.ts';
import { listsOf } from './lists-of.ts';
import { compileMetadataRules, type LinkFacts } from './metadata-rules.ts';
import type { HostSettings, OverlayConfig } from './overlay-config.ts';
import { compileOverlays, type Deciding, type OverlaidUrl, openAtOf } from './overlays.ts';
import { compileParallel, type LeasesOf, withHostDelays } from './parallel.ts';
import {
  declaredFields,
  type fetchAsChoices,
  type PolicyValues,
  type politenessKeys,
  type whenFullChoices,
} from './policy-fields.ts';
import { hasPatterns, patternCompilerOf } from './policy-patterns.ts';
import { compileRecrawl, type Recrawl } from './recrawl/schedule.ts';
import { linkOnly, type ScoreInputs } from './score/inputs.ts';
import { compileListedDomains } from './score/listed-domains.ts';
import { type CashFlow, defaultOpic } from './score/opic.ts';
import { compileScorer, frontQueueOfScore, type Scorer } from './score/score.ts';
import { compileSitemaps, type Sitemaps } from './sitemaps.ts';
import { compileWindows, type OpenAt } from './windows.ts';

export type WhenFull = (typeof whenFullChoices)[number];
export type FetchAs = (typeof fetchAsChoices)[number];
export type PolitenessKey = (typeof politenessKeys)[number];

/** A policy as one versioned value, as in a file and on the topic `control`. policy-fields.ts declares its fields. */
export interface PolicyConfig extends PolicyValues {
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
  /** Characters of the policy as JSON, without the names of its scope: they cost the same, whatever their number. */
  readonly rulesChars: number;
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
  // Last, as in policies that crawls have kept: equal policies have equal bytes.
  const { pageQuota, urlsPerHostMax, ...others } = initial;
  return { ...others, pageQuota, urlsPerHostMax };
}

const initial = Object.fromEntries(
  declaredFields.flatMap(([name, field]) => ('initial' in field ? [[name, field.initial]] : [])),
) as unknown as PolicyConfig;

/** The filters that apply to the whole web, without overlays. */
function filtersOf({ filters, requisites }: PolicyConfig): Partial<FilterConfig> | undefined {
  return requisites ? withRequisites(filters) : filters;
}

/** Compiled policies that depend on nothing but their configs, which nobody can change. */
const compiled = new WeakMap<PolicyConfig, Policy>();

/** Throws INVALID_ARGUMENT for a regular expression that does not compile, or a list that `lists` cannot give. */
export function compilePolicy(config: PolicyConfig, lists: ListSource = noLists): Policy {
  if (!Object.isFrozen(config) || listsOf(config).length > 0) return compileNow(config, lists);
  const policy = compiled.get(config) ?? compileNow(config, lists);
  compiled.set(config, policy);
  return policy;
}

function compileNow(config: PolicyConfig, lists: ListSource): Policy {
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
    hostSettings: withHostDelays(config.parallel ?? [], overlays === null ? () => config : overlays.ofHost),
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
    rulesChars: JSON.stringify({ ...config, scope: null }).length,
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
