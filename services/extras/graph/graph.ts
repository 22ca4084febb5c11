/** The link graph as a consumer of `pages`: its state in `DATA/graph/`. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type Forgotten, type HeldAt, purgedLeft } from '../../application/processor/holding.ts';
import {
  declareProcessor,
  type ProcessorContext,
  type RunningProcessor,
} from '../../application/processor/processor.ts';
import { runConsumer } from '../../application/processor/run-consumer.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { graphLimits } from './graph-limits.ts';
import { openLinkGraph, readPages } from './link-graph.ts';

export const graph = declareProcessor({
  name: 'graph',
  does: 'keep the links between pages (needs --outlinks), for exports and host ranks',
  reads: ['pages', 'control'],
  writes: ['dead-letters'],
  stores: ['links by page'],
  options: z.object({}),
  needs: 'outlinks',
  holds: { follows: ['pages', 'control'], forget },
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
    // There is a single graph: on Kafka, other processes stand by.
    alone: true,
    close: () => store.close(),
  });
}

/** Each page's row has its URL. */
async function forget({ part, isOnBrokers, ...of }: HeldAt): Promise<Forgotten> {
  if (part === undefined || isOnBrokers || !existsSync(part('graph'))) return { places: [] };
  const store = await openStateStore(part('graph'), { readOnly: true });
  try {
    return { places: [await purgedLeft('graph', urlsIn(store), of)] };
  } finally {
    await store.close();
  }
}

async function* urlsIn(store: Parameters<typeof readPages>[0]): AsyncGenerator<string> {
  for await (const { url } of readPages(store)) yield url;
}
