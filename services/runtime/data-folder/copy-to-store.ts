/**
 * Copies a data folder into a new one with all stores on another storage engine. The original is only read. The
 * manifest is written last: a kill leaves a folder that no command takes for a crawl's.
 */
import { constants } from 'node:fs';
import { copyFile, readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CrawlstreamError, invalid } from '../../../topology/errors.ts';
import { nodeDisk } from '../disk/disk.ts';
import { makeFolder, putFile, withFile } from '../disk/durable-names.ts';
import { openStoreAs, type StoreName, storeOf } from '../store/open-store.ts';
import type { StateStore, StoreOp } from '../store/store.ts';
import { type DataFolder, manifestName } from './data-folder.ts';
import { markName } from './run-mark.ts';

export interface CopiedFolder {
  readonly stores: number;
  readonly rows: number;
}

/** Bytes of rows in one write. */
const batchBytes = 1 << 20;
/** Keys around all others, as in ../store/rewrite-tables.ts. */
const allKeys = { gte: Buffer.from([0]), lt: Buffer.alloc(31, 0xff) };

/** Throws DATA_FOLDER_LOCKED while a process writes to the folder, and INVALID_ARGUMENT if `into` is not empty. */
export async function copyToStore(from: DataFolder, into: string, kind: StoreName): Promise<CopiedFolder> {
  const to = resolve(into);
  if (`${to}/`.startsWith(`${from.path}/`)) throw invalid(`--into ${to} is in the copied folder: choose another one`);
  const there = await readdir(to).catch(() => []);
  if (there.length > 0) throw invalid(`--into ${to} is not empty: choose a new folder`);
  if ((await readdir(from.path)).includes('fleet.json'))
    throw invalid(
      `${from.path} is a crawl of a fleet, and the fleet may hold records of it elsewhere: dump it instead`,
    );
  const log = from.part('log');
  // Its lock keeps a crawl from starting meanwhile.
  const kept = await storeOf(log);
  const locked = kept && (await openStoreAs(kept, log));
  const counts = { stores: 0, rows: 0 };
  try {
    await copyFolder(from.path, to, { kind, counts, opened: new Map(locked ? [[log, locked]] : []) });
  } finally {
    await locked?.close();
  }
  const manifest = join(from.path, manifestName);
  await putFile(join(to, manifestName), await readFile(manifest), { mode: (await stat(manifest)).mode & 0o777 });
  return counts;
}

interface Copying {
  readonly kind: StoreName;
  readonly counts: { stores: number; rows: number };
  /** Stores that are open already, by folder. */
  readonly opened: ReadonlyMap<string, StateStore>;
}

async function copyFolder(from: string, to: string, copying: Copying): Promise<void> {
  await makeFolder(to, (await stat(from)).mode & 0o777);
  const there = await storeOf(from);
  if (there !== undefined) return copyStore(from, to, there, copying);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.name === manifestName || entry.name === markName) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(source, target, copying);
    else if (entry.isFile()) {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
      await withFile(await nodeDisk.open(target, 'r'), (file) => file.sync());
    } else throw new CrawlstreamError('UNSUPPORTED', `${source} is neither a file nor a folder: move it elsewhere`);
  }
}

async function copyStore(from: string, to: string, there: StoreName, copying: Copying): Promise<void> {
  const { kind, counts, opened } = copying;
  const source = opened.get(from) ?? (await openStoreAs(there, from));
  try {
    const target = await openStoreAs(kind, to);
    try {
      counts.rows += await copyRows(source, target);
      counts.stores += 1;
    } finally {
      await target.close();
    }
  } finally {
    if (!opened.has(from)) await source.close();
  }
}

async function copyRows(source: StateStore, target: StateStore): Promise<number> {
  let [rows, bytes] = [0, 0];
  let batch: StoreOp[] = [];
  for await (const [key, value] of source.scan(allKeys)) {
    if (bytes >= batchBytes) {
      await target.write(batch);
      [batch, bytes] = [[], 0];
    }
    batch.push({ key, value });
    bytes += key.length + value.length;
    rows += 1;
  }
  // It makes the earlier ones durable, too.
  await target.write(batch, { sync: true });
  return rows;
}
