/** Options that make a policy, shared by `crawl` and `inject`. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { FetchAs, PolicyConfig, PolitenessKey, WhenFull } from '../../../topology/policy/policy.ts';
import { compilePolicy, defaultPolicy, politenessKeys, whenFullChoices } from '../../../topology/policy/policy.ts';
import { type ScheduleName, scheduleNames } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { defaultScore } from '../../../topology/policy/score/score-config.ts';
import { sitemapsEveryMs } from '../../../topology/policy/sitemaps.ts';
import { defaultTraps } from '../../../topology/policy/traps/trap-config.ts';
import { normalizeOf, type SameUrlWord } from '../../../topology/policy/url-identity.ts';
import { validatePolicy, withNormalNames } from '../../../topology/policy/validate.ts';
import { isHashbang } from '../../../topology/url/fragment.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { ScopeKind } from '../../../topology/url/scope.ts';
import { scopeOf } from '../../../topology/url/scope.ts';
import { parseSeed } from '../../../topology/url/seed.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';
import { noLists } from '../../../topology/url/url-lists.ts';
import { type Use, uses } from '../../../topology/usage/statement.ts';
import { type WhenBarred, whenBarred } from '../../../topology/usage/uses-policy.ts';
import { note } from '../../runtime/logging/say.ts';
import { bytes, collect, duration, oneOf, orNone, pattern, retryList, useList, wholeNumber } from './arguments.ts';
import { changedRecrawl, recrawlHubsOption } from './changed-recrawl.ts';
import { overlaysFile, payFile } from './policy-part.ts';
import * as sameUrl from './same-url-option.ts';
import { setting } from './setting.ts';
import { addTracePolicyOptions, type TracePolicyFlags, traceOf } from './trace-flags.ts';

export interface PolicyFlags extends TracePolicyFlags {
  /** `none`: no limit any more. */
  readonly maxPages?: number | 'none';
  readonly maxDepth?: number | 'none';
  readonly scope?: ScopeKind;
  readonly include?: string[];
  readonly exclude?: string[];
  readonly delay?: number;
  readonly retries?: number[];
  readonly maxQueued?: number;
  readonly maxQueuedPerHost?: number;
  readonly whenFull?: WhenFull;
  readonly traps: boolean;
  readonly score?: true;
  readonly recrawl?: ScheduleName;
  readonly recrawlEvery?: number;
  readonly recrawlHubs?: number;
  readonly sitemap?: string[];
  readonly uses?: Use[];
  readonly usesBarred?: WhenBarred;
  readonly requisites?: true;
  readonly overlays?: unknown;
  readonly pay?: unknown;
  readonly politeness?: PolitenessKey;
  readonly sameUrl?: SameUrlWord[];
  readonly fetchAs?: FetchAs;
  readonly sameUrlProofs?: number | 'none';
  readonly canonicals?: boolean;
  readonly addressDelay?: number;
  readonly maxCrawlDelay?: number | 'none';
  /** ms. */
  readonly leaseTime?: number;
  readonly maxPagesPerHost?: number | 'none';
  readonly maxPagesPerDomain?: number | 'none';
  readonly maxBytesPerHost?: number | 'none';
}

const scopeDefault: ScopeKind = 'domain';
const recrawlEvery = duration('--recrawl-every');
const delay = duration('--delay', { mostMs: crawlLimits.delayMsMax });

export function addPolicyOptions(command: Command): Command {
  return addTracePolicyOptions(command)
    .addOption(
      setting(
        '--max-pages <n>',
        'end the crawl after n pages, counted over all its runs ("none" removes the limit)',
        'the crawl ends when nothing is left to fetch',
        orNone(wholeNumber('--max-pages', 1)),
      ),
    )
    .addOption(
      setting(
        '--max-depth <n>',
        'follow links at most n steps from a seed ("none" removes the limit)',
        'scope and trap detection bound a crawl better than depth',
        orNone(wholeNumber('--max-depth')),
      ),
    )
    .addOption(
      setting(
        '--scope <kind>',
        `where links may lead: host or domain of a seed, or all (default: ${scopeDefault})`,
        'a first crawl stays on the registrable domains of its seeds',
      ).argParser(oneOf('--scope', ['host', 'domain', 'all'])),
    )
    .addOption(
      setting(
        '--include <re>',
        'crawl only URLs, seeds too, with a match of this regular expression (repeatable: of any)',
        'every URL in scope is wanted',
        collect(pattern('--include')),
      ),
    )
    .addOption(
      setting(
        '--exclude <re>',
        'skip URLs that match this regular expression (repeatable)',
        'every URL in scope is wanted',
        collect(pattern('--exclude')),
      ),
    )
    .addOption(
      setting(
        '--delay <duration>',
        'fixed delay between requests to a host, as in 2s (default: 10 fetch times, at least 1s)',
        'the policy’s value: ten times the last fetch, as in Mercator, and at least a second',
        delay,
      ),
    )
    .addOption(sameUrl.sameUrlOption())
    .addOption(sameUrl.fetchAsOption())
    .addOption(sameUrl.sameUrlProofsOption())
    .addOption(sameUrl.canonicalsOption())
    .addOption(
      setting(
        '--politeness <key>',
        'apply the delay per host or per registrable domain (default: host)',
        'hosts ask for delays, and hosts of one domain are often separate machines',
      ).argParser(oneOf('--politeness', politenessKeys)),
    )
    .addOption(
      setting(
        '--address-delay <duration>',
        'delay between requests to one IP address; 0: none (default: 100ms)',
        'many small hosts share one machine; large hosting networks can take more',
        duration('--address-delay', { mostMs: 3_600_000 }),
      ),
    )
    .addOption(
      setting(
        '--max-crawl-delay <duration>',
        'skip hosts with a longer Crawl-delay in robots.txt; "none": skip none (default: 30s)',
        'with 30 s, 3,000 pages of a host take a day',
        orNone(duration('--max-crawl-delay', { leastMs: 1, mostMs: crawlLimits.delayMsMax })),
      ),
    )
    .addOption(
      setting(
        '--recrawl <schedule>',
        'revisit pages; one by one: fixed, adaptive, nutch, stormcrawler; all: optimal, importance',
        'a first crawl should end; a crawl with revisits never does',
      ).argParser(oneOf('--recrawl', scheduleNames)),
    )
    .addOption(
      setting(
        '--recrawl-every <duration>',
        'average time between visits of a page; alone, it sets --recrawl optimal (default: 7d)',
        'the interval of seven-day freshness',
        recrawlEvery,
      ),
    )
    .addOption(recrawlHubsOption())
    .addOption(
      setting(
        '--sitemap <url>',
        'read this sitemap; a path such as /sitemap.xml is read on every host (repeatable)',
        'sitemaps in robots.txt are read anyway, and most hosts have no others',
        collect(sitemapLocation),
      ),
    )
    .addOption(
      setting(
        '--no-traps',
        'do not detect crawl traps, such as endless calendars',
        'endless calendars and counters would keep a crawl busy for ever',
      ),
    )
    .addOption(
      setting(
        '--score',
        'fetch the best-scored URLs of a host first (default: by depth; see `check score`)',
        'depth and spelling decide alone: enough for whole sites, and without counts of links',
      ),
    )
    .addOption(
      setting(
        '--max-queued <n>',
        'most URLs queued in a partition (default: 10 million)',
        'the policy’s value: 10 million URLs take about 250 MB of disk',
        wholeNumber('--max-queued', 1),
      ),
    )
    .addOption(
      setting(
        '--max-queued-per-host <n>',
        'most URLs of a host; new ones beyond it are dropped',
        'most crawls want whole sites; a full host drops only its own URLs',
        wholeNumber('--max-queued-per-host', 1),
      ),
    )
    .addOption(
      setting(
        '--when-full <choice>',
        'at --max-queued: pause reading links, or dropLowest of the new, from about half of it',
        'no link is lost: links wait in their topic',
      ).argParser(oneOf('--when-full', whenFullChoices)),
    )
    .addOption(
      setting(
        '--uses <list>',
        `intended uses, checked against sites’ preferences: ${uses.join(', ')}`,
        'page records state what each site bars, and their readers decide',
        useList('--uses'),
      ),
    )
    .addOption(
      setting(
        '--uses-barred <choice>',
        'barred pages: skip (if by robots.txt), withhold from output, mark (default: withhold)',
        'links of a barred page may lead to allowed ones, and no reader uses the page by mistake',
      ).argParser(oneOf('--uses-barred', whenBarred)),
    )
    .addOption(
      setting(
        '--requisites',
        'also fetch styles, scripts, images and fonts of pages, as scope and filters allow',
        'text and links need no requisites, which cost many times a page’s bytes and requests',
      ),
    )
    .addOption(
      setting(
        '--retries <list>',
        'delays before each retry, as in 500ms,30s,5m, or none (default: 5s,30s,5m)',
        'short faults end in seconds, restarts in half a minute, outages in minutes; then the URL is a dead letter',
        retryList('--retries', note),
      ),
    )
    .addOption(
      setting(
        '--max-pages-per-host <n>',
        'most pages of a host ("none" removes the limit)',
        'most crawls want whole sites',
        orNone(wholeNumber('--max-pages-per-host')),
      ),
    )
    .addOption(
      setting(
        '--max-pages-per-domain <n>',
        'most pages of a registrable domain, for each partition ("none" removes the limit)',
        'most crawls want whole sites',
        orNone(wholeNumber('--max-pages-per-domain')),
      ),
    )
    .addOption(
      setting(
        '--max-bytes-per-host <bytes>',
        'most bytes from a host, as in 500M or 10GiB ("none" removes the limit)',
        'pages are small, and each body has a limit',
        orNone(bytes('--max-bytes-per-host', 1, 'give bytes, at least 1, as in 500k, 2M or 10GiB')),
      ),
    )
    .addOption(
      setting(
        '--overlays <file>',
        'policy overlays for hosts, domains or patterns (YAML or JSON file)',
        'all hosts have the same policy',
        overlaysFile,
      ),
    )
    .addOption(
      setting(
        '--pay <file>',
        'payment limits for 402 answers (YAML or JSON file), or none; needs a paying plugin',
        'no money is spent without a limit and a method',
        payFile,
      ),
    )
    .addOption(
      setting(
        '--lease-time <duration>',
        'longest time that a lease client may keep a URL, with renewals, as in 10m',
        'our fetchers need 30 s; with --clients 5 minutes, for slow downloads and processing',
        duration('--lease-time', { leastMs: 30_000, mostMs: 12 * 3_600_000 }),
      ),
    );
}

/**
 * Normalizes seeds with the default policy. The crawl's own treatment of `#!…` is unknown here, so that part is kept.
 */
export function normalSeeds(seeds: readonly string[]): string[] {
  const normalize = compileNormalizer(defaultPolicy().normalize);
  return seeds.map((seed) => {
    const url = normalize(seed);
    const hash = seed.indexOf('#');
    return url === null ? seed : hash >= 0 && isHashbang(seed, hash) ? `${url}${seed.slice(hash)}` : url;
  });
}

/**
 * `seeds`: all the crawl has, normal. `before`: the policy that the flags change; null: that of a new crawl. A flag that
 * is left out changes nothing. Throws INVALID_ARGUMENT for a bad --include or --exclude, before anything is written.
 */
export function policyOf(
  flags: PolicyFlags,
  seeds: readonly string[],
  before: PolicyConfig | null = null,
): PolicyConfig {
  const { traps, ...base } = before ?? { ...defaultPolicy(), traps: defaultTraps };
  const { include, exclude } = flags;
  const trace = traceOf(flags);
  const policy: PolicyConfig = {
    ...base,
    scope: scopeFrom(flags.scope, seeds, before),
    filters: { ...base.filters, ...(include !== undefined && { include }), ...(exclude !== undefined && { exclude }) },
    ...(flags.maxDepth === undefined ? {} : { maxDepth: limitOf(flags.maxDepth) }),
    ...(flags.maxPages === undefined ? {} : { pageQuota: limitOf(flags.maxPages) }),
    ...(flags.traps && traps !== undefined ? { traps } : {}),
    ...(flags.delay === undefined ? {} : { delayMs: flags.delay, delayFactor: 0 }),
    ...(flags.score && { score: base.score ?? defaultScore }),
    ...(flags.maxQueued === undefined ? {} : { queuedMax: flags.maxQueued }),
    ...(flags.maxQueuedPerHost === undefined ? {} : { urlsPerHostMax: flags.maxQueuedPerHost }),
    ...(flags.whenFull === undefined ? {} : { whenFull: flags.whenFull }),
    ...(flags.uses === undefined ? {} : { uses: flags.uses }),
    ...(flags.usesBarred === undefined ? {} : { usesBarred: flags.usesBarred }),
    ...(flags.requisites && { requisites: true as const }),
    ...(flags.fetchAs === undefined ? {} : { fetchAs: flags.fetchAs }),
    ...sameUrl.equivalencesOf(flags, base.equivalences),
    ...(flags.retries === undefined ? {} : { retriesMs: flags.retries }),
    ...recrawlOf(flags, base),
    ...(trace !== undefined && { trace }),
    ...sitemapsOf(flags, base),
    ...(flags.sameUrl === undefined ? {} : { normalize: normalizeOf(flags.sameUrl, base.normalize) }),
    ...(flags.politeness === undefined ? {} : { politenessKey: flags.politeness }),
    ...(flags.addressDelay === undefined ? {} : { addressDelayMs: flags.addressDelay }),
    ...(flags.maxCrawlDelay === undefined ? {} : { crawlDelayCapMs: limitOf(flags.maxCrawlDelay) ?? 0 }),
    ...capsOf(flags),
    ...(flags.leaseTime === undefined ? {} : { leaseMarginMs: flags.leaseTime + answerMs }),
    ...(flags.overlays === undefined ? {} : { overlays: flags.overlays as PolicyConfig['overlays'] }),
    ...(flags.pay === undefined ? {} : { pay: flags.pay as PolicyConfig['pay'] }),
  };
  if (flags.overlays !== undefined || flags.pay !== undefined) validatePolicy(policy, before ?? undefined);
  const named = withNormalNames(policy, before ?? undefined);
  compilePolicy(named);
  return named;
}

/** Time for a client's report to reach the frontier before its lease is over there, ms. */
const answerMs = 15_000;

function limitOf(given: number | 'none'): number | null {
  return given === 'none' ? null : given;
}

function capsOf(flags: PolicyFlags): Partial<PolicyConfig> {
  const { maxPagesPerHost: host, maxPagesPerDomain: domain, maxBytesPerHost: size } = flags;
  return {
    ...(host === undefined ? {} : { pagesPerHostMax: limitOf(host) }),
    ...(domain === undefined ? {} : { pagesPerDomainMax: limitOf(domain) }),
    ...(size === undefined ? {} : { bytesPerHostMax: limitOf(size) }),
  };
}

function scopeFrom(
  given: ScopeKind | undefined,
  seeds: readonly string[],
  before: PolicyConfig | null,
): PolicyConfig['scope'] {
  const kind = given ?? before?.scope.kind ?? scopeDefault;
  const { names } = scopeOf(kind, seeds);
  if (before?.scope.kind === kind) return { kind, names: [...new Set([...before.scope.names, ...names])].sort() };
  if (kind === 'all' || seeds.length > 0) return { kind, names };
  const message = `--scope ${kind}: without seeds, this scope contains no host; add the seeds`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}

type Base = Omit<PolicyConfig, 'traps'>;

function recrawlOf(flags: PolicyFlags, { recrawl: before }: Base): Pick<PolicyConfig, 'recrawl'> {
  const recrawl = changedRecrawl(flags, before);
  return recrawl === before ? {} : { recrawl };
}

/** A crawl that fetches pages again reads sitemaps again too, those of robots.txt among them. */
function sitemapsOf(
  { sitemap = [], recrawl, recrawlEvery: every }: PolicyFlags,
  { sitemaps: before }: Base,
): Pick<PolicyConfig, 'sitemaps'> {
  if (sitemap.length === 0 && recrawl === undefined && every === undefined) return {};
  const rules = sitemap.length === 0 ? (before?.rules ?? []) : [{ urls: sitemap }];
  return { sitemaps: { everyMs: before?.everyMs ?? sitemapsEveryMs, rules } };
}

/** The list itself, or a policy's field: the same file serves `policy set`. Its contents are checked with the policy. */
function sitemapLocation(text: string): string {
  if (text.startsWith('/') && !text.startsWith('//')) return text;
  try {
    return parseSeed(text);
  } catch (error) {
    const message = `--sitemap ${JSON.stringify(text)}: give an http or https URL, or a path such as /sitemap.xml`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message, error);
  }
}

/** Throws on a seed that the policy itself refuses, since the crawl would be empty. */
export function checkSeeds(seeds: readonly string[], policy: PolicyConfig, lists: ListSource = noLists): void {
  const { admit } = compilePolicy(policy, lists);
  for (const seed of seeds) {
    const verdict = admit(seed, 0, 0);
    if (verdict.ok) continue;
    const why = `${verdict.rule} (${verdict.detail})`;
    throw new CrawlstreamError(
      'INVALID_SEED',
      `seed ${seed} is refused by rule ${why}: change the seed or that option (for an existing crawl, use crawlstream policy set)`,
    );
  }
}
