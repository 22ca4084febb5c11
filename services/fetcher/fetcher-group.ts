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
  let members = 1;
  const fetcher = startFetcher({ ...options, config: { ...config, groupSize: () => members }, group, positions: [] });
  const reading = new Set<number>();

  /** From the committed position; tasks that have been trimmed since are leases that have expired since. */
  const begin = async (partition: number) => {
    const { start } = await log.offsets(topic, partition);
    const committed = await log.committed(group, topic, partition);
    if (reading.has(partition)) fetcher.assign(partition, Math.max(start, committed ?? start));
  };

  const membership: Membership = await log.join({
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
  const counting = setInterval(() => {
    members = Math.max(1, membership.members);
  }, 1_000);

  return {
    fetcher,
    get members() {
      return membership.members;
    },
    stop: async () => {
      clearInterval(counting);
      // Leave first: others take over what is not started while this one finishes what is.
      await membership.leave();
      await fetcher.stop();
    },
  };
}
