/**
 * Uploads whole WARC files to an object store, each with its index, and then removes them here.
 *
 * A crash repeats an upload: same name, same bytes. While the store is unreachable, the files stay here; the next
 * start, or the next file, tries again.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { ObjectStore } from '../../runtime/objects/objects.ts';
import { archiveLimits } from './archive-limits.ts';

export interface Uploads {
  /** Uploads, in the background, all whole files there are. */
  start(): void;
  /** Resolves when all of them have been tried; rejects with the last failure. */
  settled(): Promise<void>;
}

export function createUploads(
  folder: string,
  objects: Pick<ObjectStore, 'putFile'>,
  clock: Clock,
  files: () => Promise<readonly string[]>,
): Uploads {
  let queue: Promise<void> = Promise.resolve();

  const upload = async () => {
    for (const name of await files()) {
      for (const ending of ['.cdxj', '.warc.gz']) {
        const path = join(folder, `${name}${ending}`);
        await patiently(clock, () => objects.putFile(`${name}${ending}`, path));
      }
      // In this order, so that an index without its file never counts as a file to upload.
      await rm(join(folder, `${name}.warc.gz`));
      await rm(join(folder, `${name}.cdxj`), { force: true });
    }
  };

  return {
    start: () => {
      queue = queue.catch(() => {}).then(upload);
      queue.catch(() => {});
    },
    settled: () => queue,
  };
}

async function patiently(clock: Clock, act: () => Promise<void>): Promise<void> {
  for (const waitMs of archiveLimits.uploadRetriesMs) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CrawlstreamError && error.retriable)) throw error;
    }
    await clock.sleepUntil(clock.nowMs() + waitMs);
  }
  return act();
}
