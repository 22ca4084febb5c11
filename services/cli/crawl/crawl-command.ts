/** `crawlstream crawl`: options to a policy and a fetcher's configuration, the crawl itself, and its report. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { pagesFetched } from '../../../topology/frontier/changes/counters.ts';
import type { CrawlStatus } from '../../application/crawl/watch-crawl.ts';
import type { CrawlPart } from '../../application/extension/crawl-part.ts';
import type { AddCommands } from '../../application/extension/extension.ts';
import type { LeaseClients, Lender } from '../../application/extension/lease-clients.ts';
import { consumers } from '../../application/topology.ts';
import { readRequest } from '../../hosting/connect/crawl-folder.ts';
import { newCrawl } from '../../hosting/connect/new-crawl.ts';
import { placeText } from '../../hosting/connect/place-text.ts';
import { areApart, attachConsumers } from '../../hosting/crawl/attach-consumers.ts';
import type { CrawlPlan } from '../../hosting/crawl/crawl-plan.ts';
import { runEmbeddedCrawl } from '../../hosting/crawl/embedded-crawl.ts';
import { createFailureLedger } from '../../hosting/crawl/failure-ledger.ts';
import { folderPath, noSeed } from '../../hosting/crawl/folder-path.ts';
import { kafkaPlace, runKafkaCrawl } from '../../hosting/crawl/kafka-crawl.ts';
import { holdsUrls } from '../../hosting/crawl/loaded-urls.ts';
import { createSeedRedirects } from '../../hosting/crawl/seed-redirects.ts';
import { type StopFlags, stopRules, stopsText } from '../../hosting/crawl/stop-rules.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import type { FetcherFlags } from '../../hosting/options/fetching.ts';
import { fetcherConfig, needContact } from '../../hosting/options/fetching.ts';
import { type HttpFlags, withHttp } from '../../hosting/options/http-side.ts';
import { openFetcherPlugins, type PluginFlags, processorsBeside } from '../../hosting/options/plugins.ts';
import { type ProcessorFlags, withNeeds } from '../../hosting/options/processors.ts';
import type { SeenFlags } from '../../hosting/options/seen.ts';
import { seenConfigOf } from '../../hosting/options/seen.ts';
import type { SnapshotRoleFlags } from '../../hosting/options/snapshots.ts';
import { type OtlpFlags, withTracing } from '../../hosting/options/tracing.ts';
import { type WorkersFlags, workersFor, workersOnKafka, workersWanted } from '../../hosting/options/workers.ts';
import type { PolicyFlags } from '../../hosting/policy/policy-of.ts';
import { policyOf } from '../../hosting/policy/policy-of.ts';
import { checkSeeds } from '../../hosting/policy/seeds.ts';
import { QueryService } from '../../hosting/roles/query-service.ts';
import { SystemClock } from '../../runtime/clock.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { openDataFolder, readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { say } from '../../runtime/logging/say.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { stopOnSignals } from '../../runtime/stop-signals.ts';
import { productVersion } from '../../runtime/version.ts';
import { duration } from '../flags/arguments.ts';
import { addFetcherOptions } from '../flags/fetcher-flags.ts';
import { addHttpOption } from '../flags/http-flags.ts';
import { addCompressionOption, addKafkaOptions } from '../flags/kafka-flags.ts';
import { addPluginOption, addSetOption } from '../flags/plugin-flags.ts';
import { addPolicyOptions } from '../flags/policy-flags.ts';
import { addHandlerOption, addProcessorOptions, addWithOption } from '../flags/processor-flags.ts';
import { seedKeysSetting } from '../flags/seed-arguments.ts';
import { addSeenOptions } from '../flags/seen-flags.ts';
import { setting } from '../flags/setting.ts';
import { addSnapshotOptions } from '../flags/snapshot-flags.ts';
import { addOtlpOption } from '../flags/trace-flags.ts';
import { addWorkersOption } from '../flags/workers-flag.ts';
import { readerGone } from '../terminal/closed-pipe.ts';
import { createProgress } from '../terminal/progress.ts';
import { banner } from './banner.ts';
import { crawlSeeds } from './crawl-seeds.ts';
import { hearOptions, optionNotes, optionsToKeep } from './remembered-options.ts';
import { type Reported, report } from './report.ts';
import { sayUnrendered } from './say-unrendered.ts';
import { addStopOptions } from './stop-rules.ts';

interface CrawlFlags
  extends PolicyFlags,
    FetcherFlags,
    KafkaFlags,
    SeenFlags,
    SnapshotRoleFlags,
    ProcessorFlags,
    PluginFlags,
    HttpFlags,
    OtlpFlags,
    StopFlags,
    WorkersFlags {
  readonly keep?: number;
  readonly newOptions?: boolean;
  readonly followSeedRedirects?: boolean;
  readonly json?: boolean;
}

/** `clients` undefined: this program has no lease clients. `parts`: of extras. */
export function crawlCommand(clients: LeaseClients | undefined, parts: readonly CrawlPart[]): AddCommands {
  return (program) => addCrawlCommand(program, { clients, parts });
}

interface Offers {
  readonly clients: LeaseClients | undefined;
  readonly parts: readonly CrawlPart[];
}

function addCrawlCommand(program: Command, offers: Offers): void {
  const { clients, parts } = offers;
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
  for (const { addOptions } of parts) addOptions?.(command);
  clients?.addOptions(command);
  addKafkaOptions(command, 'data folder (default: crawl-data/HOST-OF-FIRST-SEED)');
  addOtlpOption(addHttpOption(addCompressionOption(command)))
    .addOption(
      setting(
        '--keep <duration>',
        'drop records of a data folder after this time, as in 36h; frontier logs need a snapshot',
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
    .action((_: string[], flags: CrawlFlags) => crawl(flags, command, offers));
  hearOptions(command);
}

async function crawl(flags: CrawlFlags, command: Command, offers: Offers): Promise<void> {
  const given = await prepare(flags, command, offers);
  const { listen, lending, queries, progress } = given;
  const run = (service: Service) => runCrawl(given, service);
  try {
    const routes = lending === undefined ? [queries.routes] : [lending.routes, queries.routes];
    await withHttp(listen, { role: 'crawl', routes, say: progress.note }, (service) =>
      withTracing(flags, service, progress.note, () =>
        lending === undefined ? run(service) : lending.serve(progress.note, () => run(service)),
      ),
    );
  } finally {
    progress.end();
    given.release();
  }
}

type Given = Awaited<ReturnType<typeof prepare>>;

/** Reads the command line. All mistakes in it are reported before anything is made. */
async function prepare(flags: CrawlFlags, command: Command, { clients, parts }: Offers) {
  const clock = new SystemClock();
  const listed = await crawlSeeds(command, flags, clock, say);
  const seeds = listed.map(({ url }) => url);
  const plugins = await openFetcherPlugins(flags);
  if (seeds.length > 0) {
    checkSeeds(seeds, policyOf(flags, seeds, null, plugins.fields));
    needContact(flags, seeds);
  }
  const asked = parts.map(({ listens }) => listens?.(flags)).find((address) => address !== undefined);
  const listen: HttpFlags = asked === undefined ? flags : { ...flags, http: asked };
  const lending = clients?.open(flags, listen.http !== undefined, clock);
  const onWorkers = flags.brokers === undefined && lending === undefined && workersWanted(flags) > 1;
  const beside = await processorsBeside(flags, plugins, !onWorkers);
  const stop = new AbortController();
  const ofPlugins = plugins.loaded.map(({ plugin: { routes = [] } }): CrawlPart => ({ routes }));
  const queries = new QueryService(clock, [...parts, ...ofPlugins], flags);
  const progress = createProgress(process.stderr, () => clock.nowMs());
  const release = stopOnSignals(stop, 'stopping: finishing requests under way', progress.note);
  const watch = watchProgress(flags, stop, progress);
  return {
    flags,
    command,
    clock,
    listed,
    seeds,
    plugins,
    parts,
    listen,
    lending,
    beside,
    queries,
    progress,
    release,
    ...watch,
  };
}

/** Shows the crawl's status, and stops the crawl by the rules of its options. */
function watchProgress(flags: CrawlFlags, stop: AbortController, progress: ReturnType<typeof createProgress>) {
  /** Pages and requests before this run, and the rule that stopped it. */
  const seen: { -readonly [name in 'pagesBefore' | 'requestsBefore' | 'rule']: Reported[name] } = {
    pagesBefore: undefined,
    requestsBefore: undefined,
    rule: undefined,
  };
  const ruleNow = stopRules(flags);
  const onStatus = (status: CrawlStatus) => {
    seen.pagesBefore ??= pagesFetched(status.counters);
    seen.requestsBefore ??= status.counters.fetches;
    progress.show(status);
    if (stop.signal.aborted) return;
    seen.rule = ruleNow(status);
    if (seen.rule === undefined) return;
    progress.note(`stopping, by ${seen.rule}: finishing requests under way`);
    stop.abort();
  };
  const onPlan = (plan: CrawlPlan) => {
    for (const line of banner({ ...plan, stops: stopsText(flags) })) progress.note(line);
  };
  return { seen, watching: { signal: stop.signal, onStatus, onPlan } };
}

async function runCrawl(given: Given, service: Service): Promise<void> {
  const { flags, parts, seeds, progress, clock } = given;
  const { listensOn, isSecure } = service;
  const watched = watchOutcomes(seeds, flags, progress.note, clock);
  for (const { greets } of parts) {
    const line = listensOn === null ? undefined : greets?.(flags, listensOn, isSecure);
    if (line !== undefined) progress.note(line);
  }
  sayUnrendered(flags, progress.note);
  if (flags.brokers !== undefined) await runOnKafka(given, service, watched);
  else await runInFolder(given, service, watched);
}

async function runOnKafka(given: Given, service: Service, { ledger, ...watched }: WatchedOutcomes): Promise<void> {
  const { flags, command, clock, listed, plugins, lending, beside, queries, progress, watching, seen } = given;
  workersOnKafka(flags);
  for (const note of optionNotes(command)) progress.note(note);
  const outcome = await runKafkaCrawl({
    ...watching,
    options: optionsToKeep(command),
    ...{ service, queries, clock, lending, plugins, beside },
    seeds: listed,
    flags: withNeeds(flags, beside),
    say: progress.note,
    ...watched,
  });
  progress.end();
  report({ ...outcome, ...seen, place: kafkaPlace(flags), resume: null, ledger, json: flags.json });
}

async function runInFolder(given: Given, service: Service, { ledger, ...watched }: WatchedOutcomes): Promise<void> {
  const { flags, command, clock, listed, seeds, plugins, lending, beside, queries, progress, watching, seen } = given;
  const typed = <K extends 'crawl' | 'partitions'>(key: K) =>
    command.getOptionValueSource(key) === 'cli' ? flags[key] : undefined;
  const fixed = { crawl: typed('crawl'), partitions: typed('partitions') };
  const folder = await openFolder(seeds, flags, fixed, clock, lending);
  await checkFolder(given, folder);
  for (const note of optionNotes(command)) progress.note(note);
  const workers = workersFor(workersBeside(flags, lending), folder.manifest.partitions);
  for (const line of workers.lines) progress.note(line);
  const needed = withNeeds({ ...flags, bodies: flags.bodies ?? folder.part('bodies') }, beside);
  const beneath = { folder, clock, beside, plugins, service, say: progress.note };
  const attached = { ...beneath, flags: needed, workers: workers.count, onReaderGone: readerGone };
  const outcome = await runEmbeddedCrawl({
    ...watching,
    workers: workers.count,
    plugins: flags.plugin ?? [],
    ...watched,
    ...{ service, queries, folder, clock, lending },
    seeds: listed,
    ask: (all, before) => policyOf(lending?.policyOptions(flags, all, before) ?? flags, all, before, plugins.fields),
    options: optionsToKeep(command),
    newOptions: flags.newOptions ?? false,
    say: progress.note,
    fetcher: {
      ...fetcherConfig(needed),
      ...plugins.hooks,
      ...(lending !== undefined && { outside: lending.outside }),
      onReport: watched.onReport,
      say: progress.note,
    },
    leasesMax: flags.concurrency,
    seen: seenConfigOf(flags, folder.manifest.partitions),
    keepMs: flags.keep ?? null,
    snapshots: flags,
    attach: (opened) => attachConsumers(attached, opened),
    attachesProcess: areApart(attached),
  });
  progress.end();
  const place = placeText({ data: folder.path });
  report({ ...outcome, ...seen, place, resume: `crawl ${place}`, ledger, json: flags.json });
}

/** Throws if the seeds do not go with the crawl in the folder. */
async function checkFolder({ flags, seeds, lending, clock }: Given, folder: DataFolder): Promise<void> {
  const { seeds: before } = await readRequest(folder);
  if (seeds.length === 0 && before.length === 0 && lending === undefined && !(await holdsUrls(folder, clock)))
    throw noSeed();
  if (seeds.length === 0) needContact(flags, before);
  if (seeds.length > 0 && before.length > 0 && !seeds.some((seed) => before.includes(seed))) {
    throw new CrawlstreamError(
      'DATA_FOLDER_FOREIGN',
      `--data ${folder.path} contains the crawl of ${before[0]}: add that seed, or choose another --data`,
    );
  }
}

type WatchedOutcomes = ReturnType<typeof watchOutcomes>;

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

/** As few processes fetch as lease clients need. */
function workersBeside(flags: WorkersFlags, lending: Lender | undefined): WorkersFlags {
  return lending === undefined ? flags : { ...flags, workers: lending.workersOf(flags.workers) };
}

/** `crawl`, `partitions`: options of this command line that a crawl cannot change: they are refused, not ignored. */
async function openFolder(
  seeds: readonly string[],
  flags: CrawlFlags,
  { crawl, partitions }: { readonly crawl: string | undefined; readonly partitions: number | undefined },
  clock: SystemClock,
  lending: Lender | undefined,
): Promise<DataFolder> {
  const path = folderPath(flags.data, seeds);
  const wanted = { ...(crawl !== undefined && { crawl }), ...(partitions !== undefined && { partitions }) };
  // A crawl that is to be continued must exist: a misspelt name must not make a new one.
  if (seeds.length === 0 && lending === undefined) return readDataFolder(path, wanted);
  const facts = { sink: 'tasks' as const, ...(flags.partitions !== undefined && { partitions: flags.partitions }) };
  // A host is with one worker: fewer partitions than workers would leave some without any.
  const defaults = newCrawl(flags.crawl, workersWanted(flags));
  return openDataFolder(path, { ...facts, ...wanted }, { defaults, createdBy: productVersion, clock });
}
