/** The link graph as a consumer of `pages`: its state in `DATA/graph/`. */
import { graphLimits } from '../../../topology/consumer-limits.ts';
import { openLinkGraph } from '../../graph/link-graph.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { AttachContext, Attached } from './attach.ts';
import { attach } from './attach.ts';

export async function attachGraph(context: AttachContext): Promise<Attached> {
  const { log, manifest } = context;
  const store = await openStateStore(context.part('graph'));
  const graph = openLinkGraph(store);
  return attach(context, {
    name: 'graph',
    topics: ['pages'],
    batchRecords: graphLimits.batchRecords,
    handle: graph.handle,
    positions: ownPositions(graph.positions, groupPositions(log, `${manifest.crawl}.graph`)),
    // One graph in one place: on Kafka others stand by.
    alone: true,
    close: () => store.close(),
  });
}
