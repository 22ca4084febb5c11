/** The link graph as a consumer of `pages`: its state in `DATA/graph/`. */
import { z } from 'zod';
import { graphLimits } from './graph-limits.ts';
import { openLinkGraph } from './link-graph.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { declareProcessor, type ProcessorContext, type RunningProcessor } from '../../application/processor/processor.ts';
import { runConsumer } from '../../application/processor/run-consumer.ts';

export const graph = declareProcessor({
  name: 'graph',
  does: 'keeps the links between pages (needs --outlinks), for exports and host ranks',
  reads: ['pages', 'control'],
  writes: ['dead-letters'],
  stores: ['links by page'],
  options: z.object({}),
  needs: 'outlinks',
  storeMb: 128,
  start,
});

async function start(context: ProcessorContext): Promise<RunningProcessor> {
  const { log, manifest } = context;
  const store = await openStateStore(context.part('graph'));
  const graph = openLinkGraph(store, await readPurges(log, context.codec, manifest));
  return runConsumer(context, {
    name: 'graph',
    topics: ['pages', 'control'],
    batchRecords: graphLimits.batchRecords,
    handle: graph.handle,
    positions: ownPositions(graph.positions, groupPositions(log, `${manifest.crawl}.graph`)),
    // One graph in one place: on Kafka others stand by.
    alone: true,
    close: () => store.close(),
  });
}
