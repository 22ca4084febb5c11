/** Starts one crawl of a fleet. It runs like `crawl` over its data folder, beside the other crawls. */
import { countsOf } from '../../../../topology/frontier/ask/crawl-counts.ts';
import type { Counters } from '../../../../topology/frontier/changes/counters.ts';
import { storedPolicy } from '../../../../topology/policy/validate.ts';
import type { CrawlOutcome } from '../../../application/crawl/crawl-outcome.ts';
import type { CrawlStatus } from '../../../application/crawl/watch-crawl.ts';
import type { FetcherConfig } from '../../../application/fetching.ts';
import type { Processor } from '../../../application/processor/processor.ts';
import { startProcessors } from '../../../application/start-processors.ts';
import { archivedBodyLimits } from '../../../fetcher/http/archived-body-limits.ts';
import type { CrawlPace, FleetPace } from '../../../fetcher/pace/fleet-pace.ts';
import { type ExtractRules, extractRulesSchema } from '../../../fetcher/pages/extract-rules.ts';
import type { SharedRobots } from '../../../fetcher/robots/shared-robots.ts';
import type { WholeLog } from '../../../hosting/connect/folder-log.ts';
import type { BesideOthers } from '../../../hosting/crawl/embedded-crawl.ts';
import { runEmbeddedCrawl } from '../../../hosting/crawl/embedded-crawl.ts';
import type { SeenFlags } from '../../../hosting/options/seen.ts';
import { seenConfigOf } from '../../../hosting/options/seen.ts';
import type { SnapshotRoleFlags } from '../../../hosting/options/snapshots.ts';
import { QueryService } from '../../../hosting/roles/query-service.ts';
import { type Clock, SystemClock } from '../../../runtime/clock.ts';
import type { DataFolder } from '../../../runtime/data-folder/data-folder.ts';
import type { LoopWatch } from '../../../runtime/loop/loop-watch.ts';
import { createService } from '../../../runtime/metrics/service.ts';
import type { Journal } from '../../../runtime/store/journal/journal.ts';
import { searchPart } from '../../index/page-search.ts';
import { type CrawlCounts, type CrawlFile, countNames } from '../crawl-file.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import type { ReadLog, RunningCrawl } from '../running-crawl.ts';
import { DecisionShare } from '../shares/decision-share.ts';
import type { StartTurns } from '../shares/start-turns.ts';
import { loopSubjectOf } from '../shares/stopped-process.ts';
import type { CrawlDashboards } from './crawl-dashboards.ts';

export interface FleetCrawlOptions {
  readonly pace: FleetPace;
  readonly addressPacer: NonNullable<BesideOthers['fetcher']['addressPacer']>;
  readonly robots: SharedRobots;
  readonly fetcher: FetcherConfig;
  /** Consumers that run beside the crawl. */
  readonly processors: readonly Processor[];
  readonly leasesMax: number;
  readonly starts: StartTurns;
  /** Learns which crawl the event loop works for. */
  readonly watch: Pick<LoopWatch, 'join'>;
  readonly dashboards: Pick<CrawlDashboards, 'add'>;
  /** Opens a crawl that is about to run. */
  readonly data: CrawlData;
  readonly journal?: Pick<Journal, 'store'> | undefined;
  /** Time for requests under way to end when a crawl stops, ms. */
  readonly graceMs: number;
  /** Returns the fetchers of a crawl, by its name, if they are other processes. Absent: this process fetches. */
  readonly elsewhere?: ((name: string) => BesideOthers['elsewhere']) | undefined;
  readonly seen: SeenFlags;
  readonly keepMs: number | null;
  readonly snapshots: SnapshotRoleFlags;
  say(text: string): void;
}

/** Storage of a fleet's crawls. */
export interface CrawlData {
  /** `opened` absent: the log is in the folder. */
  open(
    file: CrawlFile,
    path: string,
    clock: Clock,
  ): Promise<{ readonly folder: DataFolder; readonly opened?: WholeLog }>;
  /** Called when the crawl no longer runs. */
  closed?(file: CrawlFile): void;
}

const { openFiles, bufferBytes: writeBufferBytes, cacheBytes, linkCacheEntries, tailBytes } = fleetServiceLimits;

/** Bodies are stored only in their messages, because a crawl's log is its only storage. */
export const archiveOfCrawl = {
  what: 'pages',
  bodyBytesMax: archivedBodyLimits.messageBytesMax,
  messageBytesMax: archivedBodyLimits.messageBytesMax,
} as const;

/**
 * Intervals at which a crawl checks for its end, does so while nothing changes, reads its command inbox, and notes that
 * it is alive, ms. They are long enough for two hundred crawls in one process.
 */
const lookEveryMs = 500;
const waitingEveryMs = 5_000;
const inboxEveryMs = 2_000;
const signEveryMs = 10_000;
/**
 * Longest sleep of an idle frontier, ms. Its inputs and due hosts wake it earlier. So two hundred idle frontiers cost
 * almost nothing.
 */
const idleMs = 5_000;
/** Interval of checkpoints of a crawl with few changes, ms: with one after each page, they would cost as much as pages. */
const saveSmallEveryMs = 60_000;

export function startFleetCrawl(
  options: FleetCrawlOptions,
  file: CrawlFile,
  path: string,
  needRoom: () => void,
): RunningCrawl {
  return new FleetCrawl(options, file, path, needRoom);
}

class FleetCrawl implements RunningCrawl {
  readonly #options: FleetCrawlOptions;
  readonly #file: CrawlFile;
  readonly #path: string;
  // Each crawl has its own clock: it continues from the end of the crawl's log, which may be ahead of the machine.
  readonly #clock = new SystemClock();
  readonly #stop = new AbortController();
  readonly #crawlPace: CrawlPace;
  readonly #work: ReturnType<FleetCrawlOptions['watch']['join']>;
  readonly #queries: QueryService;
  #reads: ReadLog | undefined;
  #status: CrawlStatus | undefined;
  #counters: Counters | undefined;
  #end: CrawlOutcome['end'] | undefined;
  #live = (): Counters | undefined => undefined;
  #isUp = () => {};
  #isWaiting = false;
  readonly ended: RunningCrawl['ended'];
  readonly up = new Promise<void>((resolve) => {
    this.#isUp = resolve;
  });

  constructor(options: FleetCrawlOptions, file: CrawlFile, path: string, needRoom: () => void) {
    this.#options = options;
    this.#file = file;
    this.#path = path;
    this.#crawlPace = options.pace.join(file.name, file.weight, file.owner);
    this.#work = options.watch.join(loopSubjectOf(file));
    const { display, hide } = options.dashboards.add(file.name, this.#clock);
    this.#queries = new QueryService(this.#clock, [searchPart, { display: () => display }]);
    this.ended = this.#run(needRoom).finally(() => {
      this.#reads = undefined;
      hide(this.#end === 'stopped' ? undefined : this.#end);
      this.#crawlPace.leave();
      this.#work.leave();
      options.data.closed?.(file);
    });
  }

  /** Resolves when the crawl may start, or is stopped. */
  async #turn(needRoom: () => void): Promise<void> {
    const { signal } = this.#stop;
    await this.#options.starts.take(this.#file.owner, this.#crawlPace.loop, signal, () => {
      this.#isWaiting = true;
    });
    if (this.#isWaiting && !signal.aborted) needRoom();
    this.#isWaiting = false;
  }

  async #run(needRoom: () => void) {
    const { signal } = this.#stop;
    await this.#turn(needRoom);
    if (signal.aborted) {
      this.#end = 'stopped';
      return this.#end;
    }
    const policy = storedPolicy(this.#file.policy);
    const service = createService('fleet');
    const { folder, opened } = await this.#options.data.open(this.#file, this.#path, this.#clock);
    const sayOf = (text: string) => this.#options.say(`${this.#file.name}: ${text}`);
    const outcome = await runEmbeddedCrawl({
      ...{ clock: this.#clock, policy, service, folder, queries: this.#queries },
      ...{ workers: 1, plugins: [], onReport: () => {}, options: {}, newOptions: false },
      seeds: this.#file.seeds.map((url) => ({ url, priority: -1 })),
      // A policy that was changed after the creation stays in force.
      ask: (_, before) => before ?? policy,
      say: sayOf,
      fetcher: {
        ...this.#options.fetcher,
        linkCacheEntries,
        ...(this.#file.output.markdown && { extract: withMarkdown(this.#options.fetcher.extract) }),
        ...(this.#file.output.warc && { archive: archiveOfCrawl }),
      },
      leasesMax: this.#options.leasesMax,
      seen: seenConfigOf(this.#options.seen, 1),
      keepMs: this.#options.keepMs,
      snapshots: this.#options.snapshots,
      signal,
      beside: {
        fetcher: {
          crawlPace: Object.assign(this.#crawlPace, { robots: this.#options.robots }),
          addressPacer: this.#options.addressPacer,
        },
        elsewhere: this.#options.elsewhere?.(this.#file.name),
        opened,
        journal: this.#options.journal,
        graceMs: this.#options.graceMs,
        tailBytes,
        stores: { openFiles, writeBufferBytes, cacheBytes },
        ...{ lookEveryMs, waitingEveryMs, inboxEveryMs, signEveryMs, idleMs, saveSmallEveryMs },
        steps: new DecisionShare(this.#file.name, this.#work, undefined, this.#crawlPace.loop),
        onFrontier: (frontier) => {
          this.#live = () => frontier.committed()[0]?.counters;
        },
      },
      onStatus: (now) => {
        this.#status = now;
        this.#isUp();
      },
      attach: async ({ log, codec }) => {
        this.#reads = { log, codec, crawl: folder.manifest.crawl };
        const { manifest, part } = folder;
        const { resolve = [], allowPrivate = false } = this.#options.fetcher;
        const reach = { ...this.#options.fetcher, resolve, allowPrivate };
        const run = { shared: false, fromStart: false, reach, service, say: sayOf };
        return startProcessors(
          { log, codec, clock: this.#clock, manifest, part, ...run },
          this.#options.processors,
          {},
        );
      },
    });
    // These counters include the decisions since `live` was read last.
    this.#counters = outcome.counters;
    this.#live = () => undefined;
    this.#end = outcome.end;
    return outcome.end;
  }

  get isWaiting() {
    return this.#isWaiting;
  }

  get counts() {
    this.#counters = this.#live() ?? this.#counters;
    return this.#counters === undefined ? this.#file.counts : shownOf(this.#counters);
  }

  get pagesPerSecond() {
    return this.#status?.pagesPerSecond ?? 0;
  }

  get reads() {
    return this.#reads;
  }

  readonly stop: RunningCrawl['stop'] = () => this.#stop.abort();
}

/** Adds main text, Markdown and language to the operator's extraction rules. */
export function withMarkdown(given: FetcherConfig['extract']): ExtractRules {
  return { ...(given ?? extractRulesSchema.parse({})), mainText: true, markdown: true, language: true };
}

/** Of all counts, those that a fleet shows. */
function shownOf(counters: Counters): CrawlCounts {
  const counts = countsOf(counters);
  return Object.fromEntries(countNames.map((name) => [name, counts[name]])) as CrawlCounts;
}
