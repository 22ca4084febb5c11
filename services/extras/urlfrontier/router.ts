/** Brings what clients put to the partitions that have it, here or in another process. */
import { type PutItem, putStatuses } from '../../../topology/frontier/decide/pull/calls.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { put } from './ask.ts';
import type { Peer } from './grpc-peer.ts';
import { givenBack, unpackMetadata } from './metadata.ts';
import { nobody, type Peers } from './pass-on.ts';
import type { Placed, PutAll } from './put-streams.ts';
import { dateOf } from './refetch-date.ts';
import type { ServedCrawl, ServedCrawls, ServedPartition } from './served-crawl.ts';
import { type Ack, codecOf } from './wire.ts';

export interface Router {
  readonly putAll: PutAll;
}

export function partitionNumber(crawl: ServedCrawl, key: string): number {
  return crawl.partitions.length === 1 ? 0 : partitionOf(key, crawl.partitions.length);
}

/** The partition of a queue in this process. */
export function partitionFor(crawl: ServedCrawl, key: string): ServedPartition {
  const number = partitionNumber(crawl, key);
  const partition = crawl.partitions[number];
  if (partition === undefined) throw nobody(number);
  return partition;
}

/** The partitions of the crawl that are in this process. */
export function ownPartitions(crawl: ServedCrawl): ServedPartition[] {
  return crawl.partitions.filter((partition) => partition !== undefined);
}

export function createRouter(crawls: ServedCrawls, peers: Peers): Router {
  return {
    putAll: async (items, isLocal) => {
      const puts = [...byCrawl(items)].map(([id, some]) => putTo(crawls, isLocal ? null : peers, id, some));
      await Promise.all(puts);
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

/** `peers`: null if the items were passed on already. */
async function putTo(crawls: ServedCrawls, peers: Peers | null, id: string, items: readonly Placed[]): Promise<void> {
  try {
    const crawl = await crawls.open(id);
    if (crawl.partitions.length === 1 && crawl.partitions[0] !== undefined)
      return await putOn(crawl.partitions[0], items);
    const byPartition = new Map<number, Placed[]>();
    for (const one of items) {
      const number = partitionNumber(crawl, one.item!.key);
      const some = byPartition.get(number);
      if (some === undefined) byPartition.set(number, [one]);
      else some.push(one);
    }
    await Promise.all([...byPartition].map(([number, some]) => putThere(crawl, peers, number, some)));
  } catch (error) {
    for (const one of items) fail(one, error);
  }
}

async function putThere(
  crawl: ServedCrawl,
  peers: Peers | null,
  number: number,
  items: readonly Placed[],
): Promise<void> {
  const partition = crawl.partitions[number];
  if (partition !== undefined) return putOn(partition, items);
  try {
    const owner = await peers?.ownerOf(crawl.id, items[0]!.item!.key);
    if (owner === undefined) throw nobody(number);
    await passOn(owner, items);
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
      if (one.status === putStatuses.fail)
        one.reason = 'the frontier is full: send this URL again when other URLs are finished';
    });
  } catch (error) {
    for (const one of items) fail(one, error);
  }
}

const itemCodec = codecOf<object>('URLItem');
const ackCodec = codecOf<Ack>('AckMessage');

/** Acks come in the order of the items. */
async function passOn(owner: Peer, items: readonly Placed[]): Promise<void> {
  const requests = items.map(({ crawlId: crawlID, item }) => {
    const { known, key, url, metadata } = item!;
    const entries = unpackMetadata(metadata);
    const info = { url, key, metadata: givenBack(entries), crawlID };
    return itemCodec.encode(
      known ? { known: { info, refetchable_from_date: dateOf(entries) ?? 0 } } : { discovered: { info } },
    );
  });
  const acks = await owner.stream('PutURLs', requests);
  items.forEach((one, index) => {
    const ack = acks[index];
    if (ack === undefined) fail(one, new Error('the partition moved to another process; retry'));
    else {
      const { status, reason } = ackCodec.decode(ack);
      one.status = status;
      one.reason = reason ?? '';
    }
  });
}

function fail(one: Placed, error: unknown): void {
  one.status = putStatuses.fail;
  one.reason = `${error instanceof Error ? error.message : String(error)}: send this item again`;
}
