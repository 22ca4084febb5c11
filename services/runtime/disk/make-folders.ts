/**
 * Makes a folder and its parents. Node 20's own recursive `mkdir` loops forever, and blocks signals, if a folder
 * cannot be created inside an existing one, as below /proc.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Disk } from './disk.ts';

/** Resolves with the topmost folder that it created; undefined: none. */
export const makeFolders: Disk['mkdir'] = async (path, { mode }) => {
  const at = resolve(path);
  if (await makeOne(at, mode)) return at;
  if (await isFolder(at)) return undefined;
  const above = dirname(at);
  const topmost = await makeFolders(above, { recursive: true, ...(mode !== undefined && { mode }) });
  await mkdir(at, { mode }).catch(async (error: NodeJS.ErrnoException) => {
    // Another process created it meanwhile.
    if (error.code !== 'EEXIST' || !(await isFolder(at))) throw error;
  });
  return topmost ?? at;
};

/** Returns false if the folder exists, or its parent does not. */
async function makeOne(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(path))) return false;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    // The error may concern a root, or a folder on a file system that is mounted read-only.
    if (await isFolder(path)) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
