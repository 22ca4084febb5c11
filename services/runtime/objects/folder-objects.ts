/** The object store on a folder, which may be a mounted share: written aside, synced, renamed. */
import { copyFile, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { makeFolders } from '../disk/make-folders.ts';
import type { ObjectStore } from './objects.ts';

const partial = '.part';

export function createFolderObjects(folder: string): ObjectStore {
  const root = resolve(folder);

  const putBy = (name: string, write: (path: string) => Promise<void>) =>
    withCause(root, async () => {
      const path = join(root, name);
      const made = await makeFolders(dirname(path), { recursive: true });
      await write(`${path}${partial}`);
      await sync(`${path}${partial}`);
      await rename(`${path}${partial}`, path);
      await sync(dirname(path));
      // Folders made on the way are names in others, up to the one that was there.
      const stop = made === undefined ? dirname(path) : dirname(made);
      for (let at = dirname(path); at !== stop; at = dirname(at)) await sync(dirname(at));
    });

  return {
    place: folder,
    put: (name, bytes) =>
      putBy(name, async (path) => {
        const handle = await open(path, 'w');
        try {
          await handle.writeFile(bytes);
        } finally {
          await handle.close();
        }
      }),
    putFile: (name, from) => putBy(name, (path) => copyFile(from, path)),
    get: (name) => withCause(root, () => unlessMissing(readFile(join(root, name)), undefined)),
    list: (within) =>
      withCause(root, async () => {
        const entries = await unlessMissing(readdir(join(root, within), { recursive: true, withFileTypes: true }), []);
        return entries
          .filter((entry) => entry.isFile() && !entry.name.endsWith(partial))
          .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
          .sort();
      }),
    remove: (names) =>
      withCause(root, async () => {
        for (const name of names) await rm(join(root, name), { force: true });
        for (const parent of new Set(names.map((name) => dirname(join(root, name))))) {
          await removeLeftovers(parent);
          await rmdir(parent).catch(() => {});
        }
      }),
    close: () => {},
  };
}

/** What a crash left half-written beside objects that are gone now. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await unlessMissing(readdir(folder), [])) {
    if (name.endsWith(partial)) await rm(join(folder, name), { force: true });
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function unlessMissing<T, U>(act: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await act;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}

async function withCause<T>(root: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new CrawlstreamError('DISK_FULL', `the disk holding ${root} is full: free some disk space`, error);
    }
    throw new CrawlstreamError('DESTINATION_REFUSED', `${root} can't be used: ${message}`, error);
  }
}
