/**
 * A process beside a crawl takes what the crawl leaves of the processor: whoever owns the partition does not wait for it.
 *
 * Linux keeps priorities by thread, and each begins with that of its maker: the process has to be new.
 */
import type { ChildProcess } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';

/** As much as `nice` without a number. */
const steps = 10;
const niceMax = 19;

export function yieldProcessor({ pid }: Pick<ChildProcess, 'pid'>): void {
  // None: it could not be started, which its own event tells.
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(niceMax, getPriority() + steps));
  } catch (error) {
    // It has ended already, or the system has no such thing for us: then it competes as any process.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
  }
}
