/** `export graph`: edges between hosts, with their links, or between pages; what Gephi, networkx and SQL read. */
import type { PageEdges } from '../../topology/graph/edge-row.ts';
import type { HostGraph } from '../../topology/graph/host-graph.ts';
import type { Row, Table } from './table.ts';

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
