/** `crawlstream crawl`: options to a policy and a fetcher's configuration, the crawl itself, and its report. */
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CrawlstreamError } from '../../topology/errors.ts';
import { crawlLimits } from '../../topology/limits.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import { compilePolicy, defaultPolicy } from '../../topology/policy/policy.ts';
import { fingerprintVersion } from '../../topology/url/fingerprint.ts';
import { compileNormalizer } from '../../topology/url/normalize.ts';
import type { ScopeKind } from '../../topology/url/scope.ts';
import { scopeOf } from '../../topology/url/scope.ts';
import { parseSeed } from '../../topology/url/seed.ts';
import { seenKeyVersion } from '../../topology/url/seen-key.ts';
import type { ResolveOverride } from '../fetcher/resolve-override.ts';
import { compileOverrides, parseResolveOverride } from '../fetcher/resolve-override.ts';
import { SystemClock } from '../runtime/clock.ts';
import type { DataFolder } from '../runtime/data-folder/data-folder.ts';
import { openDataFolder } from '../runtime/data-folder/data-folder.ts';
import { suffixListHash } from '../runtime/data-folder/suffix-list.ts';
import { collect, contact, duration, oneOf, retryList, wholeNumber } from './arguments.ts';
import { countsOf, countsText } from './counters-text.ts';
import { readRequest } from './crawl-folder.ts';
import type { CrawlOutcome } from './embedded-crawl.ts';
import { runEmbeddedCrawl } from './embedded-crawl.ts';
import { clockText, createProgress } from './progress.ts';
import { productVersion } from './version.ts';

interface CrawlFlags {
  readonly maxPages?: number;
  readonly maxDepth?: number;
  readonly scope: ScopeKind;
  readonly include?: string[];
  readonly exclude?: string[];
  readonly delay?: number;
  readonly retries?: number[];
  readonly allowPrivate?: boolean;
  readonly resolve?: ResolveOverride[];
  readonly contact?: string;
  readonly data?: string;
  readonly keep?: number;
  readonly partitions?: number;
  readonly concurrency: number;
  readonly json?: boolean;
}

export function addCrawlCommand(program: Command): void {
  program
    .command('crawl')
    .description('crawl from seeds, in one process, into a data folder; the same folder resumes')
    .argument('[seed...]', 'URLs to start from; none: go on with the seeds of the data folder')
    .option('--max-pages <n>', 'end after so many pages', wholeNumber('--max-pages', 1))
    .option('--max-depth <n>', 'follow links so many steps from a seed', wholeNumber('--max-depth'))
    .addOption(
      new Option('--scope <kind>', 'stay on the hosts of the seeds, their registrable domains, or go anywhere')
        .argParser(oneOf('--scope', ['host', 'domain', 'all']))
        .default('domain'),
    )
    .option('--include <re>', 'only URLs that match (repeat for several)', collect(String))
    .option('--exclude <re>', 'no URLs that match (repeat for several)', collect(String))
    .option('--delay <ms>', 'wait so long between requests to a host, whatever a fetch takes', wholeNumber('--delay'))
    .option('--retries <list>', 'waits before each retry, in seconds (default: 5,30,300)', retryList('--retries'))
    .option('--allow-private', 'connect to loopback and private addresses too')
    .option('--resolve <host[:port]:address>', "as curl's: do not look this name up", collect(parseResolveOverride))
    .option('--contact <url|mail>', 'where webmasters reach you; sent with each request', contact('--contact'))
    .option('--data <dir>', 'data folder (default: crawl-data/ and the host of the first seed)')
    .option('--keep <duration>', 'drop pages, tasks and dead letters older than this, as in 36h', duration('--keep'))
    .option('--partitions <n>', 'partitions of a new crawl (default: 1)', wholeNumber('--partitions', 1))
    .addOption(
      new Option('--concurrency <n>', 'hosts fetched from at once')
        .argParser(wholeNumber('--concurrency', 1))
        .default(crawlLimits.leasesMax),
    )
    .option('--json', 'print the result as one JSON object on the last line of the output')
    .action(crawl);
}

async function crawl(seedArguments: string[], flags: CrawlFlags): Promise<void> {
  const clock = new SystemClock();
  const typed = seedArguments.map(parseSeed);
  const folder = await openFolder(typed, flags, clock);
  const before = await readRequest(folder);
  const policy = policyOf(flags, typed.length > 0 ? typed : before.seeds);
  const normalize = compileNormalizer(policy.normalize);
  const seeds = typed.map((seed) => normalize(seed) ?? seed);
  if (seeds.length === 0 && before.seeds.length === 0) {
    throw new CrawlstreamError('INVALID_SEED', 'no seed given: name a URL to start from, such as https://example.org/');
  }
  if (before.seeds.length > 0 && seeds.length > 0 && !seeds.some((seed) => before.seeds.includes(seed))) {
    throw new CrawlstreamError(
      'DATA_FOLDER_FOREIGN',
      `--data ${folder.path} holds the crawl of ${before.seeds[0]}: give that seed too, or another --data`,
    );
  }
  for (const seed of seeds) checkSeed(seed, policy);
  const overrides = flags.resolve ?? [];
  needContact(flags, seeds.length > 0 ? seeds : before.seeds, overrides);

  const stop = new AbortController();
  const release = stopOnSignals(stop);
  const progress = createProgress(process.stderr, () => clock.nowMs());
  try {
    const outcome = await runEmbeddedCrawl({
      folder,
      clock,
      seeds,
      policy,
      fetcher: {
        version: productVersion,
        contact: flags.contact ?? '',
        allowPrivate: flags.allowPrivate ?? false,
        resolve: overrides,
        addressDelayMs: flags.delay === 0 ? 0 : crawlLimits.addressDelayMs,
        groupSize: () => 1,
        linksMax: crawlLimits.linksPerPageMax,
      },
      leasesMax: flags.concurrency,
      keepMs: flags.keep ?? null,
      signal: stop.signal,
      onStatus: (status) => progress.show(status),
    });
    progress.end();
    report(outcome, folder, flags);
  } finally {
    progress.end();
    release();
  }
}

function openFolder(seeds: readonly string[], flags: CrawlFlags, clock: SystemClock): Promise<DataFolder> {
  const first = seeds[0];
  if (flags.data === undefined && first === undefined) {
    throw new CrawlstreamError(
      'INVALID_SEED',
      'no seed and no --data given: name a URL to start from, or a folder to go on with',
    );
  }
  const path = flags.data ?? join('crawl-data', new URL(first!).host.replaceAll(/[^A-Za-z0-9.-]/g, '_'));
  const wanted = flags.partitions === undefined ? {} : { partitions: flags.partitions };
  const defaults = {
    crawl: 'crawl',
    partitions: 1,
    keyMode: 'host',
    pslHash: suffixListHash(),
    seenKeyVersion,
    fingerprintVersion,
  } as const;
  return openDataFolder(path, wanted, { defaults, createdBy: productVersion, clock });
}

function policyOf(flags: CrawlFlags, seeds: readonly string[]): PolicyConfig {
  const base = defaultPolicy();
  const normalize = compileNormalizer(base.normalize);
  const policy: PolicyConfig = {
    ...base,
    scope: scopeOf(
      flags.scope,
      seeds.map((seed) => normalize(seed) ?? seed),
    ),
    filters: { ...base.filters, include: flags.include ?? [], exclude: flags.exclude ?? [] },
    maxDepth: flags.maxDepth ?? null,
    pageQuota: flags.maxPages ?? null,
    ...(flags.delay === undefined ? {} : { delayMs: flags.delay, delayFactor: 0 }),
    ...(flags.retries === undefined ? {} : { retriesMs: flags.retries }),
  };
  compilePolicy(policy); // names a bad --include or --exclude before anything is written
  return policy;
}

/** A seed that the policy itself refuses would make an empty crawl: say so. */
function checkSeed(seed: string, policy: PolicyConfig): void {
  const verdict = compilePolicy(policy).admit(seed, 0, 0);
  if (verdict.ok) return;
  throw new CrawlstreamError(
    'INVALID_SEED',
    `seed ${seed} is refused by rule ${verdict.rule} (${verdict.detail}): change the seed or that option`,
  );
}

/** Webmasters must be able to reach whoever crawls them; only a web on this very machine needs none. */
function needContact(flags: CrawlFlags, seeds: readonly string[], overrides: readonly ResolveOverride[]): void {
  if (flags.contact !== undefined) return;
  const lookup = compileOverrides(overrides);
  const local = seeds.every((seed) => {
    const { hostname, port, protocol } = new URL(seed);
    const host = hostname.replace(/^\[|\]$/g, '');
    const address = lookup(host, Number(port || (protocol === 'https:' ? 443 : 80))) ?? host;
    return address === '::1' || host === 'localhost' || (isIP(address) === 4 && address.startsWith('127.'));
  });
  if (local) return;
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    '--contact is missing: give a web or mail address at which webmasters can reach you, as in --contact me@example.org',
  );
}

/** The first signal drains, the second leaves at once: what is durable stays so. */
function stopOnSignals(stop: AbortController): () => void {
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    process.stderr.write('\nstopping: finishing requests under way (again to leave at once)\n');
    stop.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}

function report({ end, counters, seconds }: CrawlOutcome, folder: DataFolder, flags: CrawlFlags): void {
  const counts = countsOf(counters);
  const how = { done: 'The crawl is done', quotaSpent: 'The page quota is spent', stopped: 'Stopped' }[
    end ?? 'stopped'
  ];
  const rate = seconds > 0 ? counts.pages / seconds : 0;
  const say = flags.json ? process.stderr : process.stdout;
  say.write(`${how} after ${clockText(seconds)} (${rate.toFixed(1)} pages/s).\n${countsText(counts)}\n`);
  say.write(`\n  pages:   crawlstream pages --data ${folder.path}\n`);
  if (end !== 'done') say.write(`  resume:  the same command again, or crawlstream crawl --data ${folder.path}\n`);
  if (flags.json) process.stdout.write(`${JSON.stringify({ ...counts, seconds: Number(seconds.toFixed(3)), end })}\n`);
  if (end === 'stopped') process.exitCode = 130;
}
