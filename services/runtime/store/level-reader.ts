/**
 * Reads a LevelDB folder beside the process that writes it.
 *
 * LevelDB cannot be opened twice, nor read-only. Its table files never change. So a reader makes a separate folder
 * below the writer's, with hard links to the tables and copies of the manifest and of the write-ahead logs (a
 * memtable or two), and opens that; the writer does not notice. Invariant: only tables that the manifest names are
 * linked. LevelDB gives its next files higher numbers, and empties existing files of these names: a link to a table
 * that the writer is just making would be emptied under the writer. If the writer's folder cannot be written (a
 * read-only mount, a file system without links, a full disk), a full copy is made in the folder for temporary files,
 * or in memory.
 *
 * A killed reader leaves its copy. The next reader that makes one there, or the next writer, removes it: `destroy`
 * takes LevelDB's lock first, so it fails while somebody still reads.
 */
import { copyFile, link, lstat, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type LevelDb, loadLevel } from './level-binding.ts';
import { tablesOf } from './level-manifest.ts';
import { openBesideWriter } from './open-beside-writer.ts';
import { storeLimits } from './store-limits.ts';

export interface LevelReader {
  readonly db: LevelDb;
  /** Closes the database, and removes its files. */
  readonly end: () => Promise<void>;
}

const prefix = 'reader-';
const temporaryPrefix = 'crawlstream-reader-';
/** A file system in memory, on Linux. */
const memoryFolder = '/dev/shm';

export async function openLevelReader(folder: string, open: (path: string) => Promise<LevelDb>): Promise<LevelReader> {
  let failure: NodeJS.ErrnoException | undefined;
  for (const { above, start } of await placesFor(folder)) {
    try {
      await removeStaleReaders(above, start);
      return await openCopy(folder, join(above, start), open);
    } catch (error) {
      if (!isWithoutRoom(error as Error)) throw error;
      failure = error as NodeJS.ErrnoException;
    }
  }
  if (['EACCES', 'EPERM', 'EROFS'].includes(failure?.code ?? '')) throw failure;
  throw new CrawlstreamError(
    'DISK_FULL',
    `the disks of ${folder} and of ${tmpdir()} are full, and LevelDB needs a copy to read ${folder}: set TMPDIR to a folder on a disk with free space, and run the same command again`,
  );
}

async function openCopy(folder: string, start: string, open: (path: string) => Promise<LevelDb>): Promise<LevelReader> {
  const remove = (path: string) => rm(path, { recursive: true, force: true });
  const copy = async (): Promise<string> => {
    const path = await mkdtemp(start);
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

/** True if nothing, or nothing more, can be written to a place. */
function isWithoutRoom(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT'].includes(code)) return true;
  // The error is LevelDB's, which writes its own manifest and tables when it opens the copy.
  const { cause } = error;
  return cause instanceof Error && /No space left|quota exceeded/i.test(cause.message);
}

/** Memory comes last, for the case that temporary files are on the same full disk. */
async function placesFor(folder: string): Promise<{ readonly above: string; readonly start: string }[]> {
  const places = [
    { above: folder, start: prefix },
    { above: tmpdir(), start: temporaryPrefix },
  ];
  const sizes = (await readdir(folder))
    .filter((name) => /^\d+\.(ldb|sst|log)$/.test(name))
    .map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  // A folder in memory counts towards a container's memory limit.
  const isSmall = bytes <= Math.min(storeLimits.readerMemoryBytesMax, process.availableMemory() / 2);
  const found = isSmall ? await stat(memoryFolder).catch(() => undefined) : undefined;
  return found?.isDirectory() ? [...places, { above: memoryFolder, start: temporaryPrefix }] : places;
}

/** Removes the copies of readers with a killed process. `start`: of their names. */
export async function removeStaleReaders(folder: string, start = prefix): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(start));
  if (names.length === 0) return;
  const { ClassicLevel } = await loadLevel();
  for (const name of names) {
    const path = join(folder, name);
    const made = await lstat(path).catch(() => undefined);
    // In a folder that all users share, a name may belong to any of them, and a link lead anywhere.
    if (made?.isDirectory() !== true || made.uid !== process.getuid?.()) continue;
    if (Date.now() - made.mtimeMs < storeLimits.readerCopyStaleMs) continue;
    // Those of other users stay.
    await ClassicLevel.destroy(path)
      .then(() => rm(path, { recursive: true, force: true }))
      .catch(() => {});
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
