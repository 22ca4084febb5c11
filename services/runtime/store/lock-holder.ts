/** The process that holds the lock of a store's folder. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A line of /proc/locks: `1: POSIX  ADVISORY  WRITE 4711 08:01:131083 0 EOF`. */
const lockLine = /^\d+: POSIX\s+ADVISORY\s+WRITE\s+(\d+)\s+[\da-f]+:[\da-f]+:(\d+) /gim;

/** Its id. Undefined: the system does not say it, or the process is in another container. */
export function lockHolder(folder: string): number | undefined {
  try {
    const file = String(statSync(join(folder, 'LOCK')).ino);
    const locks = readFileSync('/proc/locks', 'utf8').matchAll(lockLine);
    const held = [...locks].find(([, , inode]) => inode === file)?.[1];
    return held === undefined || held === '0' ? undefined : Number(held);
  } catch {
    return undefined;
  }
}
