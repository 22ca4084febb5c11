/**
 * Names a process in a file, so that a reader on the same machine sees at once that it has ended.
 *
 * Process numbers count within one boot and one namespace: from another container, or another machine, nothing is
 * known.
 */
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** One line, for a file. */
export async function nameOfThisProcess(): Promise<string> {
  return `${process.pid} ${(await placeOfNumbers()) ?? '-'}\n`;
}

/** True: the process of that line has ended. False: it runs, or this machine cannot know. */
export async function hasEnded(line: string): Promise<boolean> {
  const [, pid, place] = /^([1-9]\d{0,9}) (\S+)\n$/.exec(line) ?? [];
  if (pid === undefined || place !== (await placeOfNumbers())) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** The place in which a process number means one process; null: unknown. */
async function placeOfNumbers(): Promise<string | null> {
  if (process.platform !== 'linux') return encodeURIComponent(hostname());
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    return `${boot.trim()}/${await readlink('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}
