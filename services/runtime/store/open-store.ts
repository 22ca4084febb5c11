/**
 * The state store of a folder: on RocksDB if the `rocksdb` package is installed and loads, otherwise on LevelDB.
 *
 * A folder names its store in the file `STORE`; one without is from a version that used only RocksDB. Later processes
 * use the named store, whatever the choice for new folders. `CRAWLSTREAM_STORE` makes the choice; a folder of the
 * other store is then refused for writing. `crawlstream state move` copies rows between stores.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { makeFolder, putFile } from '../disk/durable-names.ts';
import { installCommand } from '../install-command.ts';
import { openLevelStore } from './level-store.ts';
import { rocksdbInstalled, rocksdbLoads } from './rocksdb-binding.ts';
import { openRocksdbStore } from './rocksdb-store.ts';
import type { StateStore, StoreOptions } from './store.ts';
import { storeError } from './store-errors.ts';

export const storeNames = ['rocksdb', 'classic-level'] as const;
export type StoreName = (typeof storeNames)[number];

const openers: Readonly<Record<StoreName, (folder: string, options?: StoreOptions) => Promise<StateStore>>> = {
  rocksdb: openRocksdbStore,
  'classic-level': openLevelStore,
};

const nameFile = 'STORE';
const remedy =
  'copy its data folder onto the other engine with "crawlstream state move --data DIR --into NEW"; on Kafka, a new --data folder is enough';

let onFallback: ((line: string) => void) | undefined;

/**
 * Sets a listener that is called with one line, at most once, when a new folder is created with LevelDB because an
 * installed RocksDB cannot be loaded.
 */
export function onStoreFallback(listener: (line: string) => void): void {
  onFallback = listener;
}

/**
 * Throws DATA_FOLDER_LOCKED, DISK_FULL, STORE_MISMATCH, STORE_UNSUPPORTED, STORE_FAILED or INVALID_ARGUMENT (for
 * CRAWLSTREAM_STORE), each with the folder or the variable.
 */
export async function openStateStore(folder: string, options: StoreOptions = {}): Promise<StateStore> {
  const wanted = wantedStore(process.env['CRAWLSTREAM_STORE']);
  try {
    const there = await storeOf(folder);
    if (options.readOnly) return await openNamed(there ?? chosen(wanted), folder, options);
    if (there === undefined) {
      const name = chosen(wanted);
      if (wanted === undefined && name !== 'rocksdb' && rocksdbInstalled()) sayFallback();
      await writeName(folder, name);
      return await openNamed(name, folder, options);
    }
    if (wanted !== undefined && wanted !== there) {
      const message = `the store in ${folder} was written by ${there}, but CRAWLSTREAM_STORE is ${wanted}: unset it, or ${remedy}`;
      throw new CrawlstreamError('STORE_MISMATCH', message);
    }
    return await openNamed(there, folder, options);
  } catch (error) {
    throw error instanceof CrawlstreamError ? error : storeError(error as Error, folder);
  }
}

/** Opens a store of this kind, whatever CRAWLSTREAM_STORE says. A new folder gets the name of its kind. */
export async function openStoreAs(name: StoreName, folder: string): Promise<StateStore> {
  try {
    if ((await storeOf(folder)) === undefined) await writeName(folder, name);
    return await openNamed(name, folder, {});
  } catch (error) {
    throw error instanceof CrawlstreamError ? error : storeError(error as Error, folder);
  }
}

/**
 * Returns the kind of store that wrote a folder; undefined: none did. Throws DATA_FOLDER_NEWER if this release does not
 * know it.
 */
export async function storeOf(folder: string): Promise<StoreName | undefined> {
  if (!existsSync(join(folder, 'CURRENT'))) return undefined;
  const name = (await readName(folder)) || 'rocksdb';
  if (isStoreName(name)) return name;
  const message = `the store in ${folder} was written by ${name}, which this release does not know: run the newer crawlstream that wrote it`;
  throw new CrawlstreamError('DATA_FOLDER_NEWER', message);
}

function openNamed(name: StoreName, folder: string, options: StoreOptions): Promise<StateStore> {
  if (name === 'rocksdb' && !rocksdbLoads() && existsSync(join(folder, 'CURRENT'))) {
    const place = `${process.platform}-${process.arch}`;
    const message = rocksdbInstalled()
      ? `the store in ${folder} was written by rocksdb, which can't be loaded here (${place}, Node ${process.versions.node}): where rocksdb loads, use it or ${remedy}`
      : `the store in ${folder} was written by rocksdb, which this installation leaves out (a checkout copies its data folder with "crawlstream state move --data DIR --into NEW"): ${installCommand(['rocksdb'])}`;
    throw new CrawlstreamError('STORE_MISMATCH', message);
  }
  return openers[name](folder, options);
}

/** The store of a new folder. */
function chosen(wanted: StoreName | undefined): StoreName {
  return wanted ?? (rocksdbLoads() ? 'rocksdb' : 'classic-level');
}

function wantedStore(text: string | undefined): StoreName | undefined {
  if (text === undefined || text === '' || text === 'auto') return undefined;
  if (isStoreName(text)) return text;
  const message = `CRAWLSTREAM_STORE is ${text}: give auto, ${storeNames.join(' or ')}`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}

function isStoreName(text: string): text is StoreName {
  return storeNames.some((name) => name === text);
}

function sayFallback(): void {
  const place = `${process.platform}-${process.arch} with Node ${process.versions.node}`;
  onFallback?.(`using classic-level (LevelDB) for state, because rocksdb can't be loaded on ${place}`);
  onFallback = undefined;
}

async function readName(folder: string): Promise<string> {
  return (await readFile(join(folder, nameFile), 'utf8').catch(() => '')).trim();
}

/** Written before the store exists: a kill in between leaves a name and no rows, and the next process names it again. */
async function writeName(folder: string, name: StoreName): Promise<void> {
  await makeFolder(folder);
  if ((await readName(folder)) === name) return;
  await putFile(join(folder, nameFile), `${name}\n`);
}
