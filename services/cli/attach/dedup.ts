/** Content dedup as a consumer: its state in `DATA/dedup/`. */
import type { Command } from 'commander';
import { contentLimits } from '../../../topology/consumer-limits.ts';
import { openDedup } from '../../dedup/dedup.ts';
import type { NearMethod } from '../../dedup/likeness.ts';
import { groupPositions, ownPositions } from '../../runtime/consumer/positions.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { oneOf } from '../flags/arguments.ts';
import type { AttachContext, Attached } from './attach.ts';
import { attach } from './attach.ts';

export interface DedupFlags {
  /** Absent: simhash. */
  readonly dedupBy?: NearMethod;
}

export function addDedupOptions(command: Command): Command {
  return command.option(
    '--dedup-by <method>',
    'how near-duplicates are found: simhash (at most 3 of 64 bits differ) or minhash (4 in 5 word pairs shared)',
    oneOf('--dedup-by', ['simhash', 'minhash']),
  );
}

export async function attachDedup(context: AttachContext, flags: DedupFlags): Promise<Attached> {
  const { log, manifest } = context;
  const store = await openStateStore(context.part('dedup'));
  try {
    const dedup = await openDedup({
      ...context,
      ...manifest,
      store,
      purges: await readPurges(log, context.codec, manifest),
      method: flags.dedupBy ?? 'simhash',
      seed: Number.parseInt(manifest.fingerprintKey.slice(16, 24), 16) | 0,
    });
    return await attach(context, {
      name: 'dedup',
      topics: ['pages', 'results', 'control'],
      batchRecords: contentLimits.batchRecords,
      handle: dedup.handle,
      positions: ownPositions(dedup.positions, groupPositions(log, `${manifest.crawl}.dedup`)),
      // What is half-way in memory can't be begun again: the next start reads it from the store.
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
