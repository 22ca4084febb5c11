/**
 * Runs a whole crawl in one process on the embedded log: the frontier and the fetcher of the topology over a data
 * folder.
 *
 * A start has three steps, and a kill after each is harmless. First, topics are created; the next start creates them
 * again. Then policy and seeds are appended and noted in crawl.json; without the note they are appended again, and
 * found to be duplicates. Then the fetcher starts at the end of `tasks`, before any partition is claimed: a claim ends
 * all earlier leases, so older tasks are void.
 */

import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import type { CrawlOutcome } from '../../application/crawl/crawl-outcome.ts';
import { type Attendants, type CrawlRun, runCrawl } from '../../application/crawl/run-crawl.ts';
import type { RunningWhole } from '../../application/crawl/start-whole.ts';
import type { CrawlStatus } from '../../application/crawl/watch-crawl.ts';
import type { Lender } from '../../application/extension/lease-clients.ts';
import type { FetcherOptions } from '../../application/fetching.ts';
import type { RunningProcessors } from '../../application/start-processors.ts';
import { type FetchWorkersOptions, startFetchWorkers } from '../../application/workers/fetch-workers.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { fetcherMetrics, networkText } from '../../fetcher/metrics.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import { frontierMetrics, frontierPositions } from '../../frontier/frontier-metrics.ts';
import { createMeters, type FrontierMeters } from '../../frontier/own/meters.ts';
import type { OwnerOptions } from '../../frontier/own/partition-owner.ts';
import type { SnapshotRepository } from '../../frontier/snapshots/snapshot-repository.ts';
import type { Clock } from '../../runtime/clock.ts';
import { CommandInbox } from '../../runtime/crawl/command-inbox.ts';
import { takeRegularly } from '../../runtime/crawl/take-requests.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { markedAsRunning } from '../../runtime/data-folder/run-mark.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { durationText } from '../../runtime/option-text.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import type { Journal } from '../../runtime/store/journal/journal.ts';
import type { StateStore, StoreOptions } from '../../runtime/store/store.ts';
import { fingerprintKeyOf, logFolder, readRequest, stateFolder } from '../connect/crawl-folder.ts';
import { type WholeLog, withFolderLog } from '../connect/folder-log.ts';
import { placeText } from '../connect/place-text.ts';
import { withStores } from '../connect/stores.ts';
import { aboutFolder } from '../inspect/about-folder.ts';
import type { SnapshotRoleFlags } from '../options/snapshots.ts';
import { printNotice, printRestore } from '../progress/restore-text.ts';
import type { QueryService } from '../roles/query-service.ts';
import { openSnapshotRepository } from '../state/open-snapshot-repository.ts';
import { awaitRelease } from './await-release.ts';
import type { CrawlPlan } from './crawl-plan.ts';
import { expireRegularly, snapshotPlace, snapshotsBeside } from './embedded-retention.ts';
import { reachOf, trustOf } from './mended-trust.ts';
import type { SeedRedirects } from './seed-redirects.ts';
import { type Asked, sendNews } from './send-news.ts';
import { storedRedirects } from './stored-redirects.ts';

export interface EmbeddedCrawl {
  readonly folder: DataFolder;
  readonly clock: Clock;
  /** Normalised. */
  readonly seeds: readonly ListedSeed[];
  readonly ask: Asked['ask'];
  readonly options: Asked['options'];
  readonly newOptions: boolean;
  say(text: string): void;
  readonly fetcher: FetcherConfig;
  /** Called with each URL. */
  readonly onReport: FetchWorkersOptions['onReport'];
  /** Processes that fetch; 1: this one does. */
  readonly workers: number;
  /** Paths of plugins, for workers to load. */
  readonly plugins: readonly string[];
  /** Leases out at once. */
  readonly leasesMax: number;
  /** Configuration of each partition's seen test. */
  readonly seen: SeenConfig;
  /**
   * Records of `pages`, `tasks`, `responses` and `dead-letters` older than this are dropped; records of the other
   * topics are dropped if, besides, no kept snapshot needs them. ms; null: none are.
   */
  readonly keepMs: number | null;
  /** `snapshotTo` absent: `snapshots/` in the folder. */
  readonly snapshots: SnapshotRoleFlags;
  /** Aborted: drain and stop. */
  readonly signal: AbortSignal;
  /** Gets the status of the crawl. */
  readonly service: Service;
  /** Gets the frontier, to answer queries with. */
  readonly queries: QueryService;
  /** Collects redirects of seeds that leave the scope. Absent: they are not collected. */
  readonly seedRedirects?: SeedRedirects | undefined;
  /** Leases URLs to clients; the crawl then ends only when it is stopped. Absent: no clients. */
  readonly lending?: Pick<Lender, 'look' | 'open' | 'close'> | undefined;
  readonly onStatus: (status: CrawlStatus) => void;
  /** Called before the crawl starts. */
  onPlan?(plan: CrawlPlan): void;
  /**
   * Set if other crawls run in this process: the resources of the fetcher that they share, and other settings for it.
   */
  readonly beside?: BesideOthers | undefined;
  /** Consumers that run along. */
  readonly attach: (opened: WholeLog) => Promise<RunningProcessors>;
  /** The attached consumers run in a separate process. */
  readonly attachesProcess?: boolean | undefined;
}

export interface BesideOthers
  extends Pick<CrawlRun, 'graceMs' | 'lookEveryMs' | 'waitingEveryMs'>,
    Pick<OwnerOptions, 'idleMs' | 'steps' | 'saveSmallEveryMs'> {
  /** Time between looks for what commands have left, ms. */
  readonly inboxEveryMs: number;
  /** Time between the signs of life in its folder, ms. */
  readonly signEveryMs: number;
  /** Called with the frontier once it runs. */
  onFrontier(frontier: Pick<Frontier, 'committed'>): void;
  readonly fetcher: Pick<FetcherOptions, 'crawlPace' | 'addressPacer'>;
  /** As in WholeCrawl. */
  readonly elsewhere?: CrawlRun['elsewhere'];
  /** A log that is stored elsewhere, and closed by its opener. Absent: the log is in the crawl's folder. */
  readonly opened?: WholeLog | undefined;
  /** Syncs this log to disk together with those of the other crawls. Absent: the log syncs alone. */
  readonly journal?: Pick<Journal, 'store'> | undefined;
  /** Most bytes of recent records of its log in memory. */
  readonly tailBytes: number;
  /** Bounds of its stores, smaller than those for a single crawl. */
  readonly stores: StoreOptions;
}

/** A smaller jump of the clock has no visible effect. */
const reportAheadMs = 60_000;
/** Interval of a frontier's checks without an event, ms. It can be long: new input and the hosts' times wake it. */
const idleMs = 1_000;

export function runEmbeddedCrawl(crawl: EmbeddedCrawl): Promise<CrawlOutcome> {
  const { folder, clock } = crawl;
  const wallMs = clock.nowMs();
  const run = (opened: WholeLog) => {
    const aheadMs = clock.nowMs() - wallMs;
    if (aheadMs > reportAheadMs)
      crawl.say(
        `the machine's clock was set back since the last run: the crawl keeps its own time, ${durationText(Math.round(aheadMs / 60_000) * 60_000)} ahead`,
      );
    return withStores(async (open) => {
      const checkpoints: StateStore[] = [];
      for (let partition = 0; partition < folder.manifest.partitions; partition++)
        checkpoints.push(await open(stateFolder(folder, partition), crawl.beside?.stores));
      return runOn(crawl, opened, checkpoints);
    });
  };
  const marked = (opened: WholeLog) => markedAsRunning(folder, clock, () => run(opened), crawl.beside?.signEveryMs);
  const { stores: store, journal, tailBytes, opened } = crawl.beside ?? {};
  if (opened !== undefined) return marked(opened);
  // A journal gathers for all.
  const groupIntervalMs = journal === undefined ? crawlLimits.groupIntervalMs : 0;
  return withFolderLog(folder, clock, marked, { groupIntervalMs, store, journal, ...(tailBytes && { tailBytes }) });
}

async function runOn(crawl: EmbeddedCrawl, opened: WholeLog, checkpoints: StateStore[]): Promise<CrawlOutcome> {
  const consumers = await crawl.attach(opened);
  try {
    const repository = await openSnapshotRepository(snapshotPlace(crawl), crawl.folder.manifest);
    try {
      return await runWith(crawl, opened, checkpoints, consumers, repository);
    } finally {
      repository.objects.close();
    }
  } finally {
    crawl.service.forget();
    await consumers.stop();
  }
}

async function runWith(
  crawl: EmbeddedCrawl,
  opened: WholeLog,
  stores: StateStore[],
  processors: RunningProcessors,
  repository: SnapshotRepository,
): Promise<CrawlOutcome> {
  const { log, codec, registry } = opened;
  const { folder, clock, leasesMax, service, signal, onStatus } = crawl;
  const { manifest } = folder;
  const asked = { ...crawl, trust: trustOf(crawl.fetcher), reach: reachOf(crawl.fetcher) };
  const policy = await sendNews(asked, opened);
  const { seeds } = await readRequest(folder);
  await openSeedRedirects(crawl, asked, opened, { policy, seeds });
  // Only rules have use for them, and seeds may be a million.
  const seedOrigins = crawl.fetcher.requests && [...new Set(seeds.map((url) => new URL(url).origin))];
  const { path } = folder;
  crawl.onPlan?.({ policy, seeds, place: path, options: placeText({ data: path }) });
  const meters = createMeters();
  const outcome = await runCrawl({
    ...{ log, codec, clock, manifest, signal, onStatus, processors },
    ...{ graceMs: crawl.beside?.graceMs, lookEveryMs: crawl.beside?.lookEveryMs },
    waitingEveryMs: crawl.beside?.waitingEveryMs,
    elsewhere: crawl.beside?.elsewhere,
    frontier: {
      key: fingerprintKeyOf(manifest),
      stores,
      lists: createListFiles(folder.part('lists')),
      endsLeases: true,
      seen: crawl.seen,
      repository,
      onNotice: printNotice,
      meters,
      onSpan: service.spans?.sink,
      onProgress: (progress) => {
        meters.restores.set(progress.partition, progress);
        printRestore(progress);
      },
      leasesMax,
      idleMs: crawl.beside?.idleMs ?? idleMs,
      saveSmallEveryMs: crawl.beside?.saveSmallEveryMs,
      steps: crawl.beside?.steps,
    },
    fetcher: {
      fetcherId: `${process.pid}`,
      normalize: compileNormalizer(policy.normalize),
      config: { ...crawl.fetcher, leasesMax, seedOrigins },
      onSpan: service.spans?.sink,
      ...crawl.beside?.fetcher,
    },
    ...(crawl.workers > 1 && {
      workers: (start) =>
        startFetchWorkers(
          {
            ...{ count: crawl.workers, others: crawl.attachesProcess ? 1 : 0 },
            ...{ ports: { log, codec, clock, manifest }, registry: registry!, plugins: crawl.plugins, say: crawl.say },
            config: { ...crawl.fetcher, leasesMax, seedOrigins },
            normalize: policy.normalize,
            onReport: crawl.onReport,
            onSpan: service.spans?.sink,
          },
          start,
        ),
    }),
    stays: () => crawl.lending?.look() ?? (crawl.seedRedirects?.isBusy ? () => {} : undefined),
    awaitsRelease: awaitRelease(crawl),
    attend: (running) => attend(crawl, { log, codec }, running, meters, repository),
  }).finally(() => crawl.seedRedirects?.settle());
  return outcome;
}

async function openSeedRedirects(
  { seedRedirects, folder }: EmbeddedCrawl,
  asked: Asked,
  opened: WholeLog,
  known: { readonly policy: PolicyConfig; readonly seeds: readonly string[] },
): Promise<void> {
  await seedRedirects?.open({
    ...known,
    stored: () => storedRedirects(opened.log, opened.codec, folder.manifest),
    follow: (urls) =>
      sendNews({ ...asked, newOptions: false, seeds: urls.map((url) => ({ url, priority: -1 })) }, opened),
  });
}

/** Starts what observes the crawl and maintains its folder while it runs. */
async function attend(
  crawl: EmbeddedCrawl,
  { log, codec }: Pick<WholeLog, 'log' | 'codec'>,
  { frontier, fetcher }: RunningWhole,
  meters: FrontierMeters,
  repository: SnapshotRepository,
): Promise<Attendants> {
  const { folder, clock, service, queries } = crawl;
  const { manifest } = folder;
  const name = manifest.crawl;
  crawl.beside?.onFrontier(frontier);
  service.crawl = name;
  service.partitions = manifest.partitions;
  service.probes.serve(() => frontier.waitsFor() ?? networkText(fetcher.stats()));
  const member = { name: 'this process', held: (partition: number) => ({ owner: frontier.owners[partition] }) };
  // An owner in a fleet sees its crawl, and nothing of the machine.
  const shown = crawl.beside === undefined ? folder.path : null;
  queries.open({
    ...{
      log,
      codec,
      clock,
      manifest,
      member,
      restores: meters.restores,
      flags: { data: folder.path },
      part: folder.part,
    },
    ...{ about: service.isOpenToAll ? async () => null : aboutFolder(folder, shown), folder: shown },
    stop: crawl.beside === undefined ? stopBy(crawl) : null,
  });
  crawl.lending?.open({ log, codec, clock, topics: manifest });
  const committed = () => frontier.committed().entries();
  service.sources.add(frontierMetrics({ clock, meters, committed })).add(fetcherMetrics(fetcher));
  service.disks.set('state', folder.part('state'));
  if (crawl.beside?.opened === undefined) service.disks.set('log', logFolder(folder));
  service.lag.add({ log, clock, group: `${name}.frontier`, positions: () => frontierPositions(name, committed()) });
  service.lag.add({ log, clock, group: `${name}.fetcher`, positions: fetcher.positions });
  const stopping = new AbortController();
  const kept = { ...crawl, log, codec, repository, onNotice: printNotice };
  const inbox = new CommandInbox(folder);
  const work = [
    expireRegularly(kept, stopping.signal),
    snapshotsBeside(kept, stopping.signal),
    takeRegularly({ inbox, log, codec, crawl: name, clock, everyMs: crawl.beside?.inboxEveryMs }, stopping.signal),
  ];
  try {
    for (const beside of await queries.start(crawl.fetcher)) work.push(beside(stopping.signal));
  } catch (error) {
    stopping.abort();
    await Promise.allSettled(work);
    throw error;
  }
  const failed = Promise.race(work.map(failureOf));
  failed.catch(() => {});
  return {
    failed,
    async over(end) {
      service.probes.suspend('stopping');
      await queries.over(end);
      queries.close();
      crawl.lending?.close();
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled(work);
    },
  };
}

/** As a signal does, which the command waits for. */
function stopBy({ say }: Pick<EmbeddedCrawl, 'say'>): (by: string) => boolean {
  return (by) => {
    say(`the dashboard’s call to stop the crawl came from ${by}`);
    return process.emit('SIGTERM', 'SIGTERM');
  };
}

/** Never resolves; rejects if `work` fails. */
function failureOf(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}
