/**
 * A disk that is full: a tmpfs of a few MB where we may mount one (Linux, root), else a bound on the size of files
 * (`ulimit -f`), which RocksDB and Node meet as an error of write(2) too.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

export interface SmallDisk {
  readonly folder: string;
  /** Makes room. */
  grow(): void;
  /** From now on nobody may write to it. */
  forbidWriting(): void;
}

/** Undefined where nobody lets us mount. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-disk-'));
  const mount = (...args: string[]) => execFileSync('mount', [...args, folder], { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs');
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  after(() => {
    execFileSync('umount', ['-l', folder], { stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    grow: () => mount('-o', 'remount,size=1g'),
    forbidWriting: () => mount('-o', 'remount,ro'),
  };
}
