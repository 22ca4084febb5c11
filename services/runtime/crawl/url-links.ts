/** Links to one URL, from `discovered`, as far back as it goes, including links that were never admitted. */
import type { Discovered } from '../../../schemas/types.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import { readRecord } from '../avro/read-record.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import type { CrawlTopics } from './requests.ts';

type Group = Discovered['groups'][number];

export interface FoundLink
  extends Pick<Group, 'sourceUrl' | 'depth' | 'hop' | 'intent'>,
    Pick<Group['links'][number], 'lastModifiedMs'> {
  /** The link's URL as it was published. */
  readonly url: string;
  readonly foundAtMs: number;
}

/** Links to a URL, at most `most`, oldest first. `url` is normal; `normalize` is the policy's. */
export async function linksTo(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partitions, keyMode }: CrawlTopics,
  url: string,
  normalize: (url: string) => string | null,
  most: number,
): Promise<FoundLink[]> {
  const partitionKey = partitionKeyOf(hostKeyOf(url), keyMode);
  const partition = partitionOf(partitionKey, partitions);
  const topic = `${crawl}.discovered`;
  const { start, end } = await log.offsets(topic, partition);
  const name = Buffer.from(partitionKey);
  const key = seenKey(url);
  const found: FoundLink[] = [];
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    // A record that does not name the host is not decoded: most do not.
    if (!value.includes(name)) continue;
    const message = await readRecord(codec, 'discovered', value);
    for (const { links, sourceUrl, depth, hop, intent, discoveredAtMs } of message?.groups ?? []) {
      for (const link of links) {
        const normal = link.url === url ? url : normalize(link.url);
        if (normal === null || (normal !== url && seenKey(normal) !== key)) continue;
        const { lastModifiedMs } = link;
        found.push({ url: link.url, sourceUrl, depth, hop, intent, lastModifiedMs, foundAtMs: discoveredAtMs });
        if (found.length === most) return found;
      }
    }
  }
  return found;
}
