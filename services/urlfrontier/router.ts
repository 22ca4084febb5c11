/** Brings what clients ask for to the partitions that have it. */
import { type PutItem, putStatuses } from '../../topology/frontier/pull/calls.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { put } from './ask.ts';
import { CallFailed } from './grpc-server.ts';
import type { Placed, PutAll } from './put-streams.ts';
import type { ServedCrawl, ServedCrawls, ServedPartition } from './served-crawl.ts';

export interface Router {
  readonly putAll: PutAll;
}

/** The partition of a queue. */
export function partitionFor(crawl: ServedCrawl, key: string): ServedPartition {
  const number = crawl.partitions.length === 1 ? 0 : partitionOf(key, crawl.partitions.length);
  const partition = crawl.partitions[number];
  if (partition === undefined) throw new CallFailed('UNAVAILABLE', `partition ${number} is being taken over`);
  return partition;
}

/** Of the partitions that are here. */
export function ownPartitions(crawl: ServedCrawl): ServedPartition[] {
  return crawl.partitions.filter((partition) => partition !== undefined);
}

export function createRouter(crawls: ServedCrawls): Router {
  return {
    putAll: async (items) => {
      const [first] = items;
      if (first === undefined) return;
      await Promise.all([...byCrawl(items)].map(([id, some]) => putTo(crawls, id, some)));
    },
  };
}

function byCrawl(items: readonly Placed[]): Map<string, Placed[]> {
  const found = new Map<string, Placed[]>();
  let [lastId, last]: [string | undefined, Placed[]] = [undefined, []];
  for (const one of items) {
    if (one.item === null) continue;
    if (one.crawlId !== lastId) {
      lastId = one.crawlId;
      last = found.get(lastId) ?? [];
      found.set(lastId, last);
    }
    last.push(one);
  }
  return found;
}

async function putTo(crawls: ServedCrawls, id: string, items: readonly Placed[]): Promise<void> {
  try {
    const crawl = crawls.find(id) ?? (await crawls.open(id));
    if (crawl.partitions.length === 1) return await putOn(partitionFor(crawl, ''), items);
    const byPartition = new Map<ServedPartition, Placed[]>();
    for (const one of items) {
      const partition = partitionFor(crawl, one.item!.key);
      const some = byPartition.get(partition);
      if (some === undefined) byPartition.set(partition, [one]);
      else some.push(one);
    }
    await Promise.all([...byPartition].map(([partition, some]) => putOn(partition, some)));
  } catch (error) {
    for (const one of items) fail(one, error);
  }
}

async function putOn(partition: ServedPartition, items: readonly Placed[]): Promise<void> {
  try {
    const statuses = await put(
      partition,
      items.map(({ item }) => item as PutItem),
    );
    items.forEach((one, index) => {
      one.status = statuses[index]!;
      if (one.status === putStatuses.fail) one.reason = 'the frontier is full: put it again when URLs are done';
    });
  } catch (error) {
    for (const one of items) fail(one, error);
  }
}

function fail(one: Placed, error: unknown): void {
  one.status = putStatuses.fail;
  one.reason = `${error instanceof Error ? error.message : String(error)}: put it again`;
}
