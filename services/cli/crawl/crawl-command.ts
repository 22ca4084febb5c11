/** `crawlstream crawl`: options to a policy and a fetcher's configuration, the crawl itself, and its report. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { parseSeed } from '../../../topology/url/seed.ts';
import { SystemClock } from '../../runtime/clock.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { openDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Service } from '../../runtime/service.ts';
import { addDedupOptions } from '../attach/dedup.ts';
import { addBrowserOption } from '../attach/render.ts';
import { addIndexOptions } from '../attach/search-index.ts';
import type { ConsumerFlags } from '../attach/with-consumers.ts';
import { addArchiveOptions, addWithOption, attachConsumers } from '../attach/with-consumers.ts';
import { readRequest } from '../connect/crawl-folder.ts';
import { newCrawl } from '../connect/new-crawl.ts';
import { duration } from '../flags/arguments.ts';
import { addDashboardOption, type DashboardFlags, dashboardUrl, listenFor } from '../flags/dashboard-flags.ts';
import type { FetcherFlags } from '../flags/fetcher-flags.ts';
import { addFetcherOptions, fetcherConfig, needContact } from '../flags/fetcher-flags.ts';
import { addHttpOption, withHttp } from '../flags/http-flags.ts';
import type { KafkaFlags } from '../flags/kafka-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import type { PolicyFlags } from '../flags/policy-flags.ts';
import { addPolicyOptions, checkSeeds, normalSeeds, policyOf } from '../flags/policy-flags.ts';
import type { SeenFlags } from '../flags/seen-flags.ts';
import { addSeenOptions, seenConfigOf } from '../flags/seen-flags.ts';
import { addSnapshotOptions, type SnapshotRoleFlags } from '../flags/snapshot-flags.ts';
import { addOtlpOption, type OtlpFlags, withTracing } from '../flags/trace-flags.ts';
import { countsOf, countsText } from '../inspect/counters-text.ts';
import { QueryDesk } from '../roles/query-desk.ts';
import { clockText, createProgress } from '../terminal/progress.ts';
import { stopOnSignals } from '../terminal/stop-signals.ts';
import { productVersion } from '../terminal/version.ts';
import type { CrawlOutcome } from './crawl-outcome.ts';
import { runEmbeddedCrawl } from './embedded-crawl.ts';
import { createFailureLedger, type FailureLedger } from './failure-ledger.ts';
import { runKafkaCrawl } from './kafka-crawl.ts';
import { addWebsubOption, type WebsubFlags } from './websub-flags.ts';
import { whyFew } from './why-few.ts';

interface CrawlFlags
  extends PolicyFlags,
    FetcherFlags,
    KafkaFlags,
    SeenFlags,
    SnapshotRoleFlags,
    ConsumerFlags,
    DashboardFlags,
    OtlpFlags,
    WebsubFlags {
  readonly keep?: number;
  readonly json?: boolean;
}

export function addCrawlCommand(program: Command): void {
  const command = program
    .command('crawl')
    .description('crawl from seeds in one process, into a data folder or on Kafka; the same command resumes')
    .argument('[seed...]', 'URLs to start from; none: go on with the seeds of the data folder');
  addPolicyOptions(command);
  addFetcherOptions(command);
  addSnapshotOptions(addSeenOptions(command));
  addBrowserOption(addArchiveOptions(addIndexOptions(addDedupOptions(addWithOption(command)))));
  addWebsubOption(command);
  addDashboardOption(command);
  addKafkaOptions(command, 'data folder (default: crawl-data/ and the host of the first seed)');
  addOtlpOption(addHttpOption(addCompressionOption(command)))
    .option('--keep <duration>', 'drop what is older than this and nobody needs, as in 36h', duration('--keep'))
    .option('--json', 'print the result as one JSON object on the last line of the output')
    .action(crawl);
}

async function crawl(seedArguments: string[], flags: CrawlFlags): Promise<void> {
  const clock = new SystemClock();
  const seeds = normalSeeds(seedArguments.map(parseSeed));
  if (seeds.length > 0) {
    // All that can be wrong with the command line is said before anything is made.
    checkSeeds(seeds, policyOf(flags, seeds));
    needContact(flags, seeds);
  }
  const stop = new AbortController();
  const desk = new QueryDesk(clock);
  const progress = createProgress(process.stderr, () => clock.nowMs());
  const release = stopOnSignals(stop, 'stopping: finishing requests under way', progress.note);
  const watching = { signal: stop.signal, onStatus: progress.show };
  try {
    await withHttp(listenFor(flags), { role: 'crawl', routes: [desk.routes], say: progress.note }, (service) =>
      withTracing(flags, service, progress.note, () => run(service)),
    );
  } finally {
    progress.end();
    release();
  }

  async function run(service: Service): Promise<void> {
    const ledger = createFailureLedger(seeds, progress.note);
    if (flags.dashboard !== undefined) progress.note(`see it at ${dashboardUrl(service.listensOn!)}`);
    if (flags.brokers !== undefined) {
      const outcome = await runKafkaCrawl({
        ...watching,
        service,
        desk,
        clock,
        seeds,
        flags: withNeeds(flags),
        say: progress.note,
        onReport: ledger.note,
      });
      progress.end();
      report(outcome, `--brokers ${flags.brokers} --crawl ${flags.crawl}`, flags, ledger);
      return;
    }
    const folder = await openFolder(seeds, flags, clock);
    const known = await seedsOf(folder, seeds);
    const outcome = await runEmbeddedCrawl({
      ...watching,
      service,
      desk,
      folder,
      clock,
      seeds,
      policy: policyOf(flags, known),
      fetcher: { ...fetcherConfig(withNeeds(flags)), onReport: ledger.note },
      leasesMax: flags.concurrency,
      seen: seenConfigOf(flags, folder.manifest.partitions),
      keepMs: flags.keep ?? null,
      snapshots: flags,
      callback: flags.callback,
      attach: (log, codec) =>
        attachConsumers(
          {
            log,
            codec,
            clock,
            manifest: folder.manifest,
            part: folder.part,
            shared: false,
            fromStart: false,
            service,
            say: progress.note,
          },
          flags,
        ),
    });
    progress.end();
    report(outcome, `--data ${folder.path}`, flags, ledger);
  }

  /** The seeds the scope goes by: those of the folder, and those given. */
  async function seedsOf(folder: DataFolder, given: readonly string[]): Promise<readonly string[]> {
    const { seeds: before } = await readRequest(folder);
    if (given.length === 0 && before.length === 0) throw noSeed();
    if (given.length === 0) needContact(flags, before);
    if (given.length > 0 && before.length > 0 && !given.some((seed) => before.includes(seed))) {
      throw new CrawlstreamError(
        'DATA_FOLDER_FOREIGN',
        `--data ${folder.path} holds the crawl of ${before[0]}: give that seed too, or another --data`,
      );
    }
    return [...new Set([...before, ...given])];
  }
}

/** What the consumers of this process need the fetcher to publish. */
function withNeeds(flags: CrawlFlags): CrawlFlags {
  const responses = flags.with?.includes('archive') ?? false;
  const outlinks = flags.with?.includes('graph') ?? false;
  return { ...flags, ...(responses && { responses }), ...(outlinks && { outlinks }) };
}

function noSeed(): CrawlstreamError {
  const remedy = 'name a URL to start from, such as https://example.org/, or a --data folder to go on with';
  return new CrawlstreamError('INVALID_SEED', `no seed given: ${remedy}`);
}

async function openFolder(seeds: readonly string[], flags: CrawlFlags, clock: SystemClock): Promise<DataFolder> {
  if (flags.data === undefined && seeds.length === 0) throw noSeed();
  const path = flags.data ?? join('crawl-data', new URL(seeds[0]!).host.replaceAll(/[^A-Za-z0-9.-]/g, '_'));
  const wanted = { sink: 'tasks' as const, ...(flags.partitions !== undefined && { partitions: flags.partitions }) };
  return openDataFolder(path, wanted, { defaults: newCrawl(flags.crawl, 1), createdBy: productVersion, clock });
}

/** `place`: the options that name the crawl to other commands. */
function report(
  { end, counters, seconds }: CrawlOutcome,
  place: string,
  flags: CrawlFlags,
  ledger: FailureLedger,
): void {
  const counts = countsOf(counters);
  const rate = seconds > 0 ? counts.pages / seconds : 0;
  const how = { done: 'The crawl is done', quotaSpent: 'The page quota is spent', stopped: 'Stopped' }[end];
  const say = flags.json ? process.stderr : process.stdout;
  say.write(`${how} after ${clockText(seconds)} (${rate.toFixed(1)} pages/s).\n${countsText(counts)}\n`);
  const failures = ledger.lines();
  if (failures.length > 0)
    say.write(
      `\n  fetches that failed, and the first of each kind:\n${failures.map((line) => `    ${line}\n`).join('')}`,
    );
  if (end === 'done') for (const line of whyFew(counts, ledger)) say.write(`\n  ${line}\n`);
  say.write(`\n  pages:   crawlstream pages ${place}\n`);
  if (failures.length > 0) say.write(`  why:     crawlstream explain URL ${place}\n`);
  if (end !== 'done') say.write('  resume:  the same command again\n');
  if (flags.json) process.stdout.write(`${JSON.stringify({ ...counts, seconds: Number(seconds.toFixed(3)), end })}\n`);
  if (end === 'stopped') process.exitCode = 130;
  else if (counts.pages === 0) process.exitCode = 1;
}
