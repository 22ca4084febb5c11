/**
 * Retries what an option had refused, once the option allows it. Hosts that were given up for TLS failures: after
 * another authority, or a host without certificate checks. URLs at private addresses: after more of these are allowed.
 * Nothing else brings them back.
 */
import { createHash } from 'node:crypto';
import { isTlsFailure } from '../../../topology/fetch/tls-failure.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { finishedUrls } from '../../runtime/crawl/finished-urls.ts';
import { hostFailures } from '../../runtime/crawl/host-failures.ts';
import { type CrawlTopics, encodeRequest, forcedRequest } from '../../runtime/crawl/requests.ts';
import type { Log } from '../../runtime/log/log.ts';

/** URLs that go into one append. */
const urlsAtOnce = 5_000;

/** Empty: the options name none. */
export function trustOf({ ca = '', insecureHosts = [] }: Pick<FetcherConfig, 'ca' | 'insecureHosts'>): string {
  if (ca === '' && insecureHosts.length === 0) return '';
  return createHash('sha256')
    .update(`${ca}\n${[...insecureHosts].sort().join('\n')}`)
    .digest('hex');
}

/** Private addresses that the crawl may go to, in one text. Empty: none. */
export function reachOf({ allowPrivate }: Pick<FetcherConfig, 'allowPrivate'>): string {
  return typeof allowPrivate === 'boolean' ? (allowPrivate ? 'all' : '') : [...allowPrivate].sort().join();
}

interface FetchedAgain {
  readonly urls: number;
  readonly hosts: number;
}

/** URLs at private addresses are refetched. */
export function fetchAgainWhatWasPrivate(
  log: Log,
  codec: RecordCodec,
  topics: CrawlTopics,
  nowMs: number,
): Promise<FetchedAgain> {
  const refused = finishedUrls(log, topics, { hostKey: '', prefix: '', outcome: 'blockedAddress' });
  return refused.then((urls) => fetchAgain(log, codec, topics, urls, nowMs));
}

/** URLs that are fetched again, and hosts that have them. */
export async function fetchAgainWhatTlsKeptOut(
  log: Log,
  codec: RecordCodec,
  topics: CrawlTopics,
  nowMs: number,
): Promise<FetchedAgain> {
  const failures = [...(await hostFailures(log, codec, topics))].filter(([, failure]) => isTlsFailure(failure));
  if (failures.length === 0) return { urls: 0, hosts: 0 };
  const hosts = new Set(failures.map(([hostKey]) => hostKey));
  const dead = await finishedUrls(log, topics, { hostKey: '', prefix: '', outcome: 'dead' });
  const theirs = dead.filter(({ url }) => hosts.has(hostKeyOf(url)));
  return fetchAgain(log, codec, topics, theirs, nowMs);
}

async function fetchAgain(
  log: Log,
  codec: RecordCodec,
  topics: CrawlTopics,
  urls: Awaited<ReturnType<typeof finishedUrls>>,
  nowMs: number,
): Promise<FetchedAgain> {
  for (let at = 0; at < urls.length; at += urlsAtOnce) {
    const request = forcedRequest(topics, urls.slice(at, at + urlsAtOnce), false, nowMs);
    await log.append(encodeRequest(codec, topics.crawl, request));
  }
  return { urls: urls.length, hosts: new Set(urls.map(({ url }) => hostKeyOf(url))).size };
}
