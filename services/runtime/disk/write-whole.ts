/**
 * Writes all bytes, or fails. A file system may accept only a part of a write: on a nearly full disk, over a quota,
 * or after a signal. The rest is then written again, or its error is found.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DiskFile } from './disk.ts';
import { diskLimits } from './disk-limits.ts';

export async function writeWhole(file: Pick<DiskFile, 'writev'>, parts: readonly Buffer[]): Promise<void> {
  let left = parts;
  let bytes = 0;
  for (const part of parts) bytes += part.length;
  for (let empty = 0; bytes > 0; ) {
    const written = await writeSome(file, left);
    if (written > 0) empty = 0;
    else if (++empty > diskLimits.emptyWritesMax) throw new Error('EIO: the file system takes no more bytes, write');
    else await sleep(diskLimits.emptyWriteMs);
    bytes -= written;
    if (bytes > 0) left = behind(left, written);
  }
}

/** A signal, or a busy file system, is not a failure: nothing was written. */
async function writeSome(file: Pick<DiskFile, 'writev'>, parts: readonly Buffer[]): Promise<number> {
  try {
    return (await file.writev(parts)).bytesWritten;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EINTR' || code === 'EAGAIN') return 0;
    throw error;
  }
}

function behind(parts: readonly Buffer[], bytes: number): Buffer[] {
  let skipped = 0;
  return parts.flatMap((part) => {
    const from = Math.min(part.length, bytes - skipped);
    skipped += from;
    return from === part.length ? [] : [part.subarray(from)];
  });
}
