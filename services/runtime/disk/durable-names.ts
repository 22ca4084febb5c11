/**
 * File names that survive a power cut. Syncing a file does not make its name durable: the name is in its folder, and
 * a rename may be lost while later syncs of other files hold. So code that depends on a name waits until its folder,
 * and the parent of each new folder, is synced.
 */
import { dirname, resolve } from 'node:path';
import { type Disk, type DiskFile, nodeDisk } from './disk.ts';
import { diskLimits } from './disk-limits.ts';
import { writeWhole } from './write-whole.ts';

/** Syncs a folder: all names that were created, renamed and removed in it are then durable. */
export async function syncFolder(path: string, disk: Disk = nodeDisk): Promise<void> {
  await withFile(await disk.open(path, 'r'), async (folder) => {
    try {
      await folder.sync();
    } catch (error) {
      // Some network shares cannot sync a folder: they store names with the files.
      if (!['EINVAL', 'ENOTSUP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  });
}

/** Folders that this process knows to have durable names. */
const durable = new WeakMap<Disk, Set<string>>();

/**
 * Makes a folder and its parents, with durable names. An existing folder may have a name that is not durable, because
 * the sync after its creation failed, or was interrupted.
 */
export async function makeFolder(path: string, mode?: number, disk: Disk = nodeDisk): Promise<void> {
  const known = durable.get(disk) ?? new Set();
  durable.set(disk, known);
  const made = await disk.mkdir(path, { recursive: true, ...(mode !== undefined && { mode }) });
  if (made === undefined && known.has(resolve(path))) return;
  const top = made === undefined ? undefined : dirname(resolve(made));
  const walked = [resolve(path)];
  for (let at = resolve(path), isOurs = made !== undefined; at !== dirname(at); ) {
    at = dirname(at);
    try {
      await syncFolder(at, disk);
    } catch (error) {
      // Folders above the new ones may belong to others, who are then responsible for their names.
      if (isOurs || !['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
      break;
    }
    if (at === top) isOurs = false;
    // The names from here up are durable. Below a new folder, a known name may be that of a deleted folder.
    if (!isOurs && known.has(at)) break;
    walked.push(at);
  }
  if (known.size + walked.length > diskLimits.durableFoldersMax) known.clear();
  for (const folder of walked) known.add(folder);
}

export interface PutOptions {
  /** Mode of the new file. Default: the process's mode for new files. */
  readonly mode?: number;
  /** Suffix of the file's name while it is being written. Default `.new`. */
  readonly aside?: string;
}

/** A kill or a power cut leaves the previous file, or all of the new one. */
export async function putFile(
  path: string,
  bytes: string | Buffer,
  { mode, aside = '.new' }: PutOptions = {},
  disk: Disk = nodeDisk,
): Promise<void> {
  await writeSynced(`${path}${aside}`, bytes, mode, disk);
  await disk.rename(`${path}${aside}`, path);
  await syncFolder(dirname(path), disk);
}

/**
 * The same without replacing a file: if `path` exists, changes nothing and resolves to false. `own`: a text that
 * differs among processes that may do this at the same time.
 */
export async function makeFile(
  path: string,
  bytes: string | Buffer,
  own: string,
  { mode, aside = `.${own}.new` }: PutOptions = {},
  disk: Disk = nodeDisk,
): Promise<boolean> {
  await writeSynced(`${path}${aside}`, bytes, mode, disk);
  try {
    await disk.link(`${path}${aside}`, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Some file systems have no links: there, a kill may leave a part of it.
    if (!['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(code ?? '')) throw error;
    return await writeNew(path, bytes, mode, disk);
  } finally {
    await disk.rm(`${path}${aside}`, { force: true });
    await syncFolder(dirname(path), disk);
  }
}

/** False: it is there. */
async function writeNew(path: string, bytes: string | Buffer, mode: number | undefined, disk: Disk): Promise<boolean> {
  const file = await disk.open(path, 'wx', mode).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (file === undefined) return false;
  try {
    await withFile(file, async () => {
      await writeWhole(file, [typeof bytes === 'string' ? Buffer.from(bytes) : bytes]);
      await file.sync();
    });
  } catch (error) {
    // Otherwise half a file would count as the whole one from now on.
    await disk.rm(path, { force: true });
    throw error;
  }
  return true;
}

/** Gives a file that was written by other means its name: its bytes are durable before the name is there. */
export async function renameWritten(from: string, to: string, disk: Disk = nodeDisk): Promise<void> {
  await withFile(await disk.open(from, 'r'), (file) => file.sync());
  await disk.rename(from, to);
  await syncFolder(dirname(to), disk);
}

/** Removes a file, if it is there. Resolves when the removal is durable. */
export async function removeFile(path: string, disk: Disk = nodeDisk): Promise<void> {
  await disk.rm(path, { force: true });
  await syncFolder(dirname(path), disk);
}

/** All bytes are on the disk; the name becomes durable with its folder. */
export async function writeSynced(
  path: string,
  bytes: string | Buffer,
  mode?: number,
  disk: Disk = nodeDisk,
): Promise<void> {
  await withFile(await disk.open(path, 'w', mode), async (file) => {
    // One that an earlier run left has its own mode.
    if (mode !== undefined) await file.chmod(mode);
    await writeWhole(file, [typeof bytes === 'string' ? Buffer.from(bytes) : bytes]);
    await file.sync();
  });
}

export async function withFile<T>(file: DiskFile, act: (file: DiskFile) => Promise<T>): Promise<T> {
  try {
    return await act(file);
  } finally {
    await file.close();
  }
}
