/**
 * The folder of a crawl's consumers is held by the process that runs them: a store's lock, which ends with its process.
 *
 * A crawl's process that is killed leaves that one for a moment, until it has seen that its channel is closed, or for as long
 * as a function of the user's own keeps it from seeing anything. Whoever opens the crawl's log next waits for its end, or
 * both would write the same files.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { workerLimits } from './worker-limits.ts';

/** Its part of the data folder. */
export const consumersPart = 'consumers';

/** `folder`: that part. Throws DATA_FOLDER_LOCKED where a process holds it for longer than one takes to end. */
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
