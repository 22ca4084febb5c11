/** Links between hosts, and rows of links, as they were when they were kept. */
import { it } from 'node:test';
import { edgeKey, edgeValue, readEdges } from '../../../../topology/extras/graph/edge-row.ts';
import { createHostGraph, inDegrees } from '../../../../topology/extras/graph/host-graph.ts';
import { pageRank } from '../../../../topology/extras/graph/pagerank.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';
import { assertKept } from '../../../kept/assert-kept.ts';
import { bySeed, type Draw } from '../../../kept/drawn.ts';

const kept = (name: string) => new URL(`${name}.json`, import.meta.url);
const url = (draw: Draw) => `https://${draw.of(['a.test', 'b.test', 'c.test', 'd.test:8080'])}/${draw.below(12)}`;

function* linked(draw: Draw): Generator<unknown> {
  const builder = createHostGraph(hostKeyOf);
  for (let page = 0; page < 30; page++) {
    const source = url(draw);
    const targets = [...new Set(draw.list(draw.below(9), () => url(draw)))];
    const key = edgeKey(hostKeyOf(source), source);
    const value = edgeValue(1_700_000_000_000 + draw.below(2 ** 40), targets);
    const edges = readEdges(key, value);
    builder.add(edges);
    yield [key, value, edges];
  }
  const graph = builder.finish();
  yield [graph, inDegrees(graph), pageRank(graph), pageRank(graph, { damping: 0.5 })];
}

/** At the edges of a byte of a number. */
const lengths = [1, 2, 127, 128, 129, 255, 256, 16_383, 16_384];

function* rows(): Generator<unknown> {
  for (const count of [0, 1, 127, 128, 129]) {
    const targets = Array.from({ length: count }, (_, i) => `https://b.test/${i}`);
    const value = edgeValue(count, targets);
    const read = readEdges(edgeKey('a.test', 'https://a.test/'), value);
    yield [value, [...read.targets].sort().join() === targets.sort().join(), read.fetchedAtMs];
  }
  for (const length of lengths) {
    const targets = ['x'.repeat(length), `${'x'.repeat(length)}y`, `${'x'.repeat(length - 1)}z`];
    const value = edgeValue(2 ** 47 + length, targets);
    yield [value, readEdges(edgeKey('h', 'u'), value)];
  }
}

it('links between hosts are counted as recorded', () => assertKept(kept('linked'), bySeed(12, linked)));
it('rows of links of every length are stored as recorded', () => assertKept(kept('rows'), new Map([['all', rows()]])));
