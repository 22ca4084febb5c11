/**
 * The fetcher: takes leases from `tasks`, fetches politely, and publishes pages, links and results.
 *
 * Its state is disposable: the frontier knows the same. Leases run in parallel (task-loop.ts), and most of them wait for
 * a delay; requests in flight are bounded over all leases (request-path.ts).
 */
import { setMaxListeners } from 'node:events';
import type { Position } from '../runtime/log/log.ts';
import { FetcherCounts } from './fetcher-counts.ts';
import { openHttp } from './fetcher-http.ts';
import { fetcherLimits } from './fetcher-limits.ts';
import type { FetcherOptions, Running } from './fetcher-options.ts';
import { followOrders } from './fetcher-orders.ts';
import { openRecords } from './fetcher-records.ts';
import { runnerOf } from './fetcher-runner.ts';
import type { FetcherStats } from './fetcher-stats.ts';
import { agreedIdentities } from './http/agreed-identity.ts';
import { requestLimits } from './http/request-limits.ts';
import { runnerAs } from './leases/agreed-runner.ts';
import { runLease } from './leases/run-lease.ts';
import { createGrantClock } from './pace/grant-clock.ts';
import { leasesKept } from './pace/kept-leases.ts';
import type { RequestPath } from './pace/paced-request.ts';
import { createExtractor } from './pages/extract.ts';
import { openRequestPath } from './request-path.ts';
import type { RobotsCache } from './robots/cache.ts';
import { TaskLoop } from './task-loop.ts';

export interface Fetcher {
  /** Starts reading a partition of `tasks`; leases of other partitions continue. */
  assign(partition: number, offset: number): void;
  /** Stops reading a partition; leases already taken are finished. */
  revoke(partition: number): void;
  stats(): FetcherStats;
  readonly robots: Pick<RobotsCache, 'hop' | 'forgetMoves'>;
  /** Cancels the requests in progress: their URLs return. */
  breakOff(): Promise<void>;
  /** The next task to start, of each partition that is read here. */
  positions(): readonly Position[];
  /**
   * Starts nothing new, finishes requests in progress for up to `graceMs`, returns the rest, and publishes all results.
   */
  stop(graceMs?: number): Promise<void>;
}

export function startFetcher(options: FetcherOptions): Fetcher {
  const { config } = options;
  const leasesMax = config.leasesMax ?? fetcherLimits.leasesMax;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const running: Running = {
    options,
    clock: createGrantClock(options.clock),
    agreed: agreedIdentities(config, config.requests),
    signal: stopping.signal,
    fail(error) {
      stopping.abort();
      tasks.wake();
      options.onFailure(error);
    },
  };
  const counts = new FetcherCounts();
  const records = openRecords(running);
  const http = openHttp(running, records.archive);
  const orders = followOrders(running, records, http);
  const onInterval = (ms: number) => counts.hostIntervalSeconds.observe(ms / 1000);
  const look = () => tasks.look();
  const requestPath = openRequestPath(running, records, http, orders, { onInterval, onBack: look });
  const extractor = createExtractor(options.extractor);
  const leases = () => tasks.leases;
  const runner = runnerOf(running, { records, http, orders, requestPath, extractor, leasesMax, leases, look });
  const { publisher, lateReports } = records;
  const tasks = new TaskLoop({
    running,
    lateReports,
    leasesMax: () =>
      leasesKept(requestPath.network, leasesMax, () => config.groupSize() === 1) + (runner.names?.aside ?? 0),
    ready: orders.blockedHosts.caughtUp,
    run(task) {
      const reporter = counts.counting(publisher.open(task), ({ outcome, page }) => {
        config.onReport?.(outcome, page, task.urls[outcome.index]?.depth ?? 0);
        lateReports.reported(task, outcome);
      });
      return runLease(runnerAs(runner, running.agreed.of(task.hostKey)), task, reporter);
    },
  });
  for (const { partition, offset } of options.positions) tasks.assign(partition, offset);
  tasks.begin();

  return {
    assign: (partition, offset) => tasks.assign(partition, offset),
    revoke: (partition) => tasks.revoke(partition),
    stats: () => ({
      leasesMax,
      ...statsOf(tasks, counts, requestPath),
      tooLarge: publisher.tooLarge,
      hooks: orders.hooks?.uses ?? [],
    }),
    robots: runner.robots,
    breakOff: () => http.http.close(),
    positions: () => tasks.positions(),
    async stop(graceMs = requestLimits.totalTimeoutMs) {
      stopping.abort();
      await tasks.ended();
      const patience = new AbortController();
      void config.outside?.stop(graceMs);
      void options.clock.sleepUntil(options.clock.nowMs() + graceMs, patience.signal).then(() => http.http.close());
      await tasks.leasesEnded();
      patience.abort();
      await Promise.allSettled([http.http.close(), extractor.close(), tasks.close(), orders.blockedHosts.stop()]);
      await publisher.drain();
    },
  };
}

function statsOf(
  tasks: TaskLoop,
  counts: FetcherCounts,
  { http, network, pacer, slots }: RequestPath,
): Omit<FetcherStats, 'leasesMax' | 'tooLarge' | 'hooks'> {
  return {
    leasesRunning: tasks.leases,
    tasksWaiting: tasks.waiting,
    networksAway: (network?.awaySinceMs ?? null) === null ? 0 : 1,
    tasksMisrouted: tasks.misrouted,
    tasksUndecodable: tasks.undecodable,
    requestsInFlight: slots.taken,
    requestsWaiting: slots.waiting,
    requests: counts.requests,
    bytes: counts.bytes,
    outcomes: { ...counts.outcomes },
    openOrigins: http.stats().origins,
    pacedHosts: pacer.size,
    requestSeconds: counts.requestSeconds,
    hostIntervalSeconds: counts.hostIntervalSeconds,
  };
}
