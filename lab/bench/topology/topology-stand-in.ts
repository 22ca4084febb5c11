/**
 * A member of the fetchers' group that takes every task and processes none: without a fetcher, a frontier grants no
 * leases. It is in the process of the bench, so that no measured process includes its cost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openKafkaLog } from '../../../services/runtime/log/kafka/kafka-log.ts';

/** As often as a busy fetcher reports the tasks that it has taken. */
const commitEveryMs = 250;

export async function besideFetcher<T>(brokers: string, crawl: string, act: () => Promise<T>): Promise<T> {
  const log = await openKafkaLog({ brokers: brokers.split(','), clientId: 'stand-in' });
  const topic = `${crawl}.tasks`;
  const group = `${crawl}.fetcher`;
  const stop = new AbortController();
  let held: readonly number[] = [];
  let failure: unknown;
  const take = async () => {
    for (; !stop.signal.aborted; await sleep(commitEveryMs, undefined, { signal: stop.signal }).catch(() => {})) {
      const ends = await Promise.all(held.map(async (partition) => (await log.offsets(topic, partition)).end));
      const positions = held.map((partition, index) => ({ topic, partition, offset: ends[index]! }));
      if (positions.length > 0) await log.commit(group, positions);
    }
  };
  try {
    const membership = await log.join({
      ...{ group, topics: [topic] },
      onAssigned: async (partitions) => {
        held = partitions;
      },
      onFailure: (error) => {
        failure = error;
      },
    });
    const taking = take();
    try {
      return await act();
    } finally {
      stop.abort();
      await taking;
      await membership.leave();
    }
  } finally {
    await log.close();
    if (failure !== undefined) console.error('the stand-in for a fetcher failed:', failure);
  }
}
