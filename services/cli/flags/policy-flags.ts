/** Options that make a policy, shared by `crawl` and `inject`. */
import type { Command } from 'commander';
import { Option } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { crawlLimits } from '../../../topology/limits.ts';
import type { PolicyConfig, WhenFull } from '../../../topology/policy/policy.ts';
import { compilePolicy, defaultPolicy, whenFullChoices } from '../../../topology/policy/policy.ts';
import { defaultRecrawl, type ScheduleName, scheduleNames } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { sitemapsEveryMs } from '../../../topology/policy/sitemaps.ts';
import { defaultTraps } from '../../../topology/policy/traps/trap-config.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { ScopeKind } from '../../../topology/url/scope.ts';
import { scopeOf } from '../../../topology/url/scope.ts';
import { parseSeed } from '../../../topology/url/seed.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';
import { noLists } from '../../../topology/url/url-lists.ts';
import { collect, duration, oneOf, pattern, retryList, wholeNumber } from './arguments.ts';
import { addTracePolicyOptions, type TracePolicyFlags, traceOf } from './trace-flags.ts';

export interface PolicyFlags extends TracePolicyFlags {
  readonly maxPages?: number;
  readonly maxDepth?: number;
  readonly scope: ScopeKind;
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
  readonly sitemap?: string[];
}

const recrawlEvery = duration('--recrawl-every');
const delay = wholeNumber('--delay', 0, crawlLimits.delayMsMax);

export function addPolicyOptions(command: Command): Command {
  return addTracePolicyOptions(command)
    .option('--max-pages <n>', 'end after so many pages', wholeNumber('--max-pages', 1))
    .option('--max-depth <n>', 'follow links so many steps from a seed', wholeNumber('--max-depth'))
    .addOption(
      new Option('--scope <kind>', 'stay on the hosts of the seeds, their registrable domains, or go anywhere')
        .argParser(oneOf('--scope', ['host', 'domain', 'all']))
        .default('domain'),
    )
    .option('--include <re>', 'only URLs that match (repeat for several)', collect(pattern('--include')))
    .option('--exclude <re>', 'no URLs that match (repeat for several)', collect(pattern('--exclude')))
    .option('--delay <ms>', 'wait so long between requests to a host, whatever a fetch takes', delay)
    .addOption(
      new Option(
        '--recrawl <schedule>',
        `fetch pages again, until stopped: ${scheduleNames.join(', ')} (default: once, and the crawl ends)`,
      ).argParser(oneOf('--recrawl', scheduleNames)),
    )
    .option('--recrawl-every <duration>', 'time between visits of a page, on average (default: 7d)', recrawlEvery)
    .option(
      '--sitemap <url>',
      'read this sitemap too; a path, such as /sitemap.xml, on every host (repeat for several)',
      collect(sitemapLocation),
    )
    .option('--no-traps', 'crawl on where a host seems to have pages without end')
    .option('--max-queued <n>', 'hold so many URLs queued in a partition', wholeNumber('--max-queued', 1))
    .option(
      '--max-queued-per-host <n>',
      'drop new URLs of a host with so many',
      wholeNumber('--max-queued-per-host', 1),
    )
    .addOption(
      new Option(
        '--when-full <choice>',
        'a full partition stops reading, or drops new URLs, the least urgent first',
      ).argParser(oneOf('--when-full', whenFullChoices)),
    )
    .option('--retries <list>', 'waits before each retry, in seconds (default: 5,30,300)', retryList('--retries'));
}

/** Seeds as the policy spells them. */
export function normalSeeds(seeds: readonly string[]): string[] {
  const normalize = compileNormalizer(defaultPolicy().normalize);
  return seeds.map((seed) => normalize(seed) ?? seed);
}

/** `seeds` are normal. Throws INVALID_ARGUMENT for a bad --include or --exclude, before anything is written. */
export function policyOf(flags: PolicyFlags, seeds: readonly string[]): PolicyConfig {
  const base = defaultPolicy();
  const trace = traceOf(flags);
  const policy: PolicyConfig = {
    ...base,
    scope: scopeOf(flags.scope, seeds),
    filters: { ...base.filters, include: flags.include ?? [], exclude: flags.exclude ?? [] },
    maxDepth: flags.maxDepth ?? null,
    pageQuota: flags.maxPages ?? null,
    ...(flags.traps ? { traps: defaultTraps } : {}),
    ...(flags.delay === undefined ? {} : { delayMs: flags.delay, delayFactor: 0 }),
    ...(flags.maxQueued === undefined ? {} : { queuedMax: flags.maxQueued }),
    ...(flags.maxQueuedPerHost === undefined ? {} : { urlsPerHostMax: flags.maxQueuedPerHost }),
    ...(flags.whenFull === undefined ? {} : { whenFull: flags.whenFull }),
    ...(flags.retries === undefined ? {} : { retriesMs: flags.retries }),
    ...recrawlOf(flags),
    ...(trace !== undefined && { trace }),
    ...sitemapsOf(flags),
  };
  compilePolicy(policy);
  return policy;
}

function recrawlOf({ recrawl: schedule, recrawlEvery: intervalMs }: PolicyFlags): Pick<PolicyConfig, 'recrawl'> {
  if (schedule === undefined && intervalMs === undefined) return {};
  return {
    recrawl: {
      ...defaultRecrawl,
      ...(schedule !== undefined && { schedule }),
      ...(intervalMs !== undefined && { intervalMs, minMs: Math.min(intervalMs, minVisitMs) }),
    },
  };
}

/** A crawl that fetches pages again reads sitemaps again too, those of robots.txt among them. */
function sitemapsOf({ sitemap = [], recrawl, recrawlEvery: every }: PolicyFlags): Pick<PolicyConfig, 'sitemaps'> {
  if (sitemap.length === 0 && recrawl === undefined && every === undefined) return {};
  return { sitemaps: { everyMs: sitemapsEveryMs, rules: sitemap.length === 0 ? [] : [{ urls: sitemap }] } };
}

function sitemapLocation(text: string): string {
  if (text.startsWith('/') && !text.startsWith('//')) return text;
  try {
    return parseSeed(text);
  } catch (error) {
    const message = `--sitemap ${JSON.stringify(text)}: give an http or https URL, or a path such as /sitemap.xml`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message, error);
  }
}

/** Unless pages are asked for more often, none is visited twice within an hour. */
const minVisitMs = 3_600_000;

/** A seed that the policy itself refuses would make an empty crawl: say so. */
export function checkSeeds(seeds: readonly string[], policy: PolicyConfig, lists: ListSource = noLists): void {
  const { admit } = compilePolicy(policy, lists);
  for (const seed of seeds) {
    const verdict = admit(seed, 0, 0);
    if (verdict.ok) continue;
    const why = `${verdict.rule} (${verdict.detail})`;
    throw new CrawlstreamError(
      'INVALID_SEED',
      `seed ${seed} is refused by rule ${why}: change the seed or that option`,
    );
  }
}
