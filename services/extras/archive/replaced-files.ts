/**
 * Replaces WARC files by rewritten ones, all or none: after a kill, the next start of the archive, or the next
 * `forget`, completes or undoes the replacement.
 *
 *   <name>.warc.gz.forget, <name>.cdxj.forget   rewritten, and not in place yet
 *   forget.json                                  all of those are complete and on disk, so they count
 *
 * Each step is durable before the next: the journal with the rewritten files' names, their new names before the rows
 * of the store, and the journal's end before anything else begins.
 */
import { join } from 'node:path';
import { type Disk, nodeDisk, unlessMissing } from '../../runtime/disk/disk.ts';
import { putFile, removeFile, syncFolder } from '../../runtime/disk/durable-names.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';

const journalName = 'forget.json';
export const rewrittenSuffix = '.forget';

interface Journal {
  readonly files: readonly string[];
  /** Rows of the archive's store, base64; without a value: gone. */
  readonly rows: readonly (readonly [key: string, value: string | null])[];
}

/** `files`: names with their endings; the rewritten form of each is beside it, synced. */
export async function replaceFiles(
  folder: string,
  store: StateStore,
  files: readonly string[],
  ops: readonly StoreOp[],
  disk: Disk = nodeDisk,
): Promise<void> {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const rows = ops.map(({ key, value }) => [base64(key), value && base64(value)] as const);
  const journal: Journal = { files, rows };
  // The names of the rewritten files must be durable before the journal that names them.
  await syncFolder(folder, disk);
  await putFile(join(folder, journalName), JSON.stringify(journal), {}, disk);
  await finishReplacing(folder, store, disk);
}

/** Completes an interrupted replacement, or removes its rewritten files. */
export async function finishReplacing(folder: string, store: StateStore, disk: Disk = nodeDisk): Promise<void> {
  const path = join(folder, journalName);
  // The existence of the journal may not be durable, if the sync of its folder failed or was interrupted.
  await syncFolder(folder, disk);
  const journal = await unlessMissing(disk.readFile(path));
  const names = await disk.readdir(folder);
  if (journal !== undefined) {
    const { files, rows } = JSON.parse(journal.toString()) as Journal;
    for (const name of files) {
      if (!names.includes(`${name}${rewrittenSuffix}`)) continue;
      await disk.rename(join(folder, `${name}${rewrittenSuffix}`), join(folder, name));
    }
    await syncFolder(folder, disk);
    const ops = rows.map(([key, value]) => ({
      key: Buffer.from(key, 'base64'),
      value: value === null ? null : Buffer.from(value, 'base64'),
    }));
    await store.write(ops, { sync: true });
    // Before anything else: done once more after later writes, it would bring back old rows.
    await removeFile(path, disk);
  }
  for (const name of await disk.readdir(folder))
    if (name.endsWith(rewrittenSuffix) || name === `${journalName}.new`) await removeFile(join(folder, name), disk);
}
