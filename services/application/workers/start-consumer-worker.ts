/**
 * A crawl's consumers in a separate process, so that they take no time from frontier and log, and a consumer that
 * fills its memory or is killed does not end the crawl.
 *
 * A dead process is replaced by another, which continues from the consumers' saved positions, with the same
 * guarantees as after a crash of the whole. A permanent failure of a consumer is reported by its process, and ends
 * the crawl as if it had happened in this one.
 */
import { CrawlstreamError, hasCode } from '../../../topology/errors.ts';
import type { SchemaRegistry } from '../../runtime/avro/schema-registry.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Channel, errorOf } from '../../runtime/log/channel/message-channel.ts';
import { serveLog } from '../../runtime/log/channel/serve-log.ts';
import type { Log, Position } from '../../runtime/log/log.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import type { RunningProcessors } from '../start-processors.ts';
import type { ConsumerDisks, ConsumerOrders, ConsumerStatus } from './consumer-orders.ts';
import { serveSchemas } from './schemas-over-channel.ts';
import { createSuccessiveMetrics } from './successive-metrics.ts';
import { consumersHeapMb, memoryLimitMb } from './worker-heap.ts';
import { workerLimits } from './worker-limits.ts';
import { startWorkerProcess, type WorkerEnd, type WorkerProcess } from './worker-process.ts';

export interface ConsumerWorkerOptions {
  readonly orders: Omit<ConsumerOrders, 'nowMs'>;
  readonly log: Log;
  readonly registry: SchemaRegistry;
  readonly clock: Clock;
  /** Processes beside the crawl's, including this one: they share the memory. */
  readonly processes: number;
  /** Takes the status of the consumers. */
  readonly service: Service;
  say(text: string): void;
  /** Called when the consumers' output has no reader any more. */
  onReaderGone(): void;
}

/** Resolves once the consumers run. Rejects with the error of one that could not start. */
export async function startConsumerWorker(options: ConsumerWorkerOptions): Promise<RunningProcessors> {
  const { clock, say, service } = options;
  const heapMb = consumersHeapMb(options.processes, memoryLimitMb());
  const stopping = new AbortController();
  const metrics = createSuccessiveMetrics();
  const groups = watchGroups(options);
  let worker: WorkerProcess | undefined;
  let begun = createAwaited<WorkerProcess>();
  /** Whether the current process has saved positions. */
  let hasProgressed = false;
  let hasFailed = false;
  let reportFailed: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => (reportFailed = reject));
  failed.catch(() => {});
  const fail = (error: unknown) => {
    hasFailed = true;
    reportFailed(error);
  };

  const log: Log = {
    ...options.log,
    commit(group, positions) {
      hasProgressed = true;
      return options.log.commit(group, positions);
    },
  };

  const begin = (): WorkerProcess => {
    let channel: Channel | undefined;
    const served = serveLog(log, () => channel!);
    const one = startWorkerProcess(
      {
        program: 'consumer-worker',
        orders: { ...options.orders, nowMs: clock.nowMs() } satisfies ConsumerOrders,
        prints: true,
        heapMb,
        served: {
          ...served.served,
          ...serveSchemas(options.registry),
          say,
          readerGone: options.onReaderGone,
          failed: (error: Parameters<typeof errorOf>[0]) => fail(errorOf(error)),
          status(status: ConsumerStatus) {
            metrics.take(status.metrics);
            groups.take(status.positions);
          },
        },
        onFault: fail,
      },
      (made) => (channel = made),
    );
    void channel!.closed.then(() => served.close());
    // Runs before the end is reported elsewhere: callers that wait for consumers wait for the next process. If this
    // process had not begun, they wait already.
    one.begun.then(
      () => void one.ended.then(() => (begun = createAwaited())),
      () => {},
    );
    return one;
  };

  /** A process from its start to its end. */
  const live = async (): Promise<Pick<WorkerEnd, 'how' | 'isKilled'>> => {
    try {
      worker = begin();
    } catch (error) {
      return { how: (error as Error).message, isKilled: false };
    }
    const one = worker;
    one.begun.then(
      (disks) => {
        for (const [store, folder] of disks as ConsumerDisks) service.disks.set(store, folder);
        begun.resolve(one);
      },
      (error: unknown) => {
        if (!isGone(error)) fail(error);
      },
    );
    return one.ended;
  };

  /** One process after another, until the crawl stops. */
  const run = async () => {
    let pauseMs: number = workerLimits.pauseMs;
    let deaths = 0;
    while (!stopping.signal.aborted) {
      hasProgressed = false;
      const { how, isKilled } = await live();
      worker = undefined;
      metrics.end();
      if (stopping.signal.aborted || hasFailed) return;
      if (hasProgressed) deaths = 0;
      else if (!isKilled) deaths += 1;
      if (deaths >= workerLimits.consumersDeathsMax) return fail(endsAgainAndAgain(how));
      say(`the process of the consumers died (${how}): starting a new one, which continues where it stopped`);
      if (hasProgressed) pauseMs = workerLimits.pauseMs;
      else {
        await clock.sleepUntil(clock.nowMs() + pauseMs, stopping.signal);
        pauseMs = Math.min(2 * pauseMs, workerLimits.pauseMaxMs);
      }
    }
  };

  /** Metrics of the present process and, if it dies meanwhile, of the next. */
  const ask = async (what: 'settle' | 'drain'): Promise<void> => {
    for (;;) {
      const one = await Promise.race([begun.promise, failed]);
      try {
        await one.call(what);
        return;
      } catch (error) {
        if (!isGone(error)) throw error;
        await one.ended;
      }
    }
  };

  const runs = run();
  runs.catch(fail);
  const stop = async () => {
    stopping.abort();
    try {
      // Open files are closed in order, however long that takes: nothing else waits for them.
      await worker?.stop(null);
    } finally {
      await runs.catch(() => {});
      begun.reject(new CrawlstreamError('STORE_CLOSED', 'the consumers have been stopped'));
      groups.leave();
      service.sources.delete(metrics.source);
    }
  };
  let stopped: Promise<void> | undefined;

  service.sources.add(metrics.source);
  try {
    await Promise.race([begun.promise, failed]);
  } catch (error) {
    worker?.kill();
    await stop().catch(() => {});
    throw error;
  }
  return {
    failed,
    settle: () => ask('settle'),
    drain: () => ask('drain'),
    stop: () => (stopped ??= stop()),
  };
}

/** The lag of each group, from the positions that were reported for it. */
function watchGroups({ log, clock, service }: Pick<ConsumerWorkerOptions, 'log' | 'clock' | 'service'>) {
  const known = new Map<string, { positions: readonly Position[]; readonly leave: () => void }>();
  return {
    take(given: ConsumerStatus['positions']) {
      for (const [group, positions] of given) {
        const one = known.get(group);
        if (one !== undefined) one.positions = positions;
        else {
          const leave = service.lag.add({ log, clock, group, positions: () => known.get(group)?.positions ?? [] });
          known.set(group, { positions, leave });
        }
      }
    },
    leave() {
      for (const { leave } of known.values()) leave();
    },
  };
}

interface Awaited<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

function createAwaited<T>(): Awaited<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

function isGone(error: unknown): boolean {
  return hasCode(error, 'OWNERSHIP_LOST', 'PROCESS_ENDED');
}

function endsAgainAndAgain(how: string): CrawlstreamError {
  const what = `the process of the consumers failed ${workerLimits.consumersDeathsMax} times before it handled a record (${how})`;
  return new CrawlstreamError('UNSUPPORTED', `${what}: to run them without a separate process, use --workers 1`);
}
