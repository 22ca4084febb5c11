/** Removes deleted rows of a store from every file of its folder. No process may have the store open. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeDisk } from '../disk/disk.ts';
import { removeFile } from '../disk/durable-names.ts';
import { openStateStore } from './open-store.ts';

/**
 * Rewrites the tables, and removes other files with old rows. `isRewritten`: the tables are rewritten already. Throws
 * DATA_FOLDER_LOCKED if another process has the store open, STORE_FAILED if old tables remain.
 */
export async function rewriteStore(folder: string, { isRewritten = false } = {}): Promise<void> {
  if (!isRewritten) {
    const store = await openStateStore(folder);
    try {
      await store.rewrite?.();
    } finally {
      await store.close();
    }
  }
  // A manifest names the first and last keys of all earlier tables: each opening begins another.
  await (await openStateStore(folder)).close();
  // A store's compaction log names keys.
  const notes = (await readdir(folder)).filter((name) => /^LOG(\.old.*)?$/.test(name));
  for (const name of notes) await removeFile(join(folder, name), nodeDisk);
}
