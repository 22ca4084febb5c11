/** URLs that clients found, as records of `discovered`. They are durable when this resolves. */

import { blankLinkGroup } from '../../../schemas/blank.ts';
import type { Link, LinkGroup } from '../../../schemas/types.ts';
import { hostKeyOf, type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { LentCrawl } from '../../application/extension/lease-clients.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import type { RefusedUrl } from './api-schemas.ts';
import { lendingLimits } from './lending-limits.ts';
import type { ReadUrls } from './read-items.ts';

export type AddTarget = LentCrawl;

/** The page that has the links. */
export interface FoundOn {
  readonly url: string;
  readonly depth: number;
}

export interface Gathered {
  readonly groups: readonly LinkGroup[];
  readonly accepted: number;
  readonly refused: readonly RefusedUrl[];
}

type OpenGroup = LinkGroup & { readonly links: Link[] };

const normalize = compileNormalizer();

export function gatherUrls({ urls, refused: unread }: ReadUrls, foundOn: FoundOn | null, nowMs: number): Gathered {
  const groups = new Map<string, OpenGroup>();
  const refused: RefusedUrl[] = [];
  for (const { index, added } of urls) {
    const url = normalize(added.url);
    if (url === null) {
      const why = 'it is not a URL that can be crawled: send an absolute http or https URL';
      refused.push({ index, url: added.url.slice(0, 200), why });
      continue;
    }
    const hostKey = hostKeyOf(url);
    const { payload, front, hop } = added;
    const depth = added.depth ?? (foundOn === null ? 0 : foundOn.depth + 1);
    const sourceUrl = added.source ?? foundOn?.url ?? '';
    const intent = added.force ? 'force' : 'discover';
    // The payload belongs to the group.
    const name = payload === '' ? JSON.stringify([hostKey, depth, hop, front, intent, sourceUrl]) : `${index}`;
    let group = groups.get(name);
    if (group === undefined) {
      const at = { hostKey, depth, hop, front, intent, sourceUrl, discoveredAtMs: nowMs } as const;
      group = { ...blankLinkGroup, ...at, payload, links: [] };
      groups.set(name, group);
    }
    group.links.push({ url, lastModifiedMs: 0, priority: added.priority ?? -1, spelling: '' });
  }
  return { groups: [...groups.values()], accepted: urls.length - refused.length, refused: [...unread, ...refused] };
}

export async function publishGroups({ log, codec, topics }: AddTarget, groups: readonly LinkGroup[]): Promise<void> {
  const { crawl, partitions, keyMode } = topics;
  const open = new Map<number, { readonly groups: LinkGroup[]; bytes: number }>();
  const records: AppendRecord[] = [];
  const close = (partition: number) => {
    const batch = open.get(partition);
    if (batch === undefined) return;
    open.delete(partition);
    const key = partitionKeyOf(batch.groups[0]!.hostKey, keyMode);
    const value = codec.encode('discovered', { groups: batch.groups });
    records.push({ topic: `${crawl}.discovered`, partition, key: Buffer.from(key), value });
  };
  for (const group of groups) {
    const sourceKey = sourceKeyOf(group.sourceUrl, keyMode);
    const partition = partitionOf(partitionKeyOf(group.hostKey, keyMode), partitions);
    for (const part of partsOf({ ...group, sourceKey })) {
      const bytes = bytesOf(part);
      if ((open.get(partition)?.bytes ?? 0) + bytes > lendingLimits.messageBytesSoft) close(partition);
      const batch = open.get(partition) ?? { groups: [], bytes: 0 };
      open.set(partition, batch);
      batch.groups.push(part);
      batch.bytes += bytes;
    }
  }
  for (const partition of [...open.keys()]) close(partition);
  if (records.length > 0) await log.append(records);
}

/** Partition key of the page that a client names. An invalid URL gives an empty key, which counts as the same host. */
function sourceKeyOf(sourceUrl: string, keyMode: KeyMode): string {
  const url = sourceUrl === '' ? null : normalize(sourceUrl);
  return url === null ? '' : partitionKeyOf(hostKeyOf(url), keyMode);
}

function bytesOf({ sourceUrl, payload, links }: LinkGroup): number {
  return links.reduce((sum, { url }) => sum + url.length + 8, 128 + sourceUrl.length + 3 * payload.length);
}

function partsOf(group: LinkGroup): LinkGroup[] {
  if (bytesOf(group) <= lendingLimits.messageBytesSoft || group.links.length < 2) return [group];
  const half = group.links.length >> 1;
  return [group.links.slice(0, half), group.links.slice(half)].flatMap((links) => partsOf({ ...group, links }));
}
