/**
 * The size of a store on disk, and of the disk: the bytes of the files in and below its folder, counted at each scrape.
 */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { MetricSource } from './metrics.ts';

/** Metrics of the folders of several stores, by store. */
export function diskMetrics(folders: ReadonlyMap<string, string>): MetricSource[] {
  return [...folders].map(([store, folder]) => storeMetrics(store, folder));
}

/** `store`: `state`, `log`, or the name of a consumer. */
export function storeMetrics(store: string, folder: string): MetricSource {
  return async (sink) => {
    sink.value('crawlstream_store_bytes', await folderBytes(folder), { store });
    const disk = await statfs(folder).catch(() => null);
    if (disk === null) return;
    sink.value('crawlstream_disk_bytes', disk.blocks * disk.bsize, { store });
    sink.value('crawlstream_disk_free_bytes', disk.bavail * disk.bsize, { store });
  };
}

/** A file that vanishes meanwhile, or does not exist, counts as 0. */
async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
