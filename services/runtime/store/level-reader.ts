/**
 * Reading a LevelDB folder beside the process that writes it.
 *
 * LevelDB can't be opened twice, nor read-only. Its table files never change, so a reader makes a folder of its own
 * below the writer's: hard links to the tables, copies of the manifest and of the write-ahead logs (a memtable or two),
 * and opens that, without any notice of the writer's. Where the writer's folder can't be written (a read-only mount, a
 * file system without links), the copy is a full one in the folder for temporary files.
 *
 * A reader that was killed leaves its copy; the next reader or writer removes it: `destroy` takes LevelDB's lock first,
 * so it fails where somebody still reads.
 */
import { copyFile, link, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeLimits } from '../../../topology/limits.ts';
import { type LevelDb, loadLevel } from './level-binding.ts';
import { openBesideWriter } from './open-beside-writer.ts';

export interface LevelReader {
  readonly db: LevelDb;
  /** Closes it, and removes its files. */
  readonly end: () => Promise<void>;
}

const prefix = 'reader-';

export async function openLevelReader(folder: string, open: (path: string) => Promise<LevelDb>): Promise<LevelReader> {
  await removeStaleReaders(folder);
  const openCopy = async (): Promise<LevelReader> => {
    const path = await placeFor(folder);
    const remove = () => rm(path, { recursive: true, force: true });
    try {
      await copyFiles(folder, path);
      const db = await open(path);
      return { db, end: () => db.close().finally(remove) };
    } catch (error) {
      await remove();
      throw error;
    }
  };
  return openBesideWriter(folder, openCopy, ({ end }) => end());
}

/** Those whose process was killed. */
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

/** The manifest first, then the tables it may name, then the logs: what is missing then, openBesideWriter notices. */
async function copyFiles(from: string, to: string): Promise<void> {
  const manifest = (await readFile(join(from, 'CURRENT'), 'utf8')).trim();
  for (const name of ['CURRENT', manifest]) await copyFile(join(from, name), join(to, name));
  const names = await readdir(from);
  const unlessGone = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  };
  for (const name of names.filter((one) => /^\d+\.(ldb|sst)$/.test(one))) {
    await link(join(from, name), join(to, name))
      .catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') throw error;
        return copyFile(join(from, name), join(to, name));
      })
      .catch(unlessGone);
  }
  for (const name of names.filter((one) => /^\d+\.log$/.test(one))) {
    await copyFile(join(from, name), join(to, name)).catch(unlessGone);
  }
}
