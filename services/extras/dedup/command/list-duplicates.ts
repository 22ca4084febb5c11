/** Lists the clusters of duplicate pages of a crawl, the largest first, from the verdicts on `duplicates`. */
import { tmpdir } from 'node:os';
import { closest, distance } from 'fastest-levenshtein';
import { contentLimits } from '../../../../topology/content/content-limits.ts';
import { type DuplicateKind, duplicateKinds } from '../../../../topology/content/duplicate-kind.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';
import type { ReadableCrawl } from '../../../hosting/connect/open-crawl.ts';
import { stopIfGone } from '../../../hosting/inspect/stop-if-gone.ts';
import { readPurges } from '../../../runtime/crawl/purges.ts';
import { clustersOf, type DuplicateCluster, duplicatesTable } from '../../../runtime/table/duplicates-table.ts';

export interface DuplicateList {
  /** Clusters that match, and their duplicate pages by kind; a representative is not a duplicate. */
  readonly clusters: number;
  readonly duplicates: Readonly<Record<DuplicateKind, number>>;
  /** The largest. */
  readonly listed: readonly Pick<DuplicateCluster, 'representative' | 'counts' | 'pages'>[];
  /** A host with duplicates and a similar name, if none matches; null: there is none. */
  readonly similarHost: string | null;
  /** Records that could not be read. */
  readonly unreadable: number;
  /** False: the dedup has written nothing. */
  readonly isDeduped: boolean;
}

/** `hostKey`: only clusters with a page on this host; empty: all. `signal`: aborted when the caller leaves. */
export async function listDuplicates(
  { log, codec, topics }: Pick<ReadableCrawl, 'log' | 'codec' | 'topics'>,
  { hostKey, limit, signal }: { readonly hostKey: string; readonly limit: number; readonly signal?: AbortSignal },
): Promise<DuplicateList> {
  const { crawl, partitions } = topics;
  let unreadable = 0;
  const onRecord = () => stopIfGone(signal);
  const source = { log, codec, crawl, partitions, purges: await readPurges(log, codec, topics), onRecord };
  const table = duplicatesTable(source, tmpdir(), () => (unreadable += 1));
  const duplicates = Object.fromEntries(duplicateKinds.map((kind) => [kind, 0])) as Record<DuplicateKind, number>;
  const others = new Set<string>();
  let clusters = 0;
  let listed: DuplicateCluster[] = [];
  const options = { hostKey, hostOf: hostKeyOf, pagesMax: contentLimits.clusterPagesShown };
  for await (const cluster of clustersOf(table, tmpdir(), options)) {
    stopIfGone(signal);
    if (!cluster.isWanted) {
      if (others.size < contentLimits.clustersMax) for (const host of cluster.hosts) others.add(host);
      continue;
    }
    clusters += 1;
    for (const kind of duplicateKinds) duplicates[kind] += cluster.counts[kind];
    listed.push(cluster);
    // Sorted now and then, so that a million clusters are not held.
    if (listed.length >= 2 * limit + 100) listed = largest(listed, limit);
  }
  return {
    clusters,
    duplicates,
    listed: largest(listed, limit).map(({ representative, counts, pages }) => ({ representative, counts, pages })),
    similarHost: clusters > 0 ? null : similarTo(hostKey, [...others]),
    unreadable,
    isDeduped: clusters > 0 || others.size > 0 || (await hasVerdicts(source)),
  };
}

export function sizeOf(counts: DuplicateCluster['counts']): number {
  return duplicateKinds.reduce((sum, kind) => sum + counts[kind], 0);
}

function largest(clusters: readonly DuplicateCluster[], limit: number): DuplicateCluster[] {
  return [...clusters].sort((a, b) => sizeOf(b.counts) - sizeOf(a.counts)).slice(0, limit);
}

function similarTo(hostKey: string, hosts: readonly string[]): string | null {
  if (hosts.length === 0 || hostKey === '') return null;
  const near = closest(hostKey, hosts);
  return distance(hostKey, near) <= Math.max(2, Math.floor(hostKey.length / 4)) ? near : null;
}

async function hasVerdicts({
  log,
  crawl,
  partitions,
}: Pick<ReadableCrawl, 'log'> & { readonly crawl: string; readonly partitions: number }): Promise<boolean> {
  for (let partition = 0; partition < partitions; partition++)
    if ((await log.offsets(`${crawl}.duplicates`, partition)).end > 0) return true;
  return false;
}
