/**
 * URLs that a caller reports as new or changed, on their way to the frontier: refresh at the highest priority. A known
 * page is due at once, a new one goes to the first front queue; policy, politeness and robots.txt apply to both.
 */
import { blankLinkGroup } from '../../../schemas/blank.ts';
import type { Discovered, LinkGroup } from '../../../schemas/types.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { CrawlTopics, RequestRecord } from '../../runtime/crawl/requests.ts';
import { encodeRequest } from '../../runtime/crawl/requests.ts';
import { httpLimits } from '../../runtime/http/http-limits.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { News } from './news.ts';

export interface PushTarget {
  readonly log: Pick<Log, 'append'>;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly topics: CrawlTopics;
}

export interface Pushed {
  readonly accepted: number;
  /** URLs as received. */
  readonly refused: readonly { readonly url: string; readonly why: string }[];
}

const normalize = compileNormalizer();

/** For callers that may control the crawl, and so may report any page. Resolves once accepted URLs are durable. */
export function pushUrls(target: PushTarget, urls: readonly string[]): Promise<Pushed> {
  return pushNews(target, { due: urls, found: [], foundOn: '' });
}

/** Refused URLs of both kinds are returned; due and found URLs become durable together. */
export async function pushNews({ log, codec, clock, topics }: PushTarget, news: News): Promise<Pushed> {
  const due = accept(news.due);
  const found = accept(news.found);
  const sourceKey = news.foundOn === '' ? '' : partitionKeyOf(hostKeyOf(news.foundOn), topics.keyMode);
  const foundGroup = { ...blankLinkGroup, sourceUrl: news.foundOn, sourceKey, depth: 1 };
  const nowMs = clock.nowMs();
  const records = [
    ...recordsOf(topics, due.accepted, pushGroup, nowMs),
    ...recordsOf(topics, found.accepted, foundGroup, nowMs),
  ];
  if (records.length > 0) await log.append(encodeRequest(codec, topics.crawl, records));
  return {
    accepted: due.accepted.length + found.accepted.length,
    refused: [...due.refused, ...found.refused],
  };
}

function accept(urls: readonly string[]): {
  readonly accepted: readonly string[];
  readonly refused: Pushed['refused'];
} {
  const normal = urls.map((url) => ({ url, normal: normalize(url) }));
  const refused = normal.flatMap(({ url, normal: to }) =>
    to === null
      ? [{ url: url.slice(0, 200), why: 'it is not a URL that can be crawled: send an absolute http or https URL' }]
      : [],
  );
  return { accepted: [...new Set(normal.flatMap(({ normal: to }) => (to === null ? [] : [to])))], refused };
}

/** Most URLs of one host in a message, so that it stays far below what brokers take. */
const linksPerMessage = 200;

type Kind = Omit<LinkGroup, 'hostKey' | 'links'>;

function recordsOf(
  { partitions, keyMode }: CrawlTopics,
  urls: readonly string[],
  kind: Kind,
  nowMs: number,
): RequestRecord[] {
  const hosts = new Map<string, string[]>();
  for (const url of urls) hosts.set(hostKeyOf(url), [...(hosts.get(hostKeyOf(url)) ?? []), url]);
  return [...hosts].flatMap(([hostKey, all]) => {
    const key = partitionKeyOf(hostKey, keyMode);
    const partition = partitionOf(key, partitions);
    const slices = Math.ceil(all.length / linksPerMessage);
    return Array.from({ length: slices }, (_, n): RequestRecord => {
      const links = all
        .slice(n * linksPerMessage, (n + 1) * linksPerMessage)
        .map((url) => ({ url, lastModifiedMs: 0, priority: kind.intent === 'refresh' ? 0 : -1, spelling: '' }));
      const group: LinkGroup = { ...kind, hostKey, discoveredAtMs: nowMs, links };
      const record: Discovered = { groups: [group] };
      return { topic: 'discovered', partition, key, record };
    });
  });
}

const pushGroup: Kind = { ...blankLinkGroup, intent: 'refresh' };

/** URLs of one submission: IndexNow's limit, and far below the limit of a body. */
export const pushedMax = Math.min(10_000, Math.floor(httpLimits.bodyBytesMax / 30));
