/**
 * Gets: ready queues are leased to a client, one slice at a time. The next slice is requested once the client has
 * room for it, so that it never has more than one slice of unread URLs.
 */
import type { PulledUrl } from '../../../topology/frontier/decide/pull/calls.ts';
import { metadataOf } from '../../../topology/frontier/pull/payload.ts';
import { pullLimits } from '../../../topology/frontier/pull/pull-limits.ts';
import type { Answers } from '../../runtime/grpc/grpc-server.ts';
import { type Got, get } from './ask.ts';
import { attemptsEntry, givenBack, unpackMetadata } from './metadata.ts';
import { ownPartitions, partitionFor, partitionNumber } from './router.ts';
import type { ServedCrawl, ServedCrawls, ServedPartition } from './served-crawl.ts';
import { crawlIdOf } from './served-crawl.ts';
import { codecOf, type UrlInfo } from './wire.ts';

export interface GetParams {
  readonly max_urls_per_queue: number;
  readonly max_queues: number;
  readonly key: string;
  readonly delay_requestable: number;
  readonly anyCrawlID: object | null;
  readonly crawlID: string;
}

const leaseSecDefault = 30;
const infoCodec = codecOf<UrlInfo>('URLInfo');

/** Index of the place (a partition of a crawl) at which the next get of any queue begins. */
let turn = 0;

export async function getUrls(crawls: ServedCrawls, params: GetParams, answers: Answers): Promise<void> {
  const id = crawlOfGet(params);
  const key = params.key === '' ? null : params.key;
  let left = params.max_queues || Number.POSITIVE_INFINITY;
  const giveFrom = async (wanted: readonly ServedCrawl[]) => {
    const places = placesOf(wanted, key, id !== undefined);
    const from = places.length === 0 ? 0 : turn++ % places.length;
    for (const { id: crawlId, partition } of [...places.slice(from), ...places.slice(0, from)]) {
      while (left > 0 && !answers.isCancelled) {
        const queues = Math.min(left, pullLimits.queuesPerGet);
        const asked = get(partition, {
          key,
          queues,
          urlsPerQueue: params.max_urls_per_queue || Number.POSITIVE_INFINITY,
          leaseMs: 1000 * (params.delay_requestable || leaseSecDefault),
        });
        const got = await asked.catch((error) => {
          // A crawl that was deleted meanwhile has nothing to give.
          if (id === undefined && !crawls.ids().includes(crawlId)) return nothing;
          throw error;
        });
        left -= got.queues;
        await answers.write(got.urls.map((url) => infoCodec.encode(infoOf(crawlId, url))));
        if (got.queues === 0 || key !== null) break;
      }
    }
  };
  if (id !== undefined) {
    const named = await crawls.find(id);
    return giveFrom(named === undefined ? [] : [named]);
  }
  const open = crawls.list();
  await giveFrom(open);
  // Crawls that are not open yet are opened one by one, only if the open ones have too few URLs.
  const isOpen = new Set(open.map((crawl) => crawl.id));
  for (const other of crawls.ids()) {
    if (isOpen.has(other)) continue;
    if (left <= 0 || answers.isCancelled) return;
    const crawl = await crawls.find(other);
    if (crawl !== undefined) await giveFrom([crawl]);
  }
}

const nothing: Got = { urls: [], queues: 0 };

/** Returns the crawl that a request names; undefined: any crawl. */
export function crawlOfGet(params: GetParams): string | undefined {
  return Object.hasOwn(params, 'crawlID') && params.anyCrawlID === null ? crawlIdOf(params.crawlID) : undefined;
}

/** `isNamed`: the request names a crawl, and its queue must be here. */
function placesOf(
  crawls: readonly ServedCrawl[],
  key: string | null,
  isNamed: boolean,
): { readonly id: string; readonly partition: ServedPartition }[] {
  return crawls.flatMap((crawl) => {
    const isHere = key === null || isNamed || crawl.partitions[partitionNumber(crawl, key)] !== undefined;
    if (!isHere) return [];
    const partitions = key === null ? ownPartitions(crawl) : [partitionFor(crawl, key)];
    return partitions.map((partition) => ({ id: crawl.id, partition }));
  });
}

function infoOf(crawlID: string, { key, entry }: PulledUrl): UrlInfo {
  const metadata = givenBack(unpackMetadata(metadataOf(entry.payload)));
  const entries = entry.attempts > 0 ? [...metadata, attemptsEntry(entry.attempts)] : metadata;
  return { url: entry.url, key, metadata: entries, crawlID };
}
