/**
 * One crawl of a fleet in a fetcher process: the crawl's log, and a fetcher for its tasks on the hosts of this process.
 *
 * A lease is over once all its reports are durable. If the crawl must not run any more, its other leases are over, too:
 * they were returned, or no fetcher has them.
 */
import { blankHostFacts } from '../../../../schemas/blank.ts';
import type { Task } from '../../../../schemas/types.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../../topology/policy/validate.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';
import { createFetchers } from '../../../application/fetchers.ts';
import type { FetcherOptions } from '../../../application/fetching.ts';
import type { Fetcher } from '../../../fetcher/fetcher.ts';
import type { FetcherConfig } from '../../../fetcher/fetcher-config.ts';
import type { FetcherStats } from '../../../fetcher/fetcher-stats.ts';
import type { FleetPace } from '../../../fetcher/pace/fleet-pace.ts';
import { leaseRequestRecord, type ResultOptions, resultRecord } from '../../../fetcher/publish/result-record.ts';
import { fetchReported, type HopReports, hopReporter } from '../../../fetcher/robots/report-hops.ts';
import type { SharedRobots } from '../../../fetcher/robots/shared-robots.ts';
import type { RecordCodec } from '../../../runtime/avro/record-codec.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { readControl } from '../../../runtime/crawl/control-log.ts';
import type { AppendRecord, Log, LogRecord } from '../../../runtime/log/log.ts';
import type { CrawlFile } from '../crawl-file.ts';
import type { DemandReporter } from '../fetchers/demand.ts';
import { TaskFeed } from '../fetchers/task-feed.ts';
import { type FleetTasksTopic, type MovedAnswer, movedRecord } from '../fetchers/task-records.ts';
import type { TaskShare } from '../fetchers/task-share.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { heldLog } from './held-log.ts';
import type { KafkaCrawls } from './kafka-crawls.ts';
import { archiveOfCrawl, withMarkdown } from './start-fleet-crawl.ts';

export interface CrawlFetcherOptions {
  readonly clock: Clock;
  readonly fetcherId: string;
  readonly crawls: Pick<KafkaCrawls, 'attach' | 'detach'>;
  readonly share: () => Pick<TaskShare, 'over' | 'term'>;
  readonly pace: FleetPace;
  readonly robots: SharedRobots;
  readonly addressPacer: NonNullable<FetcherOptions['addressPacer']>;
  readonly config: FetcherConfig;
  readonly tasks: FleetTasksTopic;
  readonly demand: Pick<DemandReporter, 'report' | 'forget'>;
}

interface Open {
  readonly fetcher: Fetcher;
  readonly feed: TaskFeed;
  /** Ends leases that no fetcher works on. */
  end(records: readonly LogRecord[]): Promise<void>;
  /** Takes a task. */
  take(record: LogRecord): Promise<void>;
  leave(): void;
}

export class CrawlFetcher {
  readonly file: CrawlFile;
  readonly #options: CrawlFetcherOptions;
  readonly #onFailure: (error: unknown) => void;
  /** Tasks that are not finished, by lease. */
  readonly #taken = new Map<string, LogRecord>();
  /** The newest known epoch of its frontier. */
  #epoch = 0;
  #opened: Open | undefined;

  constructor(options: CrawlFetcherOptions, file: CrawlFile, onFailure: (error: unknown) => void) {
    [this.#options, this.file, this.#onFailure] = [options, file, onFailure];
  }

  get name(): string {
    return this.file.name;
  }

  async open(): Promise<void> {
    this.#opened = await this.#open();
  }

  take(record: LogRecord): Promise<void> {
    return this.#opened?.take(record) ?? Promise.resolve();
  }

  async answered({ asked, body, ...answer }: MovedAnswer): Promise<void> {
    await this.#opened?.fetcher.robots.hop(asked, fetchReported({ ...answer, body: Buffer.from(body, 'base64') }));
  }

  end(records: readonly LogRecord[]): Promise<void> {
    return this.#opened?.end(records) ?? Promise.resolve();
  }

  /** Called when hosts move here from another process. Forgets the places to which their robots.txt had moved. */
  taken(isTaken: (hostKey: string) => boolean): void {
    this.#opened?.fetcher.robots.forgetMoves(isTaken);
  }

  /** Drops the tasks of a partition that moves to another process. */
  gone(partition: number): void {
    this.#opened?.feed.drop(partition);
    for (const [lease, record] of this.#taken) if (record.partition === partition) this.#taken.delete(lease);
  }

  breakOff(): Promise<void> {
    return this.#opened?.fetcher.breakOff() ?? Promise.resolve();
  }

  /** Unfinished leases. If this crawl fails, its successor ends them. */
  get left(): readonly LogRecord[] {
    return [...this.#taken.values()];
  }

  /** undefined: it is not open. */
  stats(): FetcherStats | undefined {
    return this.#opened?.fetcher.stats();
  }

  /** `isOver` false: another process ends the remaining leases. Resolves with the fetcher's statistics. */
  async stop(graceMs: number, isOver: boolean): Promise<FetcherStats | undefined> {
    const { crawls, demand, share } = this.#options;
    await this.#opened?.fetcher.stop(graceMs).catch(() => {});
    const stats = this.stats();
    this.#opened?.leave();
    if (isOver) for (const record of this.#taken.values()) share().over(record);
    this.#taken.clear();
    this.#opened = undefined;
    demand.forget(this.name);
    crawls.detach(this.name);
    return stats;
  }

  async #open(): Promise<Open> {
    const { clock, fetcherId, crawls, share, pace, tasks } = this.#options;
    const { name, weight, owner } = this.file;
    const isHeld = share().term();
    const { log: shared, codec, manifest } = await crawls.attach(name);
    const log = heldLog(shared, isHeld);
    const { crawl, keyMode } = manifest;
    const normalizer = await normalizerOf(log, codec, crawl);
    const results = { codec, topics: { results: `${crawl}.results` }, partitions: 1, keyMode, fetcherId };
    const feed = new TaskFeed(crawl);
    const crawlPace = pace.join(name, weight, owner);
    const hops = hopReports(log, results, (answer) => movedRecord(crawl, answer, tasks), {
      hostKeyAt: (url) => hostKeyOf(normalizer(url) ?? url),
      mayContact: (hostKey) => crawlPace.mayContact(hostKey),
    });
    let isOpen = true;
    const fetcher = createFetchers({ log: feed.over(log), codec, clock, manifest }).fetcher(
      {
        ...{ fetcherId, normalize: normalizer, onFailure: this.#onFailure },
        config: this.#config(),
        crawlPace: Object.assign(crawlPace, {
          robots: this.#options.robots,
          // A new owner of the frontier ends all leases of earlier epochs.
          isVoid: ({ epoch }: Task) => epoch < this.#epoch,
          onRoom: (leases: number) => {
            if (isOpen) this.#options.demand.report(name, leases);
          },
        }),
        addressPacer: this.#options.addressPacer,
        hop: hopReporter(clock, hops),
        onReported: (task) => this.#reported(task),
      },
      [{ partition: 0, offset: 0 }],
    );
    return {
      ...{ fetcher, feed },
      take: (record) => this.#take(record, feed, codec),
      end: (records) => this.#end(records, log, results),
      leave: () => {
        isOpen = false;
        crawlPace.leave();
      },
    };
  }

  #config(): FetcherConfig {
    const { config } = this.#options;
    const { output } = this.file;
    return {
      ...config,
      linkCacheEntries: fleetServiceLimits.linkCacheEntries,
      ...(output.markdown && { extract: withMarkdown(config.extract) }),
      ...(output.warc && { archive: archiveOfCrawl }),
    };
  }

  async #take(record: LogRecord, feed: TaskFeed, codec: RecordCodec): Promise<void> {
    const task = await decoded(record, codec);
    if (task === undefined) this.#options.share().over(record);
    else this.#taken.set(leaseOf(task), record);
    this.#epoch = Math.max(this.#epoch, task?.epoch ?? 0);
    feed.put(record);
  }

  /** The lease of a task is over. */
  #reported(task: Task): void {
    const lease = leaseOf(task);
    const record = this.#taken.get(lease);
    if (record === undefined) return;
    this.#taken.delete(lease);
    this.#options.share().over(record);
  }

  async #end(records: readonly LogRecord[], log: Pick<Log, 'append'>, results: ResultOptions): Promise<void> {
    const completedAtMs = this.#options.clock.nowMs();
    const answer: AppendRecord[] = [];
    for (const record of records) {
      const task = await decoded(record, results.codec);
      if (task === undefined) continue;
      const nothing = { task, facts: blankHostFacts, completedAtMs, outcomes: [], requests: [] };
      answer.push(resultRecord(nothing, true, results));
      for (const hop of task.robotsHops) answer.push(leaseRequestRecord(task.hostKey, hop, results));
    }
    if (answer.length > 0) await log.append(answer);
  }
}

interface Hosts {
  hostKeyAt(url: string): string;
  mayContact(hostKey: string): boolean;
}

/** Reports of robots.txt that had moved to a host of this process. */
function hopReports(
  log: Pick<Log, 'append'>,
  results: ResultOptions,
  recordOf: (answer: MovedAnswer) => AppendRecord,
  { hostKeyAt, mayContact }: Hosts,
): HopReports {
  return {
    isHere: (url) => mayContact(hostKeyAt(url)),
    async report(asked, response) {
      const { status, location, body, retryAfterMs, blockedAddress, detail } = response;
      const answer = { asked, status, location, retryAfterMs, blockedAddress, detail };
      await log.append([recordOf({ ...answer, body: Buffer.from(body).toString('base64') })]);
    },
    async notAsked(asked) {
      const url = asked[asked.length - 1]!;
      const hostKey = hostKeyAt(url);
      // The host is one of this process: the next lease asks again.
      if (mayContact(hostKey)) return;
      const hop = { url, asked: asked.slice(0, -1), partition: 0 };
      await log.append([leaseRequestRecord(hostKey, hop, results)]);
    },
  };
}

function leaseOf({ epoch, leaseId }: Pick<Task, 'epoch' | 'leaseId'>): string {
  return `${epoch}/${leaseId}`;
}

/**
 * undefined: the schema of the record is unknown, perhaps for good. The fetcher then waits for the schema, or makes
 * the record a dead letter.
 */
async function decoded(record: LogRecord, codec: RecordCodec): Promise<Task | undefined> {
  try {
    await codec.prepare('tasks', record.value);
    return codec.decode('tasks', record.value);
  } catch {
    return undefined;
  }
}

/** By the newest policy of the crawl. */
async function normalizerOf(
  log: Log,
  codec: RecordCodec,
  crawl: string,
): Promise<ReturnType<typeof compileNormalizer>> {
  const { policy } = await readControl(log, codec, crawl);
  const { normalize } = policy === null ? defaultPolicy() : parsePolicy(policy.json);
  return compileNormalizer(normalize);
}
