/** Content dedup as a consumer: its state in `DATA/dedup/`. */
import { z } from 'zod';
import { contentLimits } from '../../../topology/content/content-limits.ts';
import { openDedup } from '../../dedup/dedup.ts';
import type { NearMethod } from '../../dedup/likeness.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { oneOf } from '../processor/option.ts';
import {
  declareProcessor,
  type OptionMeta,
  type ProcessorContext,
  type RunningProcessor,
} from '../processor/processor.ts';
import { runConsumer } from '../processor/run-consumer.ts';

export const dedup = declareProcessor({
  name: 'dedup',
  does: 'tells which pages are duplicates, and of which others; tells the frontier where they are many',
  reads: ['pages', 'results', 'control'],
  writes: ['duplicates', 'control', 'dead-letters'],
  stores: ['contents, clusters, verdicts'],
  options: z.object({
    dedupBy: oneOf(['simhash', 'minhash'])
      .optional()
      .meta({
        value: '<method>',
        about:
          'how near-duplicates are found: simhash (at most 3 of 64 bits differ) or minhash (4 in 5 word pairs shared)',
        reason: '64 bits a page and 3 of them apart; minhash finds more edits at 7 times the memory',
      } satisfies OptionMeta),
  }),
  storeMb: 128,
  start,
});

async function start(
  context: ProcessorContext,
  { dedupBy = 'simhash' }: { readonly dedupBy?: NearMethod | undefined },
): Promise<RunningProcessor> {
  const { log, manifest } = context;
  const store = await openStateStore(context.part('dedup'));
  try {
    const dedup = await openDedup({
      ...context,
      ...manifest,
      store,
      purges: await readPurges(log, context.codec, manifest),
      method: dedupBy,
      seed: Number.parseInt(manifest.fingerprintKey.slice(16, 24), 16) | 0,
    });
    return await runConsumer(context, {
      name: 'dedup',
      topics: ['pages', 'results', 'control'],
      batchRecords: contentLimits.batchRecords,
      handle: dedup.handle,
      positions: ownPositions(dedup.positions, groupPositions(log, `${manifest.crawl}.dedup`)),
      // State that is half changed in memory can't be used again: the next start reads it from the store.
      retriesMs: [],
      // Duplicates lie on different hosts, and so on different partitions: one process sees them all.
      alone: true,
      close: () => store.close(),
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}
