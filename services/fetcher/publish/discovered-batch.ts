/**
 * Link groups on their way into `discovered`: groups of one partition share messages of about 256 KiB.
 *
 * A group that alone is larger is split; both halves say the same of their links.
 */
import type { LinkGroup } from '../../../schemas/types.ts';
import { type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

export interface DiscoveredMessage {
  readonly partition: number;
  /** Partition key of the first group. */
  readonly key: string;
  readonly groups: LinkGroup[];
}

/** Approximate size of a link beside its URL, and of a group beside its links, bytes. */
const linkBytes = 4;
const groupBytes = 64;

export function discoveredMessages(
  groups: readonly LinkGroup[],
  partitions: number,
  keyMode: KeyMode,
): DiscoveredMessage[] {
  const open = new Map<number, { readonly message: DiscoveredMessage; bytes: number }>();
  const messages: DiscoveredMessage[] = [];
  for (const group of groups) {
    const key = partitionKeyOf(group.hostKey, keyMode);
    const partition = partitionOf(key, partitions);
    for (const part of partsOf(group)) {
      const bytes = bytesOf(part);
      let batch = open.get(partition);
      if (batch === undefined || batch.bytes + bytes > fetcherLimits.discoveredBytes) {
        batch = { message: { partition, key, groups: [] }, bytes: 0 };
        open.set(partition, batch);
        messages.push(batch.message);
      }
      batch.message.groups.push(part);
      batch.bytes += bytes;
    }
  }
  return messages;
}

export function bytesOf(group: LinkGroup): number {
  let bytes =
    groupBytes + group.hostKey.length + group.sourceUrl.length + group.sourceKey.length + group.payload.length;
  for (const link of group.links) bytes += linkBytes + link.url.length;
  return bytes;
}

function partsOf(group: LinkGroup): LinkGroup[] {
  if (bytesOf(group) <= fetcherLimits.discoveredBytes || group.links.length < 2) return [group];
  const half = group.links.length >> 1;
  return [group.links.slice(0, half), group.links.slice(half)].flatMap((links) => partsOf({ ...group, links }));
}
