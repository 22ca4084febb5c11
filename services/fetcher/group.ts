/** The fetcher as a member of its consumer group: reads the task partitions it is assigned, finishes leases it has. */
import type { Membership } from '../runtime/log/log.ts';
import type { Fetcher } from './fetcher.ts';
import { startFetcher } from './fetcher.ts';
import type { FetcherOptions } from './fetcher-options.ts';

export interface FetcherGroup {
  readonly fetcher: Fetcher;
  readonly members: number;
  /** Drains, then leaves. */
  stop(): Promise<void>;
}

export async function joinFetcherGroup(options: Omit<FetcherOptions, 'group' | 'positions'>): Promise<FetcherGroup> {
  const { log, crawl, partitions, config, onFailure } = options;
  const group = `${crawl}.fetcher`;
  const topic = `${crawl}.tasks`;
  let membership: Membership | undefined;
  const groupSize = () => Math.max(1, membership?.members ?? 1);
  const fetcher = startFetcher({ ...options, config: { ...config, groupSize }, group, positions: [] });
  /** Each assignment of a partition has a separate number. */
  const turns = new Map<number, symbol>();

  /**
   * Starts from the committed position. If tasks behind it have been trimmed since, their leases have expired since.
   */
  const begin = async (partition: number, turn: symbol) => {
    const { start } = await log.offsets(topic, partition);
    const committed = await log.committed(group, topic, partition);
    // A position that was looked up for an earlier assignment is out of date: another member may have read on in
    // between.
    if (turns.get(partition) === turn) fetcher.assign(partition, Math.max(start, committed ?? start));
  };
  const giveUp = (partition: number) => {
    turns.delete(partition);
    fetcher.revoke(partition);
  };
  const take = (assigned: readonly number[]) => {
    for (const partition of [...turns.keys()]) if (!assigned.includes(partition)) giveUp(partition);
    for (const partition of assigned) {
      if (turns.has(partition)) continue;
      const turn = Symbol();
      turns.set(partition, turn);
      begin(partition, turn).catch(onFailure);
    }
  };

  try {
    membership = await log.join({ group, topics: [topic], partitions, onFailure, onAssigned: take });
  } catch (error) {
    await fetcher.stop(0);
    throw error;
  }
  const joined = membership;

  return {
    fetcher,
    get members() {
      return joined.members;
    },
    stop: async () => {
      // Others take over the tasks that are not started, while this fetcher finishes those in progress.
      take([]);
      await Promise.all([joined.leave(), fetcher.stop()]);
    },
  };
}
