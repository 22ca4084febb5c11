/**
 * Opening a RocksDB folder read-only while another process may be writing it.
 *
 * RocksDB reads the manifest first and the write-ahead logs after. A writer that turns a log into a table file in
 * between, and deletes the log, leaves that log's rows in neither: the open succeeds and silently lacks them (measured:
 * 21 of 600 opens beside a busy writer). Logs are deleted in the order of their numbers, so the rows are all there if
 * the oldest log and the manifest are the same before and after the open (all 21 were caught so); else it is opened again.
 */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeLimits } from '../../../topology/limits.ts';
import type { DbContext, OpenOptions, RocksdbBinding } from './rocksdb-binding.ts';

export async function openBesideWriter(
  binding: RocksdbBinding,
  folder: string,
  options: OpenOptions,
): Promise<DbContext> {
  for (let attempt = 1; ; attempt++) {
    const before = await generation(folder);
    const db = binding.db_init();
    const error = await new Promise<Error | null>((resolve) => binding.db_open(db, folder, options, resolve));
    const settled = before === (await generation(folder));
    if (!error && settled) return db;
    if (!error) await new Promise<void>((resolve) => binding.db_close(db, () => resolve()));
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
