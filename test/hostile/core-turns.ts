/**
 * Who gets a core first: the process that is measured and what serves it, before those who attack it. On a machine
 * with too few cores, the attackers' own work would otherwise count against the process.
 */
import { setPriority } from 'node:os';

/** Where the machine does not let this user do so, all are equal. */
export function setFirst(pid: number): void {
  set(pid, -10);
}

export function setLast(pid: number): void {
  set(pid, 19);
}

function set(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended, or this user may not.
  }
}
