/** Options that make a policy, shared by `crawl` and `inject`. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { FetchAs, PolicyConfig, PolitenessKey, WhenFull } from '../../../topology/policy/policy.ts';
import { compilePolicy, defaultPolicy, politenessKeys, whenFullChoices } from '../../../topology/policy/policy.ts';
import { type ScheduleName, scheduleNames } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { sitemapsEveryMs } from '../../../topology/policy/sitemaps.ts';
import { defaultTraps } from '../../../topology/policy/traps/trap-config.ts';
import { normalizeOf, type SameUrlWord } from '../../../topology/policy/url-identity.ts';
import { validatePolicy, withNormalNames } from '../../../topology/policy/validate.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { ScopeKind } from '../../../topology/url/scope.ts';
import { scopeOf } from '../../../topology/url/scope.ts';
import { parseSeed } from '../../../topology/url/seed.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';
import { noLists } from '../../../topology/url/url-lists.ts';
import { type Use, uses } from '../../../topology/usage/statement.ts';
import { type WhenBarred, whenBarred } from '../../../topology/usage/uses-policy.ts';
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
const delay = duration('--delay', { bare: 'ms', mostMs: crawlLimits.delayMsMax });

export function addPolicyOptions(command: Command): Command {
  return addTracePolicyOptions(command)
    .addOption(
      setting(
        '--max-pages <n>',
        'end after so many pages ("none": no more limit)',
        'a crawl ends when there is nothing left to fetch',
        orNone(wholeNumber('--max-pages', 1)),
      ),
    )
    .addOption(
      setting(
        '--max-depth <n>',
        'follow links so many steps from a seed ("none": any)',
        'scope and traps bound a crawl better than steps do',
        orNone(wholeNumber('--max-depth')),
      ),
    )
    .addOption(
      setting(
        '--scope <kind>',
        `stay on the hosts of the seeds, their registrable domains, or go anywhere (default: ${scopeDefault})`,
        'a first crawl never wanders off: it stays on the registrable domains of its seeds',
      ).argParser(oneOf('--scope', ['host', 'domain', 'all'])),
    )
    .addOption(
      setting(
        '--include <re>',
        'only URLs that match (repeat for several)',
        'every URL in scope is wanted',
        collect(pattern('--include')),
      ),
    )
    .addOption(
      setting(
        '--exclude <re>',
        'no URLs that match (repeat for several)',
        'every URL in scope is wanted',
        collect(pattern('--exclude')),
      ),
    )
    .addOption(
      setting(
        '--delay <duration>',
        'wait so long between requests to a host, whatever a fetch takes, as in 2s; a number alone is ms',
        'the policy decides: at least a second, and ten times the last fetch, as Mercator waits',
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
        'whose the wait between two requests is: of each host, or of all hosts of a registrable domain together',
        'a host is what asks for a delay; hosts of one domain are often machines of their own',
      ).argParser(oneOf('--politeness', politenessKeys)),
    )
    .addOption(
      setting(
        '--address-delay <duration>',
        'wait so long between starts on one address, whatever the hosts, as in 50ms; 0: no limit',
        '100 ms: many small hosts share one machine; networks that serve many sites stand more',
        duration('--address-delay', { bare: 'ms', mostMs: 3_600_000 }),
      ),
    )
    .addOption(
      setting(
        '--max-crawl-delay <duration>',
        'leave hosts whose robots.txt asks for a longer Crawl-delay ("none": wait any out)',
        '30 s: 3,000 pages of a host then take a day',
        orNone(duration('--max-crawl-delay', { bare: 's', leastMs: 1, mostMs: crawlLimits.delayMsMax })),
      ),
    )
    .addOption(
      setting(
        '--recrawl <schedule>',
        `fetch pages again, until stopped: ${scheduleNames.join(', ')} (default: once, and the crawl ends)`,
        'a first crawl is to end; keeping pages fresh goes on for ever',
      ).argParser(oneOf('--recrawl', scheduleNames)),
    )
    .addOption(
      setting(
        '--recrawl-every <duration>',
        'time between visits of a page, on average (default: 7d)',
        'a week: what seven-day freshness asks for',
        recrawlEvery,
      ),
    )
    .addOption(recrawlHubsOption())
    .addOption(
      setting(
        '--sitemap <url>',
        'read this sitemap too; a path, such as /sitemap.xml, on every host (repeat for several)',
        'those that robots.txt names are read anyway, and most hosts have no others',
        collect(sitemapLocation),
      ),
    )
    .addOption(
      setting(
        '--no-traps',
        'crawl on where a host seems to have pages without end',
        'endless calendars and counters would take a crawl’s time for ever',
      ),
    )
    .addOption(
      setting(
        '--max-queued <n>',
        'hold so many URLs queued in a partition',
        'the policy decides: 10 million, some 250 MB of disk',
        wholeNumber('--max-queued', 1),
      ),
    )
    .addOption(
      setting(
        '--max-queued-per-host <n>',
        'drop new URLs of a host with so many',
        'one host that is full drops its own URLs, and most crawls want all of a site',
        wholeNumber('--max-queued-per-host', 1),
      ),
    )
    .addOption(
      setting(
        '--when-full <choice>',
        'a full partition stops reading, or drops new URLs, the least urgent first',
        'nothing is lost, links wait in their topic',
      ).argParser(oneOf('--when-full', whenFullChoices)),
    )
    .addOption(
      setting(
        '--uses <list>',
        `what the pages are wanted for: ${uses.join(', ')}, by commas; a page that a site bars from it is not published`,
        'records say what each site bars, and most crawls leave it to whoever reads them',
        useList('--uses'),
      ),
    )
    .addOption(
      setting(
        '--uses-barred <choice>',
        `what becomes of a page that is barred from a use of --uses: ${whenBarred.join(', ')} (default: withhold)`,
        'its links may lead to pages that are not, and nobody who reads the crawl uses it by mistake',
      ).argParser(oneOf('--uses-barred', whenBarred)),
    )
    .addOption(
      setting(
        '--requisites',
        'fetch what pages are built of, too: styles, scripts, pictures, fonts, once each, within the scope; for archives',
        'a crawl is for text and links; what shows a page is many times its bytes and requests',
      ),
    )
    .addOption(
      setting(
        '--retries <list>',
        'waits before each retry, in seconds or with units, as in 500ms,30s,5m (default: 5,30,300)',
        'a hiccup is over in seconds, a restart in half a minute, an outage in minutes; then it is a dead letter',
        retryList('--retries'),
      ),
    )
    .addOption(
      setting(
        '--max-pages-per-host <n>',
        'fetch so many pages of each host ("none": no more limit)',
        'most crawls want all of a site',
        orNone(wholeNumber('--max-pages-per-host')),
      ),
    )
    .addOption(
      setting(
        '--max-pages-per-domain <n>',
        'fetch so many pages of all hosts of a registrable domain together, within a partition ("none": no more limit)',
        'most crawls want all of a site',
        orNone(wholeNumber('--max-pages-per-domain')),
      ),
    )
    .addOption(
      setting(
        '--max-bytes-per-host <bytes>',
        'fetch from a host until it has sent so many bytes, as in 500M or 10GiB ("none": no more limit)',
        'pages are small, and bodies are cut at a limit of their own',
        orNone(bytes('--max-bytes-per-host', 1, 'give bytes, at least 1, as in 500k, 2M or 10GiB')),
      ),
    )
    .addOption(
      setting(
        '--overlays <file>',
        'settings for parts of the web, in place of the policy’s: `overlays` of a policy, as YAML or JSON',
        'a crawl treats all hosts alike until somebody says otherwise',
        overlaysFile,
      ),
    )
    .addOption(
      setting(
        '--pay <file>',
        'what may be paid for pages that answer 402: `pay` of a policy, as YAML or JSON, or "none"; a plugin pays',
        'money is spent only where somebody said how much, and how',
        payFile,
      ),
    )
    .addOption(
      setting(
        '--lease-time <duration>',
        'how long a client of the lease API may keep a URL, renewals included, as in 10m',
        'our own fetchers need 30 s; with --clients it is 5 minutes, for slow downloads and what is done with them',
        duration('--lease-time', { leastMs: 30_000, mostMs: 12 * 3_600_000 }),
      ),
    );
}

/** Seeds as the policy spells them. */
export function normalSeeds(seeds: readonly string[]): string[] {
  const normalize = compileNormalizer(defaultPolicy().normalize);
  return seeds.map((seed) => normalize(seed) ?? seed);
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

/** Time for what a client tells to reach the frontier before its lease is over there, ms. */
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
  const message = `--scope ${kind}: there is nothing to stay near; give the seeds too`;
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
      `seed ${seed} is refused by rule ${why}: change the seed or that option (in a crawl that has begun, crawlstream policy set)`,
    );
  }
}
