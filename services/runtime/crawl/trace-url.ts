/** Reads the story of a URL from a crawl's log: its partition's changelog, then the messages that brought it. */

import type { LinkGroup } from '../../../schemas/types.ts';
import type { Decided } from '../../../topology/frontier/ask/url-events.ts';
import { UrlTimeline } from '../../../topology/frontier/ask/url-timeline.ts';
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { sourceOf } from '../../../topology/frontier/decide/links/score-inputs.ts';
import type { LinkSource } from '../../../topology/policy/score/inputs.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import { tagsOf } from '../../../topology/url/tags.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import type { CrawlTopics } from './requests.ts';

export interface UrlTrace {
  readonly timeline: UrlTimeline;
  readonly partition: number;
  /** The part of the changelog that was read. It begins above 0 after a trim: earlier records are unknown. */
  readonly changelog: { readonly start: number; readonly end: number };
  /** Links that brought it, one per admission at most. */
  readonly found: readonly Found[];
}

export interface Found {
  /** The commit that admitted it. */
  readonly admittedBy: Decided;
  /** Offset of the message in `discovered`. */
  readonly offset: number;
  /** Empty: a seed, or an operator. */
  readonly sourceUrl: string;
  /** The URL as it was published. */
  readonly url: string;
  readonly foundAtMs: number;
  /** Place or kind of the page with the link. */
  readonly source: LinkSource;
  /** Tags that the URL inherits from its seed. */
  readonly tags: readonly string[];
}

/** `url` is normal; `normalize` is the policy's. */
export async function traceUrl(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partitions, keyMode }: CrawlTopics,
  url: string,
  normalize: (url: string) => string | null,
): Promise<UrlTrace> {
  const hostKey = hostKeyOf(url);
  const partition = partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  const topic = `${crawl}.frontier-changelog`;
  const { start, end } = await log.offsets(topic, partition);
  const timeline = new UrlTimeline(hostKey, url, () => {}, normalize);
  if (end > start) {
    const name = Buffer.from(hostKey);
    for await (const { offset, value } of recordsOf(log, topic, partition, start, end)) {
      const record = readChangelog(value);
      if (record.kind === 'foreign') continue;
      const isPassed = record.kind === 'commit' && !timeline.concerns(value.includes(name));
      timeline.take(offset, isPassed ? { ...record, changes: [] } : record);
    }
  }
  const found: Found[] = [];
  for (const admitted of timeline.admitted) {
    const { discovered } = admitted;
    if (discovered === null) continue;
    const till = discovered.to.offset + (discovered.to.slice > 0 ? 1 : 0);
    const link = await findLink(log, codec, crawl, partition, discovered.from.offset, till, url, normalize);
    if (link !== undefined) found.push({ ...link, admittedBy: admitted });
  }
  return { timeline, partition, changelog: { start, end }, found };
}

async function findLink(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  crawl: string,
  partition: number,
  from: number,
  till: number,
  url: string,
  normalize: (url: string) => string | null,
): Promise<Omit<Found, 'admittedBy'> | undefined> {
  const topic = `${crawl}.discovered`;
  const { start, end } = await log.offsets(topic, partition);
  const [first, last] = [Math.max(from, start), Math.min(till, end)];
  if (first >= last) return undefined;
  const key = seenKey(url);
  for await (const { offset, value } of recordsOf(log, topic, partition, first, last)) {
    await codec.prepare('discovered', value);
    for (const group of groupsOf(codec, value)) {
      const { sourceUrl, discoveredAtMs, tags } = group;
      for (const link of group.links) {
        const normal = link.url === url ? url : normalize(link.url);
        if (normal === null || (normal !== url && seenKey(normal) !== key)) continue;
        const source = sourceOf(group, link.lastModifiedMs);
        return { offset, sourceUrl, url: link.url, foundAtMs: discoveredAtMs, source, tags: tagsOf(tags) };
      }
    }
  }
  return undefined;
}

/** Records that cannot be read yield no groups: the frontier dead-letters them. */
function groupsOf(codec: RecordCodec, value: Buffer): readonly LinkGroup[] {
  try {
    return codec.decode('discovered', value).groups;
  } catch {
    return [];
  }
}
