/**
 * Puts rewritten WARC files in the place of the old ones, all or none: whatever a kill leaves behind, the next start of the
 * archive or the next `forget` brings to one of the two.
 *
 *   <name>.warc.gz.forget, <name>.cdxj.forget   rewritten, and not in place yet
 *   forget.json                                  all of those are whole and on disk: they count
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StateStore, StoreOp } from '../runtime/store/store.ts';

const journalName = 'forget.json';
export const rewrittenSuffix = '.forget';

interface Journal {
  readonly files: readonly string[];
  /** Rows of the archive's store, base64; without a value: gone. */
  readonly rows: readonly (readonly [key: string, value: string | null])[];
}

/** `files`: names with their endings, whose rewritten form lies beside them, synced. */
export async function replaceFiles(
  folder: string,
  store: StateStore,
  files: readonly string[],
  ops: readonly StoreOp[],
): Promise<void> {
  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const rows = ops.map(({ key, value }) => [base64(key), value && base64(value)] as const);
  const journal: Journal = { files, rows };
  await writeFile(join(folder, `${journalName}.new`), JSON.stringify(journal), { flush: true });
  await rename(join(folder, `${journalName}.new`), join(folder, journalName));
  await finishReplacing(folder, store);
}

/** Brings a rewriting that was cut short to its end, or takes back what it had written. */
export async function finishReplacing(folder: string, store: StateStore): Promise<void> {
  const path = join(folder, journalName);
  if (existsSync(path)) {
    const { files, rows } = JSON.parse(await readFile(path, 'utf8')) as Journal;
    for (const name of files) {
      const rewritten = join(folder, `${name}${rewrittenSuffix}`);
      if (existsSync(rewritten)) await rename(rewritten, join(folder, name));
    }
    const ops = rows.map(([key, value]) => ({
      key: Buffer.from(key, 'base64'),
      value: value === null ? null : Buffer.from(value, 'base64'),
    }));
    await store.write(ops, { sync: true });
  }
  for (const name of await readdir(folder)) if (name.endsWith(rewrittenSuffix)) await rm(join(folder, name));
  await rm(`${path}.new`, { force: true });
  await rm(path, { force: true });
}
