/** How busy this machine's processors are, whoever keeps them so. */
import { cpus } from 'node:os';

/** Shares of all processors' time, 0 to 1, since it was asked before. */
export function watchProcessors(): () => { readonly idle: number } {
  let before = times();
  return () => {
    const now = times();
    const all = now.all - before.all;
    const idle = all > 0 ? (now.idle - before.idle) / all : 0;
    before = now;
    return { idle };
  };
}

function times(): { readonly all: number; readonly idle: number } {
  let [all, idle] = [0, 0];
  for (const { times } of cpus()) {
    all += times.user + times.nice + times.sys + times.irq + times.idle;
    idle += times.idle;
  }
  return { all, idle };
}
