/** What a user asks of a crawl, as records: a policy for every partition, seeds for the partitions they belong to. */
import type { Control, Discovered, LinkGroup } from '../../../schemas/types.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { AppendRecord } from '../log/log.ts';
import { controlEvent } from './control-log.ts';

export interface CrawlTopics {
  readonly crawl: string;
  readonly partitions: number;
  readonly keyMode: KeyMode;
}

export function policyRecords(
  codec: RecordCodec,
  topics: CrawlTopics,
  policy: PolicyConfig,
  by: string,
  nowMs: number,
): AppendRecord[] {
  const payload = JSON.stringify(policy);
  return crawlWide(codec, topics, controlEvent({ kind: 'policy', atMs: nowMs, by, version: policy.version, payload }));
}

/** A crawl-wide event goes to every partition. */
function crawlWide(codec: RecordCodec, { crawl, partitions }: CrawlTopics, event: Control): AppendRecord[] {
  const value = codec.encode('control', event);
  return Array.from({ length: partitions }, (_, partition) => ({
    topic: `${crawl}.control`,
    partition,
    key: null,
    value,
  }));
}

/** `urls` are normalised. */
export function seedRecords(
  codec: RecordCodec,
  topics: CrawlTopics,
  urls: readonly string[],
  nowMs: number,
): AppendRecord[] {
  const { crawl, partitions, keyMode } = topics;
  return urls.map((url) => {
    const hostKey = hostKeyOf(url);
    const key = partitionKeyOf(hostKey, keyMode);
    const message: Discovered = { groups: [seedGroup(url, hostKey, nowMs)] };
    const value = codec.encode('discovered', message);
    return { topic: `${crawl}.discovered`, partition: partitionOf(key, partitions), key: Buffer.from(key), value };
  });
}

function seedGroup(url: string, hostKey: string, nowMs: number): LinkGroup {
  return {
    hostKey,
    sourceUrl: '',
    sourceKey: '',
    depth: 0,
    hop: 0,
    front: false,
    intent: 'discover',
    discoveredAtMs: nowMs,
    links: [{ url, lastModifiedMs: 0, priority: -1 }],
  };
}

/** Do two policies decide alike, whatever their versions? */
export function samePolicy(a: PolicyConfig, b: PolicyConfig): boolean {
  return JSON.stringify({ ...a, version: 0 }) === JSON.stringify({ ...b, version: 0 });
}
