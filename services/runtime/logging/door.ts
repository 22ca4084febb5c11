/**
 * The only way in which commands print: anything that a terminal would obey is made visible (inert.ts), since any text
 * may come from a stranger: a title, a URL, a line of robots.txt, an error of a broken host. No
 * command writes to either stream in another way; what draws bars (services/cli/terminal) sends its own codes around text
 * that has been through `inert`.
 */
import { inert } from './inert.ts';

/** False: wait for `drain` before the next. */
export function toStdout(text: string): boolean {
  return process.stdout.write(inert(text));
}

export function toStderr(text: string): boolean {
  return process.stderr.write(inert(text));
}
