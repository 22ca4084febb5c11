/**
 * Opens a folder read-only while another process may be writing it.
 *
 * A reader takes the manifest first and the write-ahead logs afterwards. If a writer turns a log into a table file in
 * between, and deletes the log, that log's rows are in neither: the open succeeds and silently lacks them (measured
 * on RocksDB: 21 of 600 opens beside a busy writer). Logs are deleted in the order of their numbers. So all rows are
 * there if the oldest log and the manifest are the same before and after the open (this caught all 21); otherwise the
 * folder is opened again. LevelDB, the origin of RocksDB, names and deletes its files in the same way; a copy is made
 * there under the same rule.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeLimits } from './store-limits.ts';

/** `close` closes a store if its `open` came too late. */
export async function openBesideWriter<T>(
  folder: string,
  open: () => Promise<T>,
  close: (opened: T) => Promise<void>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const before = await generation(folder);
    const opened = await open().then(
      (value) => ({ value }),
      (error: Error) => ({ error }),
    );
    const settled = before === (await generation(folder));
    if ('value' in opened && settled) return opened.value;
    if ('value' in opened) await close(opened.value);
    const error = 'error' in opened ? opened.error : undefined;
    if (attempt >= storeLimits.readOnlyOpenAttemptsMax || (error && settled)) {
      throw (
        error ??
        new Error(`the process that writes this store changed it during each of ${attempt} attempts to open it: retry`)
      );
    }
    await sleep(Math.random() * 10 * attempt);
  }
}

/** Changes whenever a write-ahead log goes or a manifest is replaced. */
async function generation(folder: string): Promise<string> {
  const names = await readdir(folder);
  const logs = names.filter((name) => /^\d+\.log$/.test(name)).map((name) => Number.parseInt(name, 10));
  return `${Math.min(...logs)} ${names.filter((name) => name.startsWith('MANIFEST-')).sort()}`;
}
