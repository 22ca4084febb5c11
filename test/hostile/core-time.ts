/** What the kernel's scheduler says of a process's first thread, which decides and answers: /proc/PID/task/PID/schedstat. */
import { readFileSync } from 'node:fs';

/** Since it began, ms. */
export interface CoreTime {
  readonly ranMs: number;
  /** Ready, without a core. */
  readonly waitedMs: number;
}

/** undefined: it has ended, or this is no Linux. */
export function coreTimeOf(pid: number | string): CoreTime | undefined {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
    return { ranMs: ran! / 1e6, waitedMs: waited! / 1e6 };
  } catch {
    return undefined;
  }
}

/** Of the time in which it could run, the part in which it had a core: 1 on a machine without other work. */
export function coreShareOf(time: Readonly<CoreTime> | undefined): number {
  return time === undefined || time.ranMs === 0 ? 1 : time.ranMs / (time.ranMs + time.waitedMs);
}
