/** The fetcher as a member of its consumer group: reads the task partitions it is assigned, finishes leases it has. */
import type { Membership } from '../runtime/log/log.ts';
import type { Fetcher, FetcherOptions } from './fetcher.ts';
import { startFetcher } from './fetcher.ts';

export interface FetcherGroup {
  readonly fetcher: Fetcher;
  readonly members: number;
  /** Drains, then leaves. */
  stop(): Promise<void>;
}

export async function joinFetcherGroup(options: Omit<FetcherOptions, 'group' | 'positions'>): Promise<FetcherGroup> {
  const { log, crawl, config, onFailure } = options;
  const group = `${crawl}.fetcher`;
  const topic = `${crawl}.tasks`;
  let membership: Membership | undefined;
  const groupSize = () => Math.max(1, membership?.members ?? 1);
  const fetcher = startFetcher({ ...options, config: { ...config, groupSize }, group, positions: [] });
  const reading = new Set<number>();

  /** From the committed position; tasks that have been trimmed since are leases that have expired since. */
  const begin = async (partition: number) => {
    const { start } = await log.offsets(topic, partition);
    const committed = await log.committed(group, topic, partition);
    if (reading.has(partition)) fetcher.assign(partition, Math.max(start, committed ?? start));
  };

  const joined = await log.join({
    group,
    topics: [topic],
    onFailure,
    onAssigned: (assigned) => {
      for (const partition of reading) {
        if (assigned.includes(partition)) continue;
        reading.delete(partition);
        fetcher.revoke(partition);
      }
      for (const partition of assigned) {
        if (reading.has(partition)) continue;
        reading.add(partition);
        begin(partition).catch(onFailure);
      }
    },
  });
  membership = joined;

  return {
    fetcher,
    get members() {
      return joined.members;
    },
    stop: async () => {
      // Leave first: others take over what is not started while this one finishes what is.
      await joined.leave();
      await fetcher.stop();
    },
  };
}
