/**
 * Watches, for all partitions of this process, which tasks the fetchers have taken, and whether there are fetchers.
 *
 * Both come from the fetchers' consumer group. Its committed positions show which tasks were taken; one request reads
 * them for all partitions, only while a task waits. Its members show whether there are fetchers. Fetchers announce
 * nothing, so any program that reads `tasks` as a member of that group counts as a fetcher.
 */

import { CrawlstreamError } from '../../../topology/errors.ts';
import { demandLimits } from '../../../topology/frontier/demand-limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log/log.ts';

/** A partition that receives updates. */
export interface Watcher {
  readonly partition: number;
  /** Whether any of its tasks wait. */
  readonly asks: boolean;
  /** Receives the group's position; undefined: it has committed none. */
  heard(position: number | undefined): void;
  /** Called when the first fetcher has joined, or the last one has left. */
  fetchersChanged(): void;
}

export interface FetcherWatch {
  /** Members of the fetchers' group; null: not known yet. */
  readonly fetchers: number | null;
  /** Adds a partition that receives updates. Returns a function that removes it. */
  add(watcher: Watcher): () => void;
  stop(): Promise<void>;
}

export interface FetcherWatchOptions {
  readonly log: Pick<Log, 'committedAll' | 'membersOf'>;
  readonly clock: Clock;
  readonly crawl: string;
  /** Called if the brokers refuse to answer, and a later try would not help. */
  onFailure(error: unknown): void;
}

export function fetcherGroup(crawl: string): string {
  return `${crawl}.fetcher`;
}

export function watchFetchers({ log, clock, crawl, onFailure }: FetcherWatchOptions): FetcherWatch {
  const { fetcherLookMs, membersLookMs, nobodyLookMs } = demandLimits;
  const group = fetcherGroup(crawl);
  const topic = `${crawl}.tasks`;
  const watchers = new Set<Watcher>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let fetchers: number | null = null;

  /**
   * Ignores a passing fault (a broker is away, or a rebalance is running): the last known state stays valid, so no
   * further leases are granted until it changes.
   */
  const passing = (error: unknown) => {
    if (!(error instanceof CrawlstreamError && error.retriable)) throw error;
  };

  const lookAtPositions = async () => {
    const asking = [...watchers].filter(({ asks }) => asks);
    if (asking.length === 0) return;
    const positions = await log.committedAll(
      group,
      topic,
      asking.map(({ partition }) => partition),
    );
    for (const watcher of asking) if (watchers.has(watcher)) watcher.heard(positions.get(watcher.partition));
  };

  const lookAtMembers = async () => {
    const { length } = await log.membersOf(group);
    const isNews = fetchers === null || fetchers > 0 !== length > 0;
    fetchers = length;
    if (isNews) for (const watcher of watchers) watcher.fetchersChanged();
  };

  const regularly = async (look: () => Promise<void>, everyMs: () => number) => {
    while (!signal.aborted) {
      await look().catch(passing);
      await clock.sleepUntil(clock.nowMs() + everyMs(), signal);
    }
  };
  const looking = Promise.all([
    regularly(lookAtPositions, () => fetcherLookMs),
    regularly(lookAtMembers, () => (fetchers === null || fetchers === 0 ? nobodyLookMs : membersLookMs)),
  ]).catch((error) => {
    if (!signal.aborted) onFailure(error);
  });

  return {
    get fetchers() {
      return fetchers;
    },
    add(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    async stop() {
      stopping.abort();
      await looking;
    },
  };
}
