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
  const { count, ports, config, say } = options;
  const { clock, manifest } = ports;
  const shares = createTaskShares(ports.log, manifest, count, start.at);
  const pace = createSharedPace(clock, config.addressDelayMs);
  const deadLeases = createDeadLeases(ports, start.frontier);
  const slots = Array.from({ length: count }, (_, number): Slot => ({ number, silentLooks: 0 }));
  const stopping = new AbortController();
  let ended: PlainStats | undefined;
  const heapMb = workerHeapMb(count + options.others, memoryLimitMb());

  const begin = (slot: Slot): WorkerProcess => {
    let channel: Channel | undefined;
    const log = serveLog(shares.logOf(slot.number), () => channel!);
    const share = pace.serve();
    const fail = (error: unknown) => {
      if (error instanceof CrawlstreamError) start.onFailure(error);
      else say(`a bug in worker ${slot.number + 1}, please report it: ${(error as Error).stack}`);
      worker.kill();
    };
    const worker = startWorkerProcess(
      {
        program: 'fetch-worker',
        orders: ordersOf(slot),
        prints: false,
        heapMb,
        served: {
          ...log.served,
          ...share.served,
          ...serveSchemas(options.registry),
          say,
          span: (span: Span) => options.onSpan?.(span),
          report: (outcome: Outcome, nofollow: boolean) => options.onReport(outcome, nofollow ? { nofollow } : null),
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
  };

  const ordersOf = ({ number }: Slot): WorkerOrders => {
    const { leasesMax = fetcherLimits.leasesMax } = config;
    const share = Math.ceil(leasesMax / manifest.partitions) * shares.partitionsOf(number).length;
    return {
      manifest: { crawl: manifest.crawl, partitions: manifest.partitions, keyMode: manifest.keyMode },
      config: { ...plainConfig(config), leasesMax: share },
      normalize: options.normalize,
      plugins: options.plugins,
      nowMs: clock.nowMs(),
      isTraced: options.onSpan !== undefined,
    };
  };

  /** A worker is started for its first task: a crawl of few hosts has few. False: the crawl stops. */
  const hasWork = async ({ number }: Slot): Promise<boolean> => {
    while (!stopping.signal.aborted && !(await shares.hasTasks(number)))
      await clock.sleepUntil(clock.nowMs() + workerLimits.workLookMs, stopping.signal);
    return !stopping.signal.aborted;
  };

  /** A worker from its start to its end. `isFault`: it never began to fetch, and was not killed. */
  const live = async (slot: Slot) => {
    try {
      const worker = begin(slot);
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
  };

  /** One worker after another, until the crawl stops. */
  const run = async (slot: Slot) => {
    let pauseMs: number = workerLimits.pauseMs;
    let startsFailed = 0;
    while (await hasWork(slot)) {
      const beganMs = clock.nowMs();
      const { worker, how, isFault } = await live(slot);
      const diedAtMs = clock.nowMs();
      if (slot.stats !== undefined) ended = ended === undefined ? sumOfOne(slot.stats) : addEnded(ended, slot.stats);
      delete slot.stats;
      delete slot.worker;
      if (stopping.signal.aborted) return;
      startsFailed = isFault ? startsFailed + 1 : 0;
      if (startsFailed >= workerLimits.startsFailedMax) throw notStarted(slot, how);
      const back = await deadLeases.end({
        fetcherId: `${worker?.pid}`,
        taken: shares.takenBy(slot.number),
        diedAtMs,
      });
      const leases = `${back} ${back === 1 ? 'lease' : 'leases'}`;
      say(`worker ${slot.number + 1} of ${count} died (${how}): ${leases} were returned, and a new worker starts`);
      const wasSoon = diedAtMs - beganMs < workerLimits.soonMs;
      if (wasSoon) await clock.sleepUntil(clock.nowMs() + pauseMs, stopping.signal);
      pauseMs = wasSoon ? Math.min(2 * pauseMs, workerLimits.pauseMaxMs) : workerLimits.pauseMs;
    }
  };
  const sumOfOne = (stats: PlainStats) => addEnded(stats, sumStats([]));

  /** One that hangs is killed, and so replaced. What counts is how often it was looked: a machine that slept wakes all of us. */
  const watch = async () => {
    while (!stopping.signal.aborted) {
      await clock.sleepUntil(clock.nowMs() + workerLimits.lookEveryMs, stopping.signal);
      for (const slot of slots) {
        if (slot.worker === undefined || ++slot.silentLooks <= workerLimits.silentLooksMax) continue;
        say(`worker ${slot.number + 1} did not respond for ${workerLimits.silentLooksMax} s: killing it`);
        slot.worker.kill();
      }
    }
  };

  const runs = shares.placed.then(() => Promise.all([watch(), ...slots.map(run)]));
  runs.catch(start.onFailure);

  const stop = async (graceMs: number) => {
    stopping.abort();
    await Promise.all(slots.map(({ worker }) => worker?.stop(graceMs)));
    await runs.catch(() => {});
  };
  let stopped: Promise<void> | undefined;

  return {
    stats: () => sumStats([...(ended === undefined ? [] : [ended]), ...slots.flatMap(({ stats }) => stats ?? [])]),
    positions: shares.positions,
    stop: (graceMs = requestLimits.totalTimeoutMs) => (stopped ??= stop(graceMs)),
  };
}

function notStarted({ number }: Slot, how: string): CrawlstreamError {
  const what = `worker ${number + 1} failed to start ${workerLimits.startsFailedMax} times (${how})`;
  return new CrawlstreamError('UNSUPPORTED', `${what}: to fetch without worker processes, use --workers 1`);
}

function plainConfig(config: FetcherConfig): PlainFetcherConfig {
  const {
    groupSize: _,
    hooks: __,
    onReport: ___,
    onPage: ____,
    room: _____,
    say: ______,
    outside: _______,
    ...plain
  } = config;
  return plain;
}
