/**
 * The one door for what commands print: whatever is in it that a terminal would obey is shown (inert.ts), since any of it
 * may be a stranger's: a title, a URL, a line of robots.txt, what a broken host said. Nothing else in services/cli writes to
 * either stream; what draws bars, in this folder, sends its own codes around text that has been through `inert`.
 */
import { inert } from './inert.ts';

/** False: wait for `drain` before the next. */
export function toStdout(text: string): boolean {
  return process.stdout.write(inert(text));
}

export function toStderr(text: string): boolean {
  return process.stderr.write(inert(text));
}
