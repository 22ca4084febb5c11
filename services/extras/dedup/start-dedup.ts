/** The dedup processor, declared in dedup.ts. */
import { contentLimits } from '../../../topology/content/content-limits.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { ProcessorContext, RunningProcessor } from '../../application/processor/processor.ts';
import { runConsumer } from '../../application/processor/run-consumer.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { followControl } from '../../runtime/crawl/control-log.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { openDedup } from './dedup.ts';
import type { NearMethod } from './likeness.ts';

export async function startDedup(
  context: ProcessorContext,
  { dedupBy }: { readonly dedupBy?: NearMethod | undefined },
): Promise<RunningProcessor> {
  const { log, manifest, codec } = context;
  const control = followControl(log, codec, manifest.crawl);
  const store = await openStateStore(context.part('dedup'));
  try {
    const dedup = await openDedup({
      ...context,
      ...manifest,
      store,
      purges: await readPurges(log, context.codec, manifest),
      method: dedupBy,
      async demotes() {
        const { policy } = await control();
        return policy !== null && parsePolicy(policy.json).recrawl?.demote !== undefined;
      },
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
