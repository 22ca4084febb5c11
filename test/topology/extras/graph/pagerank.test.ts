import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DirectedGraph } from 'graphology';
import centrality from 'graphology-metrics/centrality/index.js';
import { createHostGraph, type HostGraph, inDegrees } from '../../../../topology/extras/graph/host-graph.ts';
import { pageRank } from '../../../../topology/extras/graph/pagerank.ts';

const hostOf = (url: string) => url.split('/')[2]!;

/** Pages as `host → hosts it links to`, one page per list. */
function graphOf(links: Readonly<Record<string, readonly (readonly string[])[]>>): HostGraph {
  const builder = createHostGraph(hostOf);
  for (const [host, pages] of Object.entries(links)) {
    for (const [at, targets] of pages.entries()) {
      builder.add({
        host,
        url: `http://${host}/${at}`,
        fetchedAtMs: 0,
        targets: targets.map((target, i) => `http://${target}/${at}/${i}`),
      });
    }
  }
  return builder.finish();
}

function referenceOf(graph: HostGraph): number[] {
  const theirs = new DirectedGraph();
  for (const host of graph.hosts) theirs.addNode(host);
  for (const [at, source] of graph.sources.entries()) {
    for (let edge = graph.starts[at]!; edge < graph.starts[at + 1]!; edge++) {
      theirs.addDirectedEdge(graph.hosts[source]!, graph.hosts[graph.targets[edge]!]!);
    }
  }
  const ranks = centrality.pagerank(theirs, { alpha: 0.85, tolerance: 1e-10, maxIterations: 500, getEdgeWeight: null });
  return graph.hosts.map((host) => ranks[host]!);
}

test('hosts are ranked by distinct linking hosts, however many links there are; internal links do not count', () => {
  const graph = graphOf({
    'a.test': [
      ['b.test', 'b.test'],
      ['b.test', 'a.test'],
    ],
    'c.test': [['b.test', 'd.test']],
  });
  const degrees = inDegrees(graph);
  assert.deepEqual(Object.fromEntries(graph.hosts.map((host, id) => [host, degrees[id]])), {
    'a.test': 0,
    'b.test': 2,
    'c.test': 0,
    'd.test': 1,
  });
  assert.deepEqual([...graph.links], [3, 1, 1]);
  assert.deepEqual([...graph.pages], [2, 0, 1, 0]);
});

test('PageRank agrees with a reference implementation, hosts without links and circles included', () => {
  let state = 7;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (const size of [2, 10, 300]) {
    const links: Record<string, string[][]> = {};
    for (let from = 0; from < size; from++) {
      // A third links nowhere; popular hosts have small numbers.
      const count = draw(3) === 0 ? 0 : draw(12);
      links[`h${from}.test`] = [Array.from({ length: count }, () => `h${draw(1 + draw(size))}.test`)];
    }
    const graph = graphOf(links);
    const { ranks, converged } = pageRank(graph, { tolerance: 1e-12 });
    assert.ok(converged);
    const theirs = referenceOf(graph);
    for (const [id, rank] of ranks.entries()) assert.ok(Math.abs(rank - theirs[id]!) < 1e-8, graph.hosts[id]);
    assert.ok(Math.abs(ranks.reduce((sum, rank) => sum + rank, 0) - 1) < 1e-9);
  }
});

test('the rank of a small known graph is right', () => {
  // a → b, a → c, b → c, c → a: Brin & Page's kind of example, solved by hand.
  const graph = graphOf({ a: [['b', 'c']], b: [['c']], c: [['a']] });
  const { ranks } = pageRank(graph);
  const by = Object.fromEntries(graph.hosts.map((host, id) => [host, Math.round(ranks[id]! * 1e4) / 1e4]));
  assert.deepEqual(by, { a: 0.3878, b: 0.2148, c: 0.3974 });
});

test('an empty graph has no ranks', () => {
  assert.deepEqual([...pageRank(graphOf({})).ranks], []);
});
