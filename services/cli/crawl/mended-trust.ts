/**
 * Hosts that were given up on because TLS failed are worth another try once what TLS trusts has changed: by another
 * authority, or a host whose certificate is not checked. Nothing else brings them back for a day.
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

/** URLs that are fetched again, and hosts that have them. */
export async function fetchAgainWhatTlsKeptOut(
  log: Log,
  codec: RecordCodec,
  topics: CrawlTopics,
  nowMs: number,
): Promise<{ readonly urls: number; readonly hosts: number }> {
  const failures = [...(await hostFailures(log, codec, topics))].filter(([, failure]) => isTlsFailure(failure));
  if (failures.length === 0) return { urls: 0, hosts: 0 };
  const hosts = new Set(failures.map(([hostKey]) => hostKey));
  const dead = await finishedUrls(log, topics, { hostKey: '', prefix: '', outcome: 'dead' });
  const theirs = dead.filter(({ url }) => hosts.has(hostKeyOf(url)));
  for (let at = 0; at < theirs.length; at += urlsAtOnce) {
    const request = forcedRequest(topics, theirs.slice(at, at + urlsAtOnce), false, nowMs);
    await log.append(encodeRequest(codec, topics.crawl, request));
  }
  return { urls: theirs.length, hosts: new Set(theirs.map(({ url }) => hostKeyOf(url))).size };
}
