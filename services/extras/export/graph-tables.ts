/** `export graph`: edges between hosts, with their links, or between pages; what Gephi, networkx and SQL read. */
import type { PageEdges } from '../../../topology/extras/graph/edge-row.ts';
import type { HostGraph } from '../../../topology/extras/graph/host-graph.ts';
import { pageRank } from '../../../topology/extras/graph/pagerank.ts';
import { withoutPort } from '../../../topology/url/host-key.ts';
import type { Row, Table } from '../../runtime/table/table.ts';

export function hostEdges(graph: HostGraph): Table {
  return {
    columns: [
      { name: 'source', type: 'string' },
      { name: 'target', type: 'string' },
      { name: 'weight', type: 'int' },
    ],
    rows: rowsOfHosts(graph),
  };
}

/**
 * The PageRank of hosts as a list for a policy's score (`score.lists`, kind `authority`): from 0 for the least to 1 for
 * the greatest, in equal steps for equal factors, as ranks spread over many orders of magnitude.
 */
export function authorityList(graph: HostGraph): string[] {
  const { ranks } = pageRank(graph);
  const byName = new Map<string, number>();
  for (const [id, host] of graph.hosts.entries()) {
    const name = withoutPort(host);
    byName.set(name, (byName.get(name) ?? 0) + ranks[id]!);
  }
  const sums = [...byName.values()];
  const least = sums.reduce((a, b) => Math.min(a, b), 1);
  const decades = Math.log(sums.reduce((a, b) => Math.max(a, b), 0) / least) || 1;
  return [...byName]
    .sort(([, a], [, b]) => b - a)
    .map(([host, rank]) => `${host} ${(Math.log(rank / least) / decades).toFixed(4)}`);
}

export function pageEdges(pages: AsyncIterable<PageEdges>): Table {
  return {
    columns: [
      { name: 'source', type: 'string' },
      { name: 'target', type: 'string' },
    ],
    rows: rowsOfPages(pages),
  };
}

async function* rowsOfHosts({ hosts, sources, starts, targets, links }: HostGraph): AsyncGenerator<Row> {
  for (const [at, source] of sources.entries()) {
    for (let edge = starts[at]!; edge < starts[at + 1]!; edge++) {
      yield [hosts[source]!, hosts[targets[edge]!]!, links[edge]!];
    }
  }
}

async function* rowsOfPages(pages: AsyncIterable<PageEdges>): AsyncGenerator<Row> {
  for await (const { url, targets } of pages) for (const target of targets) yield [url, target];
}
