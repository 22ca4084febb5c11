/**
 * A whole crawl in one process on the embedded log: the topology's frontier and fetcher over a data folder.
 *
 * Order of a start, and what a kill at each point leaves: topics made (made again), policy and seeds appended and only
 * then noted in crawl.json (appended again, and found to be duplicates), the fetcher placed at the end of `tasks`
 * before any partition is claimed (a claim ends all earlier leases, so older tasks are nobody's).
 */

import type { Look } from '../../../topology/frontier/ask/crawl-end.ts';
import { inputTopics } from '../../../topology/frontier/changes/changelog.ts';
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { sumCounters, zeroCounters } from '../../../topology/frontier/changes/counters.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { crawlLimits } from '../../../topology/limits.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import type { FetcherConfig } from '../../fetcher/fetcher.ts';
import { startFetcher } from '../../fetcher/fetcher.ts';
import { fetcherMetrics } from '../../fetcher/metrics.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import { startFrontier } from '../../frontier/frontier.ts';
import { frontierMetrics } from '../../frontier/frontier-metrics.ts';
import { createMeters } from '../../frontier/own/meters.ts';
import type { Shelf } from '../../frontier/snapshots/shelf.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Mailbox } from '../../runtime/crawl/mailbox.ts';
import { takeRegularly } from '../../runtime/crawl/take-requests.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { EmbeddedLog } from '../../runtime/log/embedded-log.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import { storeMetrics } from '../../runtime/metrics/store-metrics.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import type { Consumers } from '../attach/with-consumers.ts';
import { fingerprintKeyOf, logFolder, readRequest, stateFolder } from '../connect/crawl-folder.ts';
import { type FolderLog, withFolderLog } from '../connect/folder-log.ts';
import { withStores } from '../connect/stores.ts';
import type { SnapshotRoleFlags } from '../flags/snapshot-flags.ts';
import type { QueryDesk } from '../roles/query-desk.ts';
import { openShelf } from '../state/open-shelf.ts';
import type { CrawlStatus } from '../terminal/progress.ts';
import { printNotice, printRestore } from '../terminal/restore-text.ts';
import { banner } from './banner.ts';
import type { CrawlOutcome } from './crawl-outcome.ts';
import { expireRegularly, snapshotPlace, snapshotsBeside } from './embedded-retention.ts';
import { trustOf } from './mended-trust.ts';
import { type Asked, sendNews } from './send-news.ts';
import { hostsOf, trapsOf, watchCrawl } from './watch-crawl.ts';
import { openWebsub } from './websub-flags.ts';

export interface EmbeddedCrawl {
  readonly folder: DataFolder;
  readonly clock: Clock;
  /** Normalised. */
  readonly seeds: readonly ListedSeed[];
  readonly ask: Asked['ask'];
  readonly options: Asked['options'];
  readonly anew: boolean;
  say(text: string): void;
  readonly fetcher: FetcherConfig;
  /** Leases out at once. */
  readonly leasesMax: number;
  /** How each partition's seen test remembers. */
  readonly seen: SeenConfig;
  /**
   * Records of `pages`, `tasks`, `responses` and `dead-letters` older than this are dropped, of the others those that no
   * kept snapshot needs either, ms. null: none are.
   */
  readonly keepMs: number | null;
  /** `snapshotTo` absent: `snapshots/` in the folder. */
  readonly snapshots: SnapshotRoleFlags;
  /** Aborted: drain and stop. */
  readonly signal: AbortSignal;
  /** Hears how the crawl stands. */
  readonly service: Service;
  /** Where hubs reach this process. Absent: nowhere. */
  readonly callback?: string | undefined;
  /** Hears of the frontier that is asked. */
  readonly desk: QueryDesk;
  readonly onStatus: (status: CrawlStatus) => void;
  /** Consumers that run along. */
  readonly attach: (log: Log, codec: RecordCodec) => Promise<Consumers>;
}

const lookEveryMs = 50;
/** A drain gives up waiting for results to be decided after this; they are on the log for the next start. */
const drainMs = 5_000;

export function runEmbeddedCrawl(crawl: EmbeddedCrawl): Promise<CrawlOutcome> {
  const { folder, clock } = crawl;
  const run = (opened: FolderLog) =>
    withStores(async (open) => {
      const views: StateStore[] = [];
      for (let partition = 0; partition < folder.manifest.partitions; partition++)
        views.push(await open(stateFolder(folder, partition)));
      return runOn(crawl, opened, views);
    });
  return withFolderLog(folder, clock, run, crawlLimits.groupIntervalMs);
}

async function runOn(crawl: EmbeddedCrawl, opened: FolderLog, views: StateStore[]): Promise<CrawlOutcome> {
  const consumers = await crawl.attach(opened.log, opened.codec);
  try {
    const shelf = await openShelf(snapshotPlace(crawl), crawl.folder.manifest);
    try {
      return await runWith(crawl, opened, views, consumers, shelf);
    } finally {
      shelf.objects.close();
    }
  } finally {
    crawl.service.sources.clear();
    await consumers.stop();
  }
}

async function runWith(
  crawl: EmbeddedCrawl,
  { log, codec }: FolderLog,
  stores: StateStore[],
  consumers: Consumers,
  shelf: Shelf,
): Promise<CrawlOutcome> {
  const { folder, clock, leasesMax } = crawl;
  const { crawl: name, partitions, keyMode } = folder.manifest;
  const startedAtMs = clock.nowMs();
  const policy = await sendNews({ ...crawl, trust: trustOf(crawl.fetcher) }, { log, codec });
  const { seeds } = await readRequest(folder);
  for (const line of banner({ policy, seeds, place: folder.path, options: `--data ${folder.path}` })) crawl.say(line);
  const positions: { readonly partition: number; readonly offset: number }[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    positions.push({ partition, offset: (await log.offsets(`${name}.tasks`, partition)).end });
  }
  const meters = createMeters();
  const frontier = startFrontier({
    log,
    codec,
    clock,
    crawl: name,
    partitions,
    keyMode,
    key: fingerprintKeyOf(folder.manifest),
    stores,
    lists: createListFiles(folder.part('lists')),
    endsLeases: true,
    seen: crawl.seen,
    shelf,
    onNotice: printNotice,
    meters,
    onSpan: crawl.service.spans?.tell,
    onProgress: (progress) => {
      meters.restores.set(progress.partition, progress);
      printRestore(progress);
    },
    leasesMax,
  });
  crawl.service.probes.serve(frontier.waitsFor);
  const member = { name: 'this process', held: (partition: number) => ({ owner: frontier.owners[partition] }) };
  crawl.desk.open({
    log,
    codec,
    clock,
    manifest: folder.manifest,
    member,
    restores: meters.restores,
    flags: { data: folder.path },
  });
  let failFetcher: (error: unknown) => void = () => {};
  const fetcherFailed = new Promise<never>((_, reject) => {
    failFetcher = reject;
  });
  fetcherFailed.catch(() => {});
  const fetcher = startFetcher({
    log,
    codec,
    clock,
    crawl: name,
    partitions,
    keyMode,
    fetcherId: `${process.pid}`,
    normalize: compileNormalizer(policy.normalize),
    group: `${name}.fetcher`,
    positions,
    config: { ...crawl.fetcher, leasesMax },
    onSpan: crawl.service.spans?.tell,
    onFailure: failFetcher,
  });
  crawl.service.sources
    .add(frontierMetrics({ log, clock, crawl: name, meters, committed: () => frontier.committed().entries() }))
    .add(fetcherMetrics({ log, clock, group: `${name}.fetcher`, fetcher }))
    .add(storeMetrics('state', folder.part('state')))
    .add(storeMetrics('log', logFolder(folder)));
  const expiring = new AbortController();
  const kept = { ...crawl, log, codec, shelf, onNotice: printNotice };
  const expired = Promise.all([expireRegularly(kept, expiring.signal), snapshotsBeside(kept, expiring.signal)]);
  const websub = await openWebsub(crawl, { log, codec, clock, topics: folder.manifest });
  crawl.desk.websub = websub;
  const renewed = websub?.keep(expiring.signal) ?? Promise.resolve();
  const mailbox = new Mailbox(folder);
  const taken = takeRegularly({ mailbox, log, codec, crawl: name, clock }, expiring.signal);
  try {
    const end = await watchCrawl({
      ...crawl,
      startedAtMs,
      failed: Promise.race([
        frontier.ended,
        fetcherFailed,
        ended(taken),
        ended(expired),
        ended(renewed),
        consumers.failed,
      ]),
      everyMs: lookEveryMs,
      look: () => look(crawl, log, frontier),
      hosts: () => hostsOf(frontier.committed()),
      settle: consumers.settle,
    });
    crawl.service.probes.suspend('stopping');
    await crawl.desk.over(end);
    crawl.desk.close();
    frontier.endGrants();
    await fetcher.stop();
    await drained(crawl, log, frontier);
    const traps = trapsOf(frontier.committed());
    await frontier.stop();
    await frontier.ended;
    await consumers.drain();
    return { end, counters: totals(frontier), traps, seconds: (clock.nowMs() - startedAtMs) / 1000 };
  } finally {
    expiring.abort();
    await Promise.allSettled([fetcher.stop(), frontier.stop(), expired, taken, renewed]);
  }
}

/** Never resolves: only a failure is news. */
function ended(work: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    work.catch(reject);
  });
}

/** Undefined while a partition is not open yet. */
async function look(crawl: EmbeddedCrawl, log: EmbeddedLog, frontier: Frontier): Promise<Look | undefined> {
  const { crawl: name } = crawl.folder.manifest;
  const partitions: Look['partitions'][number][] = [];
  // Of the policy in force, which may have been swapped since the start.
  let pageQuota: number | null = null;
  for (const [partition, committed] of frontier.committed().entries()) {
    if (committed === undefined) return undefined;
    const ends = { control: 0, results: 0, discovered: 0 };
    for (const topic of inputTopics) ends[topic] = (await log.offsets(`${name}.${topic}`, partition)).end;
    pageQuota = committed.pageQuota;
    partitions.push({ positions: committed.positions, counters: committed.counters, ends });
  }
  return { partitions, pageQuota };
}

/** Waits until what the fetcher reported has been decided. */
async function drained(crawl: EmbeddedCrawl, log: EmbeddedLog, frontier: Frontier): Promise<void> {
  const untilMs = crawl.clock.nowMs() + drainMs;
  while (crawl.clock.nowMs() < untilMs) {
    const now = await look(crawl, log, frontier);
    if (now?.partitions.every(({ positions, ends }) => positions.results.offset >= ends.results)) return;
    await Promise.race([crawl.clock.sleepUntil(crawl.clock.nowMs() + 10), frontier.ended]);
  }
}

function totals(frontier: Frontier): Counters {
  return sumCounters(frontier.committed().map((committed) => committed?.counters ?? zeroCounters()));
}
