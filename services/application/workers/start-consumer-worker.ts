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
  const consumers = new ConsumerProcess(options);
  await consumers.begin();
  return consumers;
}

/** Its public acts are fields, since callers hand out single ones. */
class ConsumerProcess implements RunningProcessors {
  readonly #options: ConsumerWorkerOptions;
  readonly #clock: Clock;
  readonly #service: Service;
  readonly #heapMb: number;
  readonly #stopping = new AbortController();
  readonly #metrics = createSuccessiveMetrics();
  readonly #groups: ReturnType<typeof watchGroups>;
  readonly #log: Log;
  readonly #runs: Promise<void>;
  #stopped: Promise<void> | undefined;
  #worker: WorkerProcess | undefined;
  #begun = createAwaited<WorkerProcess>();
  /** Whether the current process has saved positions. */
  #hasProgressed = false;
  #hasFailed = false;
  #reportFailed: (error: unknown) => void = () => {};
  readonly failed = new Promise<never>((_, reject) => (this.#reportFailed = reject));

  constructor(options: ConsumerWorkerOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#service = options.service;
    this.#heapMb = consumersHeapMb(options.processes, memoryLimitMb());
    this.#groups = watchGroups(options);
    const commit: Log['commit'] = (group, positions) => {
      this.#hasProgressed = true;
      return options.log.commit(group, positions);
    };
    this.#log = { ...options.log, commit };
    this.failed.catch(() => {});
    this.#runs = this.#run();
    this.#runs.catch(this.#fail);
    this.#service.sources.add(this.#metrics.source);
  }

  readonly #fail = (error: unknown) => {
    this.#hasFailed = true;
    this.#reportFailed(error);
  };

  #begin(): WorkerProcess {
    let channel: Channel | undefined;
    const served = serveLog(this.#log, () => channel!);
    const one = startWorkerProcess(
      {
        program: 'consumer-worker',
        orders: { ...this.#options.orders, nowMs: this.#clock.nowMs() } satisfies ConsumerOrders,
        prints: true,
        heapMb: this.#heapMb,
        served: {
          ...served.served,
          ...serveSchemas(this.#options.registry),
          say: this.#options.say,
          readerGone: this.#options.onReaderGone,
          failed: (error: Parameters<typeof errorOf>[0]) => this.#fail(errorOf(error)),
          status: (status: ConsumerStatus) => {
            this.#metrics.take(status.metrics);
            this.#groups.take(status.positions);
          },
        },
        onFault: this.#fail,
      },
      (made) => (channel = made),
    );
    void channel!.closed.then(() => served.close());
    // Runs before the end is reported elsewhere: callers that wait for consumers wait for the next process. If this
    // process had not begun, they wait already.
    one.begun.then(
      () => void one.ended.then(() => (this.#begun = createAwaited())),
      () => {},
    );
    return one;
  }

  /** A process from its start to its end. */
  async #live(): Promise<Pick<WorkerEnd, 'how' | 'isKilled'>> {
    try {
      this.#worker = this.#begin();
    } catch (error) {
      return { how: (error as Error).message, isKilled: false };
    }
    const one = this.#worker;
    one.begun.then(
      (disks) => {
        for (const [store, folder] of disks as ConsumerDisks) this.#service.disks.set(store, folder);
        this.#begun.resolve(one);
      },
      (error: unknown) => {
        if (!isGone(error)) this.#fail(error);
      },
    );
    return one.ended;
  }

  /** One process after another, until the crawl stops. */
  async #run() {
    let pauseMs: number = workerLimits.pauseMs;
    let deaths = 0;
    while (!this.#stopping.signal.aborted) {
      this.#hasProgressed = false;
      const { how, isKilled } = await this.#live();
      this.#worker = undefined;
      this.#metrics.end();
      if (this.#stopping.signal.aborted || this.#hasFailed) return;
      if (this.#hasProgressed) deaths = 0;
      else if (!isKilled) deaths += 1;
      if (deaths >= workerLimits.consumersDeathsMax) return this.#fail(endsAgainAndAgain(how));
      this.#options.say(
        `the process of the consumers died (${how}): starting a new one, which continues where it stopped`,
      );
      if (this.#hasProgressed) pauseMs = workerLimits.pauseMs;
      else {
        await this.#clock.sleepUntil(this.#clock.nowMs() + pauseMs, this.#stopping.signal);
        pauseMs = Math.min(2 * pauseMs, workerLimits.pauseMaxMs);
      }
    }
  }

  /** Metrics of the present process and, if it dies meanwhile, of the next. */
  async #ask(what: 'settle' | 'drain'): Promise<void> {
    for (;;) {
      const one = await Promise.race([this.#begun.promise, this.failed]);
      try {
        await one.call(what);
        return;
      } catch (error) {
        if (!isGone(error)) throw error;
        await one.ended;
      }
    }
  }

  async #stop() {
    this.#stopping.abort();
    try {
      // Open files are closed in order, however long that takes: nothing else waits for them.
      await this.#worker?.stop(null);
    } finally {
      await this.#runs.catch(() => {});
      this.#begun.reject(new CrawlstreamError('STORE_CLOSED', 'the consumers have been stopped'));
      this.#groups.leave();
      this.#service.sources.delete(this.#metrics.source);
    }
  }

  /** Resolves once the first process has begun; rejects, with everything ended, if it could not. */
  async begin(): Promise<void> {
    try {
      await Promise.race([this.#begun.promise, this.failed]);
    } catch (error) {
      this.#worker?.kill();
      await this.#stop().catch(() => {});
      throw error;
    }
  }

  readonly settle: RunningProcessors['settle'] = () => this.#ask('settle');
  readonly drain: RunningProcessors['drain'] = () => this.#ask('drain');
  readonly stop: RunningProcessors['stop'] = () => (this.#stopped ??= this.#stop());
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
