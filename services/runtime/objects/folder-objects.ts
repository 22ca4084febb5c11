/** The object store on a folder, which may be a mounted share: written aside, synced, renamed. */
import { copyFile, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { unlessMissing } from '../disk/disk.ts';
import { makeFolder, putFile, renameWritten } from '../disk/durable-names.ts';
import type { ObjectStore } from './objects.ts';

const partial = '.part';

export function createFolderObjects(folder: string): ObjectStore {
  const root = resolve(folder);

  const putBy = (name: string, write: (path: string) => Promise<void>) =>
    withCause(root, async () => {
      const path = join(root, name);
      await makeFolder(dirname(path));
      await write(path);
    });

  return {
    place: folder,
    put: (name, bytes) => putBy(name, (path) => putFile(path, asBuffer(bytes), { aside: partial })),
    putFile: (name, from) =>
      putBy(name, async (path) => {
        await copyFile(from, `${path}${partial}`);
        await renameWritten(`${path}${partial}`, path);
      }),
    get: (name) => withCause(root, () => unlessMissing(readFile(join(root, name)))),
    list: (within) =>
      withCause(root, async () => {
        const entries =
          (await unlessMissing(readdir(join(root, within), { recursive: true, withFileTypes: true }))) ?? [];
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

/** Removes files that a crash left half-written beside objects that no longer exist. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of (await unlessMissing(readdir(folder))) ?? []) {
    if (name.endsWith(partial)) await rm(join(folder, name), { force: true });
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

async function withCause<T>(root: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      throw new CrawlstreamError('DISK_FULL', `the disk holding ${root} is full: free some disk space`, error);
    }
    throw new CrawlstreamError(
      'DESTINATION_REFUSED',
      `snapshot folder ${root} cannot be used: ${message}; choose another folder`,
      error,
    );
  }
}
