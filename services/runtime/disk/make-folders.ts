/**
 * Makes a folder and those above it. Node 20's own `mkdir` of a whole path spins for ever, and keeps the process from hearing
 * signals, where a folder can't be made in one that is there, as below /proc.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Disk } from './disk.ts';

/** Resolves with the topmost folder that it made; undefined: it made none. */
export const makeFolders: Disk['mkdir'] = async (path, { mode }) => {
  const at = resolve(path);
  if (await makeOne(at, mode)) return at;
  if (await isFolder(at)) return undefined;
  const above = dirname(at);
  const topmost = await makeFolders(above, { recursive: true, ...(mode !== undefined && { mode }) });
  await mkdir(at, { mode }).catch(async (error: NodeJS.ErrnoException) => {
    // Somebody else made it meanwhile.
    if (error.code !== 'EEXIST' || !(await isFolder(at))) throw error;
  });
  return topmost ?? at;
};

/** False: it is there, or what is above it is not. */
async function makeOne(path: string, mode: number | undefined): Promise<boolean> {
  try {
    await mkdir(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await isFolder(path))) return false;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    // Of a root, or a folder on a file system that is mounted read-only.
    if (await isFolder(path)) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
