/** Rewrites the stores of a data folder, which otherwise keep deleted rows on disk until the next compaction. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { NotReached, Place } from '../../application/processor/holding.ts';
import { rewriteStore } from '../../runtime/store/rewrite-store.ts';

/** `isRewritten`: true if the tables of this store are rewritten already, because rows were just erased in it. */
export async function rewriteStores(folder: string, isRewritten: (path: string) => boolean): Promise<Place> {
  const stores = await storesIn(folder);
  for (const path of stores) await rewriteStore(path, { isRewritten: isRewritten(path) });
  return { place: 'bytes of stores', left: 0, more: { rewritten: stores.map((path) => relative(folder, path)) } };
}

/** Lists the folders of stores. Copies made for readers are skipped: they end with their reader. */
async function storesIn(folder: string): Promise<string[]> {
  const found = existsSync(join(folder, 'CURRENT')) ? [folder] : [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('reader-')) continue;
    found.push(...(await storesIn(join(folder, entry.name))));
  }
  return found;
}

/** Reports journals near the folder: a killed fleet keeps the last writes of all its crawls in one journal. */
export async function journalsBeside(folder: string): Promise<readonly NotReached[]> {
  for (let at = resolve(folder); at !== dirname(at); at = dirname(at)) {
    const names = await readdir(join(at, 'journal')).catch(() => []);
    if (names.every((name) => !name.endsWith('.journal'))) continue;
    const why = `${join(at, 'journal')} holds the last writes before a kill; the next start of the fleet removes it`;
    return [{ place: 'journal of the fleet', why }];
  }
  return [];
}
