/** `crawlstream crawl`: options to a policy and a fetcher's configuration, the crawl itself, and its report. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { pagesFetched } from '../../../topology/frontier/changes/counters.ts';
import type { CrawlStatus } from '../../application/crawl/watch-crawl.ts';
import { consumers } from '../../application/topology.ts';
import { leaseRoutes } from '../../lending/lease-routes.ts';
import { SystemClock } from '../../runtime/clock.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { openDataFolder, readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { productVersion } from '../../runtime/version.ts';
import { readRequest } from '../connect/crawl-folder.ts';
import { newCrawl } from '../connect/new-crawl.ts';
import { placeText } from '../connect/place-text.ts';
import { duration } from '../flags/arguments.ts';
import { withClientsGrpc } from '../flags/clients-grpc.ts';
import { addDashboardOption, type DashboardFlags, dashboardUrl, listenFor } from '../flags/dashboard-flags.ts';
import type { FetcherFlags } from '../flags/fetcher-flags.ts';
import { addFetcherOptions, fetcherConfig, needContact } from '../flags/fetcher-flags.ts';
import { addHttpOption, withHttp } from '../flags/http-flags.ts';
import type { KafkaFlags } from '../flags/kafka-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { addClientsOption, type LendingFlags, lendingOf } from '../flags/lending-flags.ts';
import {
  addPluginOption,
  addSetOption,
  openPlugins,
  type PluginFlags,
  processorsBeside,
} from '../flags/plugin-flags.ts';
import type { PolicyFlags } from '../flags/policy-flags.ts';
import { addPolicyOptions, checkSeeds, policyOf } from '../flags/policy-flags.ts';
import {
  addHandlerOption,
  addProcessorOptions,
  addWithOption,
  type ProcessorFlags,
  withNeeds,
} from '../flags/processor-flags.ts';
import { seedKeysSetting } from '../flags/seed-arguments.ts';
import type { SeenFlags } from '../flags/seen-flags.ts';
import { addSeenOptions, seenConfigOf } from '../flags/seen-flags.ts';
import { setting } from '../flags/setting.ts';
import { addSnapshotOptions, type SnapshotRoleFlags } from '../flags/snapshot-flags.ts';
import { addOtlpOption, type OtlpFlags, withTracing } from '../flags/trace-flags.ts';
import {
  addWorkersOption,
  type WorkersFlags,
  workersFor,
  workersOnKafka,
  workersWanted,
} from '../flags/workers-flag.ts';
import { QueryService } from '../roles/query-service.ts';
import { createProgress } from '../terminal/progress.ts';
import { say } from '../terminal/say.ts';
import { stopOnSignals } from '../terminal/stop-signals.ts';
import { areApart, attachConsumers } from './attach-consumers.ts';
import { crawlSeeds } from './crawl-seeds.ts';
import { runEmbeddedCrawl } from './embedded-crawl.ts';
import { createFailureLedger } from './failure-ledger.ts';
import { folderPath, noSeed } from './folder-path.ts';
import { kafkaPlace, runKafkaCrawl } from './kafka-crawl.ts';
import { holdsUrls } from './loaded-urls.ts';
import { hearOptions, optionNotes, optionsToKeep } from './remembered-options.ts';
import { report } from './report.ts';
import { sayUnrendered } from './say-unrendered.ts';
import { createSeedRedirects } from './seed-redirects.ts';
import { addStopOptions, type StopFlags, stopRules, stopsText } from './stop-rules.ts';
import { addWebsubOption, type WebsubFlags } from './websub-flags.ts';
import { oneWorker, withClients } from './with-clients.ts';

interface CrawlFlags
  extends PolicyFlags,
    FetcherFlags,
    KafkaFlags,
    SeenFlags,
    SnapshotRoleFlags,
    ProcessorFlags,
    PluginFlags,
    DashboardFlags,
    OtlpFlags,
    StopFlags,
    WebsubFlags,
    LendingFlags,
    WorkersFlags {
  readonly keep?: number;
  readonly newOptions?: boolean;
  readonly followSeedRedirects?: boolean;
  readonly json?: boolean;
}

export function addCrawlCommand(program: Command): void {
  const command = program
    .command('crawl')
    .description('crawl from seeds, into a data folder or on Kafka; the same command resumes')
    .argument('[seed...]', 'URLs, files with one URL a line, or - for standard input (default: resume --data)');
  addStopOptions(addPolicyOptions(command));
  addWorkersOption(addFetcherOptions(command));
  addSnapshotOptions(addSeenOptions(command));
  addWithOption(command);
  for (const processor of consumers) addProcessorOptions(command, processor);
  addSetOption(addPluginOption(addHandlerOption(command)));
  addClientsOption(addWebsubOption(command));
  addDashboardOption(command);
  addKafkaOptions(command, 'data folder (default: crawl-data/HOST-OF-FIRST-SEED)');
  addOtlpOption(addHttpOption(addCompressionOption(command)))
    .addOption(
      setting(
        '--keep <duration>',
        'in a data folder, drop older records, as in 36h; frontier logs only below snapshots',
        'records are kept: disk is cheaper than another crawl',
        duration('--keep'),
      ),
    )
    .addOption(seedKeysSetting())
    .addOption(
      setting(
        '--follow-seed-redirects',
        'if a seed redirects out of scope, make its target a seed too',
        'the scope is what the seeds say; the crawl names seeds that redirect out of it',
      ),
    )
    .option('--new-options', 'discard options saved by earlier runs; use only those given now and defaults')
    .option('--json', 'print the result as one JSON object on the last line')
    .action(crawl);
  hearOptions(command);
}

async function crawl(_: string[], flags: CrawlFlags, command: Command): Promise<void> {
  const clock = new SystemClock();
  const listed = await crawlSeeds(command, flags, clock, say);
  const seeds = listed.map(({ url }) => url);
  if (seeds.length > 0) {
    // All mistakes in the command line are reported before anything is made.
    checkSeeds(seeds, policyOf(flags, seeds));
    needContact(flags, seeds);
  }
  const plugins = await openPlugins(flags);
  const onWorkers = flags.brokers === undefined && flags.clients === undefined && workersWanted(flags) > 1;
  const beside = await processorsBeside(flags, plugins, !onWorkers);
  const stop = new AbortController();
  const queries = new QueryService(clock);
  const listen = listenFor(flags);
  const lending = lendingOf(flags, listen, clock);
  const progress = createProgress(process.stderr, () => clock.nowMs());
  const release = stopOnSignals(stop, 'stopping: finishing requests under way', progress.note);
  let pagesBefore: number | undefined;
  let rule: string | undefined;
  const ruleNow = stopRules(flags);
  const onStatus = (status: CrawlStatus) => {
    pagesBefore ??= pagesFetched(status.counters);
    progress.show(status);
    if (stop.signal.aborted) return;
    rule = ruleNow(status);
    if (rule === undefined) return;
    progress.note(`stopping, by ${rule}: finishing requests under way`);
    stop.abort();
  };
  const watching = { signal: stop.signal, onStatus, stops: stopsText(flags) };
  try {
    const routes = lending === undefined ? [queries.routes] : [queries.routes, leaseRoutes(lending)];
    await withHttp(listen, { role: 'crawl', routes, say: progress.note }, (service) =>
      withTracing(flags, service, progress.note, () =>
        withClientsGrpc(flags, lending, progress.note, () => run(service)),
      ),
    );
  } finally {
    progress.end();
    release();
  }

  async function run(service: Service): Promise<void> {
    const { ledger, ...watched } = watchOutcomes(seeds, flags, progress.note, clock);
    if (flags.dashboard !== undefined) progress.note(`see it at ${dashboardUrl(service.listensOn!, service.isSecure)}`);
    sayUnrendered(flags, progress.note);
    if (flags.brokers !== undefined) {
      workersOnKafka(flags);
      for (const note of optionNotes(command)) progress.note(note);
      const outcome = await runKafkaCrawl({
        ...watching,
        options: optionsToKeep(command),
        service,
        queries,
        clock,
        seeds: listed,
        flags: withNeeds(flags, beside),
        lending,
        plugins,
        beside,
        say: progress.note,
        ...watched,
      });
      progress.end();
      report({ ...outcome, rule, pagesBefore, place: kafkaPlace(flags), resume: null, ledger, json: flags.json });
      return;
    }
    const typed = <K extends 'crawl' | 'partitions'>(key: K) =>
      command.getOptionValueSource(key) === 'cli' ? flags[key] : undefined;
    const folder = await openFolder(seeds, flags, { crawl: typed('crawl'), partitions: typed('partitions') }, clock);
    await checkFolder(folder, seeds);
    for (const note of optionNotes(command)) progress.note(note);
    const workers = workersFor(lending === undefined ? flags : oneWorker(flags), folder.manifest.partitions);
    for (const line of workers.lines) progress.note(line);
    const needed = withNeeds({ ...flags, bodies: flags.bodies ?? folder.part('bodies') }, beside);
    const beneath = { folder, clock, beside, plugins, service, say: progress.note };
    const attached = { ...beneath, flags: needed, workers: workers.count };
    const outcome = await runEmbeddedCrawl({
      ...watching,
      workers: workers.count,
      plugins: flags.plugin ?? [],
      ...watched,
      service,
      queries,
      folder,
      clock,
      seeds: listed,
      ask: (all, before) => policyOf(withClients(flags, all, before), all, before),
      lending,
      options: optionsToKeep(command),
      newOptions: flags.newOptions ?? false,
      say: progress.note,
      fetcher: {
        ...fetcherConfig(needed),
        ...plugins.hooks,
        ...(lending !== undefined && { outside: lending.outside(flags.clients === 'only') }),
        onReport: watched.onReport,
        say: progress.note,
      },
      leasesMax: flags.concurrency,
      seen: seenConfigOf(flags, folder.manifest.partitions),
      keepMs: flags.keep ?? null,
      snapshots: flags,
      callback: flags.callback,
      attach: (opened) => attachConsumers(attached, opened),
      attachesProcess: areApart(attached),
    });
    progress.end();
    const place = placeText({ data: folder.path });
    report({ ...outcome, rule, pagesBefore, place, resume: `crawl ${place}`, ledger, json: flags.json });
  }

  async function checkFolder(folder: DataFolder, given: readonly string[]): Promise<void> {
    const { seeds: before } = await readRequest(folder);
    if (given.length === 0 && before.length === 0 && lending === undefined && !(await holdsUrls(folder, clock)))
      throw noSeed();
    if (given.length === 0) needContact(flags, before);
    if (given.length > 0 && before.length > 0 && !given.some((seed) => before.includes(seed))) {
      throw new CrawlstreamError(
        'DATA_FOLDER_FOREIGN',
        `--data ${folder.path} contains the crawl of ${before[0]}: add that seed, or choose another --data`,
      );
    }
  }
}

/** Returns the observers of the crawl's outcomes. */
function watchOutcomes(seeds: readonly string[], flags: CrawlFlags, say: (text: string) => void, clock: SystemClock) {
  const ledger = createFailureLedger(seeds, say);
  const seedRedirects = createSeedRedirects(seeds, flags.followSeedRedirects === true, say, clock);
  const onReport: typeof ledger.note = (outcome, page) => {
    ledger.note(outcome, page);
    seedRedirects.note(outcome);
  };
  return { ledger, seedRedirects, onReport };
}

/** `crawl`, `partitions`: options of this command line that a crawl cannot change: they are refused, not ignored. */
async function openFolder(
  seeds: readonly string[],
  flags: CrawlFlags,
  { crawl, partitions }: { readonly crawl: string | undefined; readonly partitions: number | undefined },
  clock: SystemClock,
): Promise<DataFolder> {
  const path = folderPath(flags.data, seeds);
  const wanted = { ...(crawl !== undefined && { crawl }), ...(partitions !== undefined && { partitions }) };
  // A crawl that is to be continued must exist: a misspelt name must not make a new one.
  if (seeds.length === 0 && flags.clients === undefined) return readDataFolder(path, wanted);
  const facts = { sink: 'tasks' as const, ...(flags.partitions !== undefined && { partitions: flags.partitions }) };
  // A host is with one worker: fewer partitions than workers would leave some without any.
  const defaults = newCrawl(flags.crawl, workersWanted(flags));
  return openDataFolder(path, { ...facts, ...wanted }, { defaults, createdBy: productVersion, clock });
}
