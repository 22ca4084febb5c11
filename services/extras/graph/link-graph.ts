/**
 * The link graph of a crawl: each page's links, as of its newest fetch, in a state store with the positions read.
 *
 * Rows and positions are written in one batch, so a crash repeats nothing and loses nothing. A newer record of a page
 * replaces its row.
 */
import {
  edgeKey,
  edgeRange,
  edgesOfHost,
  edgeValue,
  type PageEdges,
  readEdges,
} from '../../../topology/extras/graph/edge-row.ts';
import { createHostGraph, type HostGraph } from '../../../topology/extras/graph/host-graph.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { BatchContext } from '../../runtime/consumer/consumer.ts';
import { positionRow, storePositions } from '../../runtime/consumer/group-folder.ts';
import type { Positions } from '../../runtime/consumer/positions.ts';
import type { Received } from '../../runtime/consumer/received.ts';
import { type Purged, Purges } from '../../runtime/crawl/purges.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';

export interface LinkGraph {
  handle(
    batch: readonly Received<'pages' | 'control'>[],
    context: Pick<BatchContext, 'positions' | 'forgotten'>,
  ): Promise<void>;
  readonly positions: Positions;
}

/** `purges`: those so far; those in a batch are added to it. */
export function openLinkGraph(store: StateStore, purges: Purges = new Purges()): LinkGraph {
  return {
    positions: storePositions(store),
    async handle(batch, { positions, forgotten }) {
      const rows = new Map<string, StoreOp>();
      const gone: StoreOp[] = [];
      // Of two fetches in one batch, the later one counts.
      for (const one of batch) {
        if (one.topic !== 'control') continue;
        const purged = purges.take(one.value);
        if (purged !== null) for await (const key of edgesOf(store, purged)) gone.push({ key, value: null });
      }
      for (const { hostKey, url } of forgotten) gone.push({ key: edgeKey(hostKey, url), value: null });
      for (const one of batch) {
        if (one.topic !== 'pages') continue;
        const { hostKey, url, fetchedAtMs, outlinks } = one.value;
        if (!purges.refuses(url, fetchedAtMs))
          rows.set(url, { key: edgeKey(hostKey, url), value: edgeValue(fetchedAtMs, outlinks) });
      }
      await store.write([...gone, ...rows.values(), ...positions.map(positionRow)]);
    },
  };
}

/** Keys of the rows of a purged host, or URL. */
async function* edgesOf(store: Pick<StateStore, 'scan'>, { hostKey, url }: Purged): AsyncIterable<Uint8Array> {
  if (url !== null) yield edgeKey(hostKey, url);
  else for await (const [key] of store.scan(edgesOfHost(hostKey))) yield key;
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
