/** The descriptors of this process: how many are open, and how many may be. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Descriptors {
  readonly open: number;
  readonly max: number;
}

/** Undefined if the system does not report it: it is not Linux. */
export function descriptors(): Descriptors | undefined {
  try {
    const max = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return max === undefined ? undefined : { open: readdirSync('/proc/self/fd').length, max: Number(max) };
  } catch {
    return undefined;
  }
}
