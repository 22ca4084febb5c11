/**
 * Lowers the priority of a process beside a crawl, so that the owner of the partition does not wait for it.
 *
 * Linux keeps priorities by thread, and each inherits that of its creator: the process has to be new.
 */
import type { ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

/** The default of `nice`. */
const steps = 10;
const niceMax = 19;

export function yieldProcessor({ pid }: Pick<ChildProcess, 'pid'>): void {
  // There is no pid: the process could not be started, which its own event reports.
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(niceMax, getPriority() + steps));
  } catch (error) {
    // Either it has ended already, or the system does not allow it: then it runs at normal priority.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}
