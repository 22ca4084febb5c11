/** A full disk: callers wait until there is enough room again that their work does not end at once. */
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Enough is this share of the disk, or this many bytes, whichever is less: a store writes megabytes when it is opened. */
const roomShare = 0.05;
const roomBytes = 1 << 30;

/** True for our errors and the system's. */
export function isDiskFull(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === 'DISK_FULL' || code === 'ENOSPC' || code === 'EDQUOT';
}

/**
 * True if the disks of all these folders have room; the folders need not exist. A disk without figures counts as having
 * room.
 */
export async function hasRoom(folders: Iterable<string>): Promise<boolean> {
  for (const folder of folders) if (!(await hasRoomAt(resolve(folder)))) return false;
  return true;
}

/** null: the folder's disk gives no figures. */
export async function freeBytesAt(folder: string): Promise<number | null> {
  const disk = await statfs(folder).catch(() => null);
  return disk === null ? null : disk.bavail * disk.bsize;
}

async function hasRoomAt(folder: string): Promise<boolean> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return bavail * bsize >= Math.min(roomShare * blocks * bsize, roomBytes);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return !isMissing || dirname(folder) === folder || hasRoomAt(dirname(folder));
  }
}
