/**
 * The link graph of a crawl: each page's links, as of its newest fetch, in a state store with the positions they are of.
 *
 * Rows and positions are written in one batch, so a crash repeats nothing and loses nothing. A page that is read again
 * replaces its row.
 */
import type { Page } from '../../schemas/types.ts';
import { edgeKey, edgeRange, edgeValue, type PageEdges, readEdges } from '../../topology/graph/edge-row.ts';
import { createHostGraph, type HostGraph } from '../../topology/graph/host-graph.ts';
import { hostKeyOf } from '../../topology/url/host-key.ts';
import type { BatchContext } from '../runtime/consumer/consumer.ts';
import { positionRow, storePositions } from '../runtime/consumer/group-folder.ts';
import type { Positions } from '../runtime/consumer/positions.ts';
import type { StateStore, StoreOp } from '../runtime/store/store.ts';

export interface LinkGraph {
  handle(batch: readonly { readonly value: Page }[], context: Pick<BatchContext, 'positions'>): Promise<void>;
  readonly positions: Positions;
}

export function openLinkGraph(store: StateStore): LinkGraph {
  return {
    positions: storePositions(store),
    async handle(batch, { positions }) {
      const rows = new Map<string, StoreOp>();
      // Of two fetches in one batch, the later one counts.
      for (const { value: page } of batch) {
        const { hostKey, url, fetchedAtMs, outlinks } = page;
        rows.set(url, { key: edgeKey(hostKey, url), value: edgeValue(fetchedAtMs, outlinks) });
      }
      await store.write([...rows.values(), ...positions.map(positionRow)]);
    },
  };
}

/** Pages with their links, in the order of their hosts. */
export async function* readPages(store: Pick<StateStore, 'scan'>): AsyncIterable<PageEdges> {
  for await (const [key, value] of store.scan(edgeRange)) yield readEdges(key, value);
}

export async function readHostGraph(store: Pick<StateStore, 'scan'>): Promise<HostGraph> {
  const builder = createHostGraph(hostKeyOf);
  for await (const page of readPages(store)) builder.add(page);
  return builder.finish();
}
