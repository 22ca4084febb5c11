/**
 * Fetchers in separate processes beside the crawl's process, which keeps the log and the frontier.
 *
 * Each has a fixed share of the partitions, so that a host's tasks always go to one of them, as on Kafka. A dead one
 * is replaced by another with the same share, which continues with the tasks that it had not taken. Its leases are
 * ended (dead-leases.ts). A kill of this process ends all of them: they live no longer than their channels.
 */
import type { Outcome } from '../../../schemas/types.ts';
import { CrawlstreamError, hasCode } from '../../../topology/errors.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import type { Fetcher } from '../../fetcher/fetcher.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import { fetcherLimits } from '../../fetcher/fetcher-limits.ts';
import { requestLimits } from '../../fetcher/http/request-limits.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { SchemaRegistry } from '../../runtime/avro/schema-registry.ts';
import { type Channel, errorOf } from '../../runtime/log/channel/message-channel.ts';
import { serveLog } from '../../runtime/log/channel/serve-log.ts';
import type { Span, SpanSink } from '../../runtime/tracing/spans.ts';
import type { Ports, TaskPositions } from '../ports.ts';
import { createDeadLeases } from './dead-leases.ts';
import { serveSchemas } from './schemas-over-channel.ts';
import { createSharedPace } from './shared-pace.ts';
import { createTaskShares } from './task-shares.ts';
import { memoryLimitMb, workerHeapMb } from './worker-heap.ts';
import { workerLimits } from './worker-limits.ts';
import type { PlainFetcherConfig, PlainStats, WorkerOrders } from './worker-orders.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';
import { addEnded, sumStats } from './worker-stats.ts';

export interface FetchWorkersOptions {
  /** At least 1, and no more than there are partitions. */
  readonly count: number;
  /** Processes beside them that take a share of the memory. */
  readonly others: number;
  readonly ports: Ports;
  readonly registry: SchemaRegistry;
  readonly config: FetcherConfig;
  readonly normalize: PolicyConfig['normalize'];
  /** Paths of plugins, absolute. */
  readonly plugins: readonly string[];
  /** Hears of outcomes that are not as they should be, and of pages that want their links not followed. */
  readonly onReport: (outcome: Outcome, page: { readonly nofollow: boolean } | null) => void;
  readonly onSpan?: SpanSink | undefined;
  say(text: string): void;
}

/** Parameters that exist once the crawl starts. */
export interface FetchWorkersStart {
  readonly at: TaskPositions;
  readonly frontier: Pick<Frontier, 'committed'>;
  /** Called if the crawl cannot continue. */
  readonly onFailure: (error: unknown) => void;
}

export type RunningFetcher = Pick<Fetcher, 'stats' | 'positions' | 'stop'>;

interface Slot {
  readonly number: number;
  worker?: WorkerProcess;
  stats?: PlainStats;
  /** Number of checks since its last sign of life. */
  silentLooks: number;
}

export function startFetchWorkers(options: FetchWorkersOptions, start: FetchWorkersStart): RunningFetcher {
  return new FetchWorkers(options, start);
}

class FetchWorkers implements RunningFetcher {
  readonly #options: FetchWorkersOptions;
  readonly #start: FetchWorkersStart;
  readonly #clock: Ports['clock'];
  readonly #manifest: Ports['manifest'];
  readonly #shares: ReturnType<typeof createTaskShares>;
  readonly #pace: ReturnType<typeof createSharedPace>;
  readonly #deadLeases: ReturnType<typeof createDeadLeases>;
  readonly #slots: readonly Slot[];
  readonly #stopping = new AbortController();
  #ended: PlainStats | undefined;
  readonly #heapMb: number;
  readonly #runs: Promise<unknown>;
  #stopped: Promise<void> | undefined;
  readonly positions: RunningFetcher['positions'];

  constructor(options: FetchWorkersOptions, start: FetchWorkersStart) {
    this.#options = options;
    this.#start = start;
    const { count, ports, config, others } = options;
    this.#clock = ports.clock;
    this.#manifest = ports.manifest;
    this.#shares = createTaskShares(ports.log, ports.manifest, count, start.at);
    this.positions = this.#shares.positions;
    this.#pace = createSharedPace(ports.clock, config.addressDelayMs);
    this.#deadLeases = createDeadLeases(ports, start.frontier);
    this.#slots = Array.from({ length: count }, (_, number): Slot => ({ number, silentLooks: 0 }));
    this.#heapMb = workerHeapMb(count + others, memoryLimitMb());
    this.#runs = this.#shares.placed.then(() => Promise.all([this.#watch(), ...this.#slots.map(this.#run)]));
    this.#runs.catch(start.onFailure);
  }

  #begin(slot: Slot): WorkerProcess {
    let channel: Channel | undefined;
    const log = serveLog(this.#shares.logOf(slot.number), () => channel!);
    const share = this.#pace.serve();
    const fail = (error: unknown) => {
      if (error instanceof CrawlstreamError) this.#start.onFailure(error);
      else this.#options.say(`a bug in worker ${slot.number + 1}, please report it: ${(error as Error).stack}`);
      worker.kill();
    };
    const worker = startWorkerProcess(
      {
        program: 'fetch-worker',
        orders: this.#ordersOf(slot),
        prints: false,
        heapMb: this.#heapMb,
        served: {
          ...log.served,
          ...share.served,
          ...serveSchemas(this.#options.registry),
          say: this.#options.say,
          span: (span: Span) => this.#options.onSpan?.(span),
          report: (outcome: Outcome, nofollow: boolean) =>
            this.#options.onReport(outcome, nofollow ? { nofollow } : null),
          failed: (error: Parameters<typeof errorOf>[0]) => fail(errorOf(error)),
          stats(stats: PlainStats) {
            slot.stats = stats;
            slot.silentLooks = 0;
          },
        },
        onFault: fail,
      },
      (one) => (channel = one),
    );
    void channel!.closed.then(() => {
      share.close();
      return log.close();
    });
    worker.begun.catch((error: unknown) => {
      if (!hasCode(error, 'OWNERSHIP_LOST', 'PROCESS_ENDED')) fail(error);
    });
    return worker;
  }

  #ordersOf({ number }: Slot): WorkerOrders {
    const { leasesMax = fetcherLimits.leasesMax } = this.#options.config;
    const share = Math.ceil(leasesMax / this.#manifest.partitions) * this.#shares.partitionsOf(number).length;
    return {
      manifest: { crawl: this.#manifest.crawl, partitions: this.#manifest.partitions, keyMode: this.#manifest.keyMode },
      config: { ...plainConfig(this.#options.config), leasesMax: share },
      normalize: this.#options.normalize,
      plugins: this.#options.plugins,
      nowMs: this.#clock.nowMs(),
      isTraced: this.#options.onSpan !== undefined,
    };
  }

  /** A worker is started for its first task: a crawl of few hosts has few. False: the crawl stops. */
  async #hasWork({ number }: Slot): Promise<boolean> {
    while (!this.#stopping.signal.aborted && !(await this.#shares.hasTasks(number)))
      await this.#clock.sleepUntil(this.#clock.nowMs() + workerLimits.workLookMs, this.#stopping.signal);
    return !this.#stopping.signal.aborted;
  }

  /** A worker from its start to its end. `isFault`: it never began to fetch, and was not killed. */
  async #live(slot: Slot) {
    try {
      const worker = this.#begin(slot);
      slot.worker = worker;
      slot.silentLooks = 0;
      const { how, bySignal } = await worker.ended;
      const hasBegun = await worker.begun.then(
        () => true,
        () => false,
      );
      return { worker, how, isFault: !bySignal && !hasBegun };
    } catch (error) {
      return { worker: undefined, how: (error as Error).message, isFault: true };
    }
  }

  /** One worker after another, until the crawl stops. */
  readonly #run = async (slot: Slot) => {
    let pauseMs: number = workerLimits.pauseMs;
    let startsFailed = 0;
    while (await this.#hasWork(slot)) {
      const beganMs = this.#clock.nowMs();
      const { worker, how, isFault } = await this.#live(slot);
      const diedAtMs = this.#clock.nowMs();
      if (slot.stats !== undefined)
        this.#ended = this.#ended === undefined ? sumOfOne(slot.stats) : addEnded(this.#ended, slot.stats);
      delete slot.stats;
      delete slot.worker;
      if (this.#stopping.signal.aborted) return;
      startsFailed = isFault ? startsFailed + 1 : 0;
      if (startsFailed >= workerLimits.startsFailedMax) throw notStarted(slot, how);
      const back = await this.#deadLeases.end({
        fetcherId: `${worker?.pid}`,
        taken: this.#shares.takenBy(slot.number),
        diedAtMs,
      });
      const leases = `${back} ${back === 1 ? 'lease' : 'leases'}`;
      this.#options.say(
        `worker ${slot.number + 1} of ${this.#options.count} died (${how}): ${leases} were returned, and a new worker starts`,
      );
      const wasSoon = diedAtMs - beganMs < workerLimits.soonMs;
      if (wasSoon) await this.#clock.sleepUntil(this.#clock.nowMs() + pauseMs, this.#stopping.signal);
      pauseMs = wasSoon ? Math.min(2 * pauseMs, workerLimits.pauseMaxMs) : workerLimits.pauseMs;
    }
  };

  /** One that hangs is killed, and so replaced. What counts is how often it was looked: a machine that slept wakes all of us. */
  async #watch() {
    while (!this.#stopping.signal.aborted) {
      await this.#clock.sleepUntil(this.#clock.nowMs() + workerLimits.lookEveryMs, this.#stopping.signal);
      for (const slot of this.#slots) {
        if (slot.worker === undefined || ++slot.silentLooks <= workerLimits.silentLooksMax) continue;
        this.#options.say(`worker ${slot.number + 1} did not respond for ${workerLimits.silentLooksMax} s: killing it`);
        slot.worker.kill();
      }
    }
  }

  async #stop(graceMs: number) {
    this.#stopping.abort();
    await Promise.all(this.#slots.map(({ worker }) => worker?.stop(graceMs)));
    await this.#runs.catch(() => {});
  }

  readonly stats: RunningFetcher['stats'] = () =>
    sumStats([...(this.#ended === undefined ? [] : [this.#ended]), ...this.#slots.flatMap(({ stats }) => stats ?? [])]);
  readonly stop: RunningFetcher['stop'] = (graceMs = requestLimits.totalTimeoutMs) =>
    (this.#stopped ??= this.#stop(graceMs));
}

function sumOfOne(stats: PlainStats): PlainStats {
  return addEnded(stats, sumStats([]));
}

function notStarted({ number }: Slot, how: string): CrawlstreamError {
  const what = `worker ${number + 1} failed to start ${workerLimits.startsFailedMax} times (${how})`;
  return new CrawlstreamError('UNSUPPORTED', `${what}: to fetch without worker processes, use --workers 1`);
}

function plainConfig(config: FetcherConfig): PlainFetcherConfig {
  const {
    groupSize: _,
    hooks: __,
    openPayments: _________,
    onReport: ___,
    onPage: ____,
    room: _____,
    say: ______,
    outside: _______,
    onPolicy: ________,
    ...plain
  } = config;
  return plain;
}
