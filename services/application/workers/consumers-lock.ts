/**
 * Locks the folder of a crawl's consumers for the process that runs them, with the lock of a store, which ends with
 * its process.
 *
 * When a crawl's process is killed, the process of its consumers lives on for a moment, until it sees that its
 * channel is closed; a user's own function can delay that. The next process that opens the crawl's log waits for its
 * end; otherwise, both would write the same files.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { workerLimits } from './worker-limits.ts';

/** Name of the consumers' part of the data folder. */
export const consumersPart = 'consumers';

/** `folder`: that part. Throws DATA_FOLDER_LOCKED if a process holds it for longer than the end of a process takes. */
export async function holdConsumersLock(folder: string): Promise<Pick<StateStore, 'close'>> {
  const lookedFromMs = performance.now();
  for (;;) {
    try {
      return await openStateStore(folder, { writeBufferBytes: 1 << 16, cacheBytes: 1 << 16 });
    } catch (error) {
      if (!(error instanceof CrawlstreamError && error.code === 'DATA_FOLDER_LOCKED')) throw error;
      if (performance.now() - lookedFromMs >= workerLimits.predecessorMs) {
        const what = `consumers of a killed crawl still use ${folder}`;
        throw new CrawlstreamError(
          'DATA_FOLDER_LOCKED',
          `${what}: end their process (consumer-worker), then run the command again`,
        );
      }
      await sleep(workerLimits.predecessorLookMs);
    }
  }
}

/** Resolves once no consumers of an earlier crawl run on this folder. */
export async function awaitConsumersGone(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  await (await holdConsumersLock(folder)).close();
}
