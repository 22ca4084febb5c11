/** CPU time of this process by kind of thread (Linux, proc(5); clock ticks of 10 ms). Elsewhere undefined. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ThreadCpu {
  /** JavaScript. */
  readonly mainMs: number;
  /** RocksDB's flushes and compactions. */
  readonly rocksdbMs: number;
  /** Node's: garbage collection beside the main thread, and calls into RocksDB that the main thread waits for. */
  readonly helperMs: number;
}

const tickMs = 10;

export function threadCpu(): ThreadCpu | undefined {
  let threads: string[];
  try {
    threads = readdirSync('/proc/self/task');
  } catch {
    return undefined;
  }
  let [mainMs, rocksdbMs, helperMs] = [0, 0, 0];
  for (const thread of threads) {
    const spent = cpuMillisOf(`/proc/self/task/${thread}`);
    if (Number.isNaN(spent.millis)) continue;
    if (Number(thread) === process.pid) mainMs += spent.millis;
    else if (spent.name.startsWith('rocksdb')) rocksdbMs += spent.millis;
    else helperMs += spent.millis;
  }
  return { mainMs, rocksdbMs, helperMs };
}

/** For a thread's folder or a process's (`/proc/PID`); NaN if it is gone, or the system does not report it. */
export function cpuMillisOf(folder: string): { readonly name: string; readonly millis: number } {
  try {
    const stat = readFileSync(`${folder}/stat`, 'latin1');
    const nameEnd = stat.lastIndexOf(')');
    const fields = stat.slice(nameEnd + 2).split(' ');
    // User and system time, fields 14 and 15.
    return {
      name: stat.slice(stat.indexOf('(') + 1, nameEnd),
      millis: (Number(fields[11]) + Number(fields[12])) * tickMs,
    };
  } catch {
    return { name: '', millis: Number.NaN };
  }
}
