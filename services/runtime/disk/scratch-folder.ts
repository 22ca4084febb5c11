/**
 * Folders for temporary files of this process. A folder is removed when its work ends, when the process exits, and on
 * a signal that ends the process. A killed process leaves its folder, which a later process removes. The name of such a
 * folder, such as `crawlstream-state-~Zp3kQ1`, is one that nobody would give to a folder to keep.
 *
 * The modification time of a folder is the last sign of life of its process. Processes of several containers may
 * share the folder above, so process ids would prove nothing.
 */
import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { diskLimits } from './disk-limits.ts';

export interface ScratchFolder {
  readonly path: string;
  remove(): Promise<void>;
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const open = new Set<string>();
/** Characters that `mkdtemp` adds. */
const randomChars = 6;

/** `prefix`: start of the folder's name, the same for folders of one use. */
export async function openScratchFolder(above: string, prefix: string): Promise<ScratchFolder> {
  await removeAbandoned(above, prefix);
  const path = await mkdtemp(join(above, `${prefix}~`));
  if (open.size === 0) watchExit();
  open.add(path);
  const signs = setInterval(() => sign(path), diskLimits.scratchSignMs).unref();
  return {
    path,
    async remove() {
      clearInterval(signs);
      await rm(path, { recursive: true, force: true });
      open.delete(path);
      if (open.size === 0) unwatchExit();
    },
  };
}

export async function withScratchFolder<T>(
  above: string,
  prefix: string,
  act: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await openScratchFolder(above, prefix);
  try {
    return await act(folder.path);
  } finally {
    await folder.remove();
  }
}

function sign(path: string): void {
  const now = new Date();
  // Without a sign, the folder only looks abandoned, a day later.
  utimes(path, now, now).catch(() => {});
}

async function removeAbandoned(above: string, prefix: string): Promise<void> {
  // A folder that may be written may not be listed for all that.
  const names = await readdir(above).catch(() => []);
  const isScratch = (name: string) => name.startsWith(`${prefix}~`) && name.length === prefix.length + 1 + randomChars;
  for (const name of names.filter(isScratch)) {
    const path = join(above, name);
    const found = await lstat(path).catch(() => undefined);
    // In a folder that all users share, a name may belong to any of them, and a link lead anywhere.
    if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) continue;
    if (Date.now() - found.mtimeMs > diskLimits.scratchSilentMs)
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

function watchExit(): void {
  process.on('exit', removeAll);
  for (const signal of endingSignals) process.on(signal, endOn);
}

function unwatchExit(): void {
  process.off('exit', removeAll);
  for (const signal of endingSignals) process.off(signal, endOn);
}

function removeAll(): void {
  for (const path of open) {
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A store may still write into its folder: a later process removes it.
    }
  }
}

function endOn(signal: (typeof endingSignals)[number]): void {
  // Another listener stops the work, and then its folders are removed.
  if (process.listenerCount(signal) > 1) return;
  process.exit(process.exitCode ?? 128 + constants.signals[signal]);
}
