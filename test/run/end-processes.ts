/**
 * Ends what a test process started and left: brokers and registries are daemons in process groups of their own, so they are
 * known by a mark in their environment. Linux only; elsewhere a test that is cut off may leave its daemons behind.
 */
import { readdirSync, readFileSync } from 'node:fs';

export const markName = 'CRAWLSTREAM_TEST_RUN';

export function endMarked(mark: string): void {
  for (const pid of processes()) {
    if (pid === process.pid || !isMarked(pid, mark)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(`${markName}=${mark}`);
  } catch {
    return false;
  }
}
