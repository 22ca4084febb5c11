/** `export duplicates`: the newest verdict on each duplicate page, in the order of URLs; and the clusters that they form. */
import { type DuplicateKind, duplicateKindOf, duplicateKinds } from '../../../topology/content/duplicate-kind.ts';
import { newestRows } from './newest-rows.ts';
import type { Column, Row, Table } from './table.ts';
import { type Source, topicRecords } from './topic-records.ts';

const columns: readonly Column[] = [
  { name: 'url', type: 'string' },
  { name: 'host', type: 'string' },
  { name: 'duplicateOf', type: 'string' },
  { name: 'kind', type: 'string' },
  { name: 'method', type: 'string' },
  { name: 'language', type: 'string' },
  { name: 'at', type: 'timestamp' },
];
const [urlAt, hostAt, ofAt, kindAt] = [0, 1, 2, 3] as const;

/** `folder`: with room for the rows; `folder` and `unreadable` as for `newestRows` and `topicRecords`. */
export function duplicatesTable(source: Source, folder: string, unreadable: () => void): Table {
  return { columns, rows: newestRows(rowsOf(source, unreadable), folder) };
}

async function* rowsOf(source: Source, unreadable: () => void): AsyncGenerator<readonly [string, Row | null]> {
  for await (const verdict of topicRecords(source, 'duplicates', unreadable)) {
    const { url, hostKey, representative, method, language, fetchedAtMs, atMs } = verdict;
    const kind = source.purges.refuses(url, fetchedAtMs) ? null : duplicateKindOf(verdict);
    const row = kind && [url, hostKey, representative, kind, method, language || null, atMs];
    yield [url, row];
  }
}

export interface DuplicateCluster {
  readonly representative: string;
  /** The first of its duplicates, in the order of URLs. */
  readonly pages: readonly { readonly url: string; readonly kind: DuplicateKind }[];
  /** All of its duplicates. */
  readonly counts: Readonly<Record<DuplicateKind, number>>;
  /** Hosts of its representative and of `pages`. */
  readonly hosts: ReadonlySet<string>;
  /** True if one of its pages is on the wanted host. */
  readonly isWanted: boolean;
}

interface ClusterOptions {
  /** A host key; empty: every cluster is wanted. */
  readonly hostKey: string;
  readonly hostOf: (url: string) => string;
  readonly pagesMax: number;
}

/** The clusters of a table of duplicates, in the order of their representatives. Rows are sorted again on disk. */
export async function* clustersOf(
  { rows }: Table,
  folder: string,
  { hostKey, hostOf, pagesMax }: ClusterOptions,
): AsyncGenerator<DuplicateCluster> {
  let cluster: Gathered | undefined;
  for await (const row of newestRows(byRepresentative(rows), folder)) {
    const [url, host, representative, kind] = [row[urlAt], row[hostAt], row[ofAt], row[kindAt]] as string[];
    if (cluster === undefined || cluster.representative !== representative) {
      if (cluster !== undefined) yield cluster;
      cluster = emptyCluster(representative!, hostOf(representative!), hostKey);
    }
    cluster.counts[kind as DuplicateKind] += 1;
    cluster.isWanted ||= host === hostKey;
    if (cluster.pages.length >= pagesMax) continue;
    cluster.pages.push({ url: url!, kind: kind as DuplicateKind });
    cluster.hosts.add(host!);
  }
  if (cluster !== undefined) yield cluster;
}

async function* byRepresentative(rows: AsyncIterable<Row>): AsyncGenerator<readonly [string, Row]> {
  for await (const row of rows) yield [`${row[ofAt]}\0${row[urlAt]}`, row];
}

type Gathered = ReturnType<typeof emptyCluster>;

function emptyCluster(representative: string, host: string, hostKey: string) {
  return {
    representative,
    pages: [] as { url: string; kind: DuplicateKind }[],
    counts: Object.fromEntries(duplicateKinds.map((kind) => [kind, 0])) as Record<DuplicateKind, number>,
    hosts: new Set([host]),
    isWanted: hostKey === '' || host === hostKey,
  };
}
