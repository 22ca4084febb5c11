/**
 * Reading a LevelDB folder beside the process that writes it.
 *
 * LevelDB can't be opened twice, nor read-only. Its table files never change, so a reader makes a separate folder
 * below the writer's: hard links to the tables, copies of the manifest and of the write-ahead logs (a memtable or two),
 * and opens that, without any notice of the writer's. Invariant: only tables that the manifest names are linked.
 * LevelDB gives its next files numbers beyond those, and empties what has such a name: a link to a table that the
 * writer is just making would be emptied under the writer. If the writer's folder can't be written (a read-only mount,
 * a file system without links), a full copy is made in the folder for temporary files.
 *
 * A reader that was killed leaves its copy; the next reader or writer removes it: `destroy` takes LevelDB's lock first,
 * so it fails where somebody still reads.
 */
import { copyFile, link, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LevelDb, loadLevel } from './level-binding.ts';
import { tablesOf } from './level-manifest.ts';
import { openBesideWriter } from './open-beside-writer.ts';
import { storeLimits } from './store-limits.ts';

export interface LevelReader {
  readonly db: LevelDb;
  /** Closes it, and removes its files. */
  readonly end: () => Promise<void>;
}

const prefix = 'reader-';

export async function openLevelReader(folder: string, open: (path: string) => Promise<LevelDb>): Promise<LevelReader> {
  await removeStaleReaders(folder);
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  const copy = async (): Promise<string> => {
    const path = await placeFor(folder);
    try {
      for (let attempt = 1; !(await copyFiles(folder, path)); attempt++) {
        if (attempt === storeLimits.readOnlyOpenAttemptsMax)
          throw new Error('the writer is always ahead of its reader');
        for (const name of await readdir(path)) await rm(join(path, name));
      }
      return path;
    } catch (error) {
      await remove(path);
      throw error;
    }
  };
  const path = await openBesideWriter(folder, copy, remove);
  try {
    const db = await open(path);
    return { db, end: () => db.close().finally(() => remove(path)) };
  } catch (error) {
    await remove(path);
    throw error;
  }
}

/** Removes the copies of readers with a killed process. */
export async function removeStaleReaders(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix));
  if (names.length === 0) return;
  const { ClassicLevel } = await loadLevel();
  for (const name of names) {
    const path = join(folder, name);
    const made = await stat(path).catch(() => undefined);
    if (made === undefined || Date.now() - made.mtimeMs < storeLimits.readerCopyStaleMs) continue;
    await ClassicLevel.destroy(path).then(
      () => rm(path, { recursive: true, force: true }),
      () => {},
    );
  }
}

async function placeFor(folder: string): Promise<string> {
  try {
    return await mkdtemp(join(folder, prefix));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error;
    return mkdtemp(join(tmpdir(), `crawlstream-${prefix}`));
  }
}

/**
 * Copies the manifest first, then the tables it names, then the logs; openBesideWriter notices if a log was deleted
 * meanwhile. False: a compaction replaced a table or the manifest meanwhile.
 */
async function copyFiles(from: string, to: string): Promise<boolean> {
  const current = await readFile(join(from, 'CURRENT'), 'utf8');
  const manifest = current.trim();
  const bytes = await readFile(join(from, manifest)).catch(unlessGone);
  if (bytes === undefined) return false;
  await writeFile(join(to, manifest), bytes);
  await writeFile(join(to, 'CURRENT'), current);
  const named = tablesOf(bytes);
  const names = await readdir(from);
  const tables = names.filter((name) => /^\d+\.(ldb|sst)$/.test(name) && named.has(Number.parseInt(name, 10)));
  if (tables.length < named.size) return false;
  for (const name of tables) {
    if ((await linkOrCopy(join(from, name), join(to, name)).catch(unlessGone)) === undefined) return false;
  }
  for (const name of names.filter((one) => /^\d+\.log$/.test(one))) {
    await copyFile(join(from, name), join(to, name)).catch(unlessGone);
  }
  return true;
}

async function linkOrCopy(from: string, to: string): Promise<true> {
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw error;
    return copyFile(from, to);
  });
  return true;
}

function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
