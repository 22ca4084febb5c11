/**
 * A user's requests to a crawl, as records: policies for every partition, seeds and operators' events for the
 * partitions they belong to. They are plain values first, so that a command can leave them for the process that holds
 * a data folder.
 */

import { isDeepStrictEqual } from 'node:util';
import { blankLinkGroup } from '../../../schemas/blank.ts';
import type { Control, DeadLetter, Discovered, Link, LinkGroup } from '../../../schemas/types.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { compileSitemaps } from '../../../topology/policy/sitemaps.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { ListedSeed } from '../../../topology/url/seed-list.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { AppendRecord } from '../log/log.ts';
import { controlEvent } from './control-log.ts';

export interface CrawlTopics {
  readonly crawl: string;
  readonly partitions: number;
  readonly keyMode: KeyMode;
}

/** One record of a request, not encoded yet. */
export type RequestRecord = { readonly partition: number; readonly key: string | null } & (
  | { readonly topic: 'control'; readonly record: Control }
  | { readonly topic: 'discovered'; readonly record: Discovered }
  /** A report that a dead letter was replayed. */
  | { readonly topic: 'dead-letters'; readonly record: Omit<DeadLetter, 'original'> }
  /** A copy of an earlier record, for the topic `into`: its bytes in base64. */
  | { readonly topic: 'raw'; readonly into: string; readonly record: string }
);

export function encodeRequest(codec: RecordCodec, crawl: string, request: readonly RequestRecord[]): AppendRecord[] {
  return request.map((one) => ({
    topic: `${crawl}.${one.topic === 'raw' ? one.into : one.topic}`,
    partition: one.partition,
    key: one.key === null ? null : Buffer.from(one.key),
    value: encoded(codec, one),
  }));
}

function encoded(codec: RecordCodec, one: RequestRecord): Buffer {
  if (one.topic === 'raw') return Buffer.from(one.record, 'base64');
  if (one.topic === 'control') return codec.encode('control', one.record);
  if (one.topic === 'discovered') return codec.encode('discovered', one.record);
  return codec.encode('dead-letters', { ...one.record, original: Buffer.alloc(0) });
}

export function policyRequest(topics: CrawlTopics, policy: PolicyConfig, by: string, nowMs: number): RequestRecord[] {
  const payload = JSON.stringify(policy);
  const { normalize, sitemaps } = policy;
  const origins = sitemaps === undefined ? [] : compileSitemaps(sitemaps, compileNormalizer(normalize)).origins;
  return [
    ...crawlWide(topics, controlEvent({ kind: 'policy', atMs: nowMs, by, version: policy.version, payload })),
    // Nothing else may have made their hosts known to the crawl.
    ...origins.flatMap((origin) => {
      const amount = origin.startsWith('https:') ? 1 : 0;
      const hostKey = hostKeyOf(`${origin}/`);
      return aboutHost(topics, controlEvent({ kind: 'readSitemaps', atMs: nowMs, by, hostKey, amount }));
    }),
  ];
}

/** A crawl-wide event goes to every partition. */
export function crawlWide({ partitions }: CrawlTopics, record: Control): RequestRecord[] {
  return Array.from({ length: partitions }, (_, partition) => ({ topic: 'control', partition, key: null, record }));
}

/** Addresses an event about a host to the partition of the host. */
export function aboutHost({ partitions, keyMode }: CrawlTopics, record: Control): RequestRecord[] {
  const partition = partitionOf(partitionKeyOf(record.hostKey, keyMode), partitions);
  return [{ topic: 'control', partition, key: null, record }];
}

/** URLs are normalised. Those of a partition share messages, in their order. */
export function seedRequest(
  { partitions, keyMode }: CrawlTopics,
  seeds: readonly ListedSeed[],
  nowMs: number,
): RequestRecord[] {
  const records: RequestRecord[] = [];
  const open = new Map<number, { links: number; readonly groups: SeedGroup[] }>();
  for (const { url, priority, depth = 0, tags = [], spelling = '' } of seeds) {
    const hostKey = hostKeyOf(url);
    const key = partitionKeyOf(hostKey, keyMode);
    const partition = partitionOf(key, partitions);
    let message = open.get(partition);
    if (message === undefined || message.links === linksPerMessage) {
      message = { links: 0, groups: [] };
      open.set(partition, message);
      records.push({ topic: 'discovered', partition, key, record: { groups: message.groups } });
    }
    const last = message.groups.at(-1);
    const link = { url, lastModifiedMs: 0, priority, spelling };
    if (last?.hostKey === hostKey && last.depth === depth && last.tags.join() === tags.join()) last.links.push(link);
    else message.groups.push({ ...blankLinkGroup, hostKey, depth, tags, discoveredAtMs: nowMs, links: [link] });
    message.links += 1;
  }
  return records;
}

type SeedGroup = Omit<LinkGroup, 'links'> & { readonly links: Link[] };

export interface ForcedUrl {
  /** Normal. */
  readonly url: string;
  readonly depth: number;
  readonly tags: readonly string[];
  /** The spelling of a link. Absent: that of the URL. */
  readonly spelling?: string;
}

/**
 * URLs that an operator wants fetched, known or not: traps and budgets do not apply. `first`: to the front of their
 * host's queue.
 */
export function forcedRequest(
  { partitions, keyMode }: CrawlTopics,
  urls: readonly ForcedUrl[],
  first: boolean,
  nowMs: number,
): RequestRecord[] {
  const byHostAndDepth = new Map<string, ForcedUrl[]>();
  for (const forced of urls) {
    const name = `${forced.depth} ${hostKeyOf(forced.url)} ${forced.tags.join()}`;
    const others = byHostAndDepth.get(name);
    if (others === undefined) byHostAndDepth.set(name, [forced]);
    else others.push(forced);
  }
  return [...byHostAndDepth.values()].flatMap((same) => {
    const { url, depth, tags } = same[0]!;
    const hostKey = hostKeyOf(url);
    const key = partitionKeyOf(hostKey, keyMode);
    const group: LinkGroup = {
      ...blankLinkGroup,
      hostKey,
      depth,
      tags,
      front: first,
      intent: 'force',
      discoveredAtMs: nowMs,
    };
    return sliced(same).map((some) => {
      const links = some.map(({ url, spelling = '' }) => ({ url, lastModifiedMs: 0, priority: -1, spelling }));
      const record: Discovered = { groups: [{ ...group, links }] };
      return { topic: 'discovered' as const, partition: partitionOf(key, partitions), key, record };
    });
  });
}

/** Links per message, so that it stays far below the limits of brokers. */
const linksPerMessage = 200;

function sliced<T>(list: readonly T[]): T[][] {
  const slices: T[][] = [];
  for (let at = 0; at < list.length; at += linksPerMessage) slices.push(list.slice(at, at + linksPerMessage));
  return slices;
}

export function policyRecords(
  codec: RecordCodec,
  topics: CrawlTopics,
  policy: PolicyConfig,
  by: string,
  nowMs: number,
): AppendRecord[] {
  return encodeRequest(codec, topics.crawl, policyRequest(topics, policy, by, nowMs));
}

/** URLs are normalised; the priority of one that comes alone is the policy's. */
export function seedRecords(
  codec: RecordCodec,
  topics: CrawlTopics,
  urls: readonly (string | ListedSeed)[],
  nowMs: number,
): AppendRecord[] {
  const seeds = urls.map((one) => (typeof one === 'string' ? { url: one, priority: -1 } : one));
  return encodeRequest(codec, topics.crawl, seedRequest(topics, seeds, nowMs));
}

/** Returns whether two policies decide alike, whatever their versions and the order of their fields. */
export function samePolicy(a: PolicyConfig, b: PolicyConfig): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

/** The policy as it is stored: fields that are undefined are absent. */
function plain(policy: PolicyConfig): unknown {
  return JSON.parse(JSON.stringify({ ...policy, version: 0 }));
}
