/** Methods for queries about queues and URLs, and for purging them. None of them delays a put. */

import type { ForgottenUrl } from '../../../topology/frontier/decide/pull/calls.ts';
import type { ListedUrl } from '../../../topology/frontier/decide/pull/list-queue.ts';
import { createdSecOf, metadataOf } from '../../../topology/frontier/pull/payload.ts';
import { type Answers, CallFailed } from '../../runtime/grpc/grpc-server.ts';
import { order } from './ask.ts';
import { checkUrl } from './check-url.ts';
import { findUrl, urlsOf } from './list-urls.ts';
import { givenBack, unpackMetadata } from './metadata.ts';
import { dateOf } from './refetch-date.ts';
import { ownPartitions, partitionFor } from './router.ts';
import type { ServedCrawl, ServedCrawls, ServedPartition } from './served-crawl.ts';
import { crawlIdOf } from './served-crawl.ts';
import { codecOf } from './wire.ts';

/** Page size if the request gives none. */
export const listedDefault = 100;
const itemCodec = codecOf<object>('URLItem');

export interface OfQueue {
  readonly key: string;
  readonly crawlID: string;
}

export interface Filter extends OfQueue {
  /** null: not given. */
  readonly filter: string | null;
  readonly ignoreCase: boolean | null;
}

export interface ListUrlParams extends Filter {
  readonly start: number;
  readonly size: number;
}

export interface Pagination {
  readonly start: number;
  readonly size: number;
  readonly include_inactive: boolean;
  readonly crawlID: string;
}

/**
 * In the order in which queues were created, partition by partition: pages don't overlap while later queues appear and
 * disappear.
 */
export async function listQueues(
  crawls: ServedCrawls,
  { start, size, include_inactive, crawlID: id }: Pagination,
): Promise<object> {
  const crawlID = crawlIdOf(id);
  const most = size || listedDefault;
  const values: string[] = [];
  let total = 0;
  for (const { core } of ownPartitions((await crawls.find(crawlID)) ?? nothing)) {
    if (core === undefined) continue;
    const { hosts, pull, nowMs } = core.state;
    const now = Math.max(nowMs, Date.now());
    for (let host = 0; host < hosts.size; host++) {
      const urls = pull.urlsOf(host);
      if (urls === 0) continue;
      // A queue at its limit is active: it has URLs that are not done, and is not blocked.
      const isHeld = !['', 'limit'].includes(hosts.facts.hold(host));
      const active = urls > pull.doneOf(host) && pull.marksOf(host).blockedUntilMs <= now && !isHeld;
      if (!active && !include_inactive) continue;
      if (total++ >= start && values.length < most) values.push(hosts.keys.keyOf(host));
    }
  }
  return { values, total, start, size: values.length, crawlID };
}

export async function urlStatus(
  crawls: ServedCrawls,
  { url, key: given, crawlID: id }: OfQueue & { readonly url: string },
): Promise<object> {
  const crawlID = crawlIdOf(id);
  const crawl = await crawls.find(crawlID);
  const checked = checkUrl(url, given);
  if (!checked.ok) throw new CallFailed('INVALID_ARGUMENT', checked.reason);
  const found = crawl === undefined ? undefined : await findUrl(partitionFor(crawl, checked.key), checked.key, url);
  if (found === undefined) throw new CallFailed('NOT_FOUND', `${url} is not known in queue ${checked.key}`);
  return itemOf(crawlID, checked.key, found);
}

export async function listUrls(crawls: ServedCrawls, params: ListUrlParams, answers: Answers): Promise<void> {
  const crawlID = crawlIdOf(params.crawlID);
  let [toPass, left] = [params.start, params.size || listedDefault];
  let batch: Uint8Array[] = [];
  for await (const { key, url } of matching(crawls, params)) {
    if (toPass-- > 0) continue;
    batch.push(itemCodec.encode(itemOf(crawlID, key, url)));
    if (batch.length === 256) {
      await answers.write(batch);
      batch = [];
    }
    if (--left === 0) break;
  }
  await answers.write(batch);
}

export async function countUrls(crawls: ServedCrawls, params: Filter): Promise<number> {
  const { key } = params;
  const crawl = await crawls.find(crawlIdOf(params.crawlID));
  if (crawl === undefined) return 0;
  let count = 0;
  if ((params.filter ?? '').trim() !== '') {
    for await (const _ of matching(crawls, params)) count += 1;
    return count;
  }
  for (const { core } of key === '' ? ownPartitions(crawl) : [partitionFor(crawl, key)]) {
    if (core === undefined) continue;
    const { state } = core;
    const host = key === '' ? undefined : state.hosts.get(key);
    if (key === '') count += state.counters.admitted;
    else if (host !== undefined) count += state.pull.urlsOf(host.id);
  }
  return count;
}

/** Number of URLs that are removed at once. */
const purgedAtOnce = 1_000;

/** Removes URLs that were first put more than `days` days ago. */
export async function purgeUrls(crawls: ServedCrawls, params: OfQueue & { readonly days: number }): Promise<number> {
  const beforeSec = Date.now() / 1000 - 86_400 * params.days;
  const crawl = await crawls.find(crawlIdOf(params.crawlID));
  let gone = 0;
  for (const { partition, key } of crawl === undefined ? [] : queuesOf(crawl, params.key)) {
    let old: ForgottenUrl[] = [];
    for await (const { from, entry } of urlsOf(partition, key)) {
      if (createdSecOf(entry.payload) >= beforeSec) continue;
      old.push({ from, entry });
      if (old.length < purgedAtOnce) continue;
      gone += await order(partition, { kind: 'forget', key, urls: old });
      old = [];
    }
    if (old.length > 0) gone += await order(partition, { kind: 'forget', key, urls: old });
  }
  return gone;
}

const nothing: ServedCrawl = { id: '', name: '', partitions: [] };

/** `key`: empty for all queues. */
function* queuesOf(crawl: ServedCrawl, key: string): Generator<{ partition: ServedPartition; key: string }> {
  if (key !== '') {
    yield { partition: partitionFor(crawl, key), key };
    return;
  }
  for (const partition of ownPartitions(crawl)) {
    const { state } = partition.core ?? {};
    for (let host = 0; state !== undefined && host < state.hosts.size; host++)
      if (state.pull.urlsOf(host) > 0) yield { partition, key: state.hosts.keys.keyOf(host) };
  }
}

async function* matching(
  crawls: ServedCrawls,
  { key: wanted, crawlID, filter: given, ignoreCase }: Filter,
): AsyncGenerator<{ readonly key: string; readonly url: ListedUrl }> {
  const crawl = await crawls.find(crawlIdOf(crawlID));
  const filter = given ?? '';
  const text = ignoreCase ? filter.toLowerCase() : filter;
  const isBlank = filter.trim() === '';
  for (const { partition, key } of crawl === undefined ? [] : queuesOf(crawl, wanted)) {
    for await (const url of urlsOf(partition, key)) {
      const spelt = ignoreCase ? url.entry.url.toLowerCase() : url.entry.url;
      if (isBlank || spelt.includes(text)) yield { key, url };
    }
  }
}

/** A URL in the form that clients get: known, and when it is available; 0: never again. */
function itemOf(crawlID: string, key: string, { from, entry, dueAtMs }: ListedUrl): object {
  const createdSec = createdSecOf(entry.payload);
  const entries = unpackMetadata(metadataOf(entry.payload));
  const info = { url: entry.url, key, metadata: givenBack(entries), crawlID };
  const date = dateOf(entries) ?? (dueAtMs > 0 ? Math.ceil(dueAtMs / 1000) : createdSec);
  return { known: { info, refetchable_from_date: from.in === 'done' ? 0 : date }, creation_date: createdSec };
}
