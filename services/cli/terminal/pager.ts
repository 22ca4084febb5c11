/**
 * Sends long output on a terminal through a pager, as git does: `PAGER`, else less, which exits at once if all fits on
 * one screen. Other output (a pipe, a file, `--no-pager`, `PAGER=cat`) is written directly.
 *
 * When the user leaves the pager, the rest is not written, and that is not an error.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Command } from 'commander';
import type { WriteLine } from '../../hosting/inspect/write-line.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import { inert } from '../../runtime/logging/inert.ts';

export interface PagerFlags {
  readonly pager?: boolean;
}

export function addPagerOption(command: Command): Command {
  return command.option('--no-pager', 'print everything at once; by default a terminal gets it through $PAGER or less');
}

export async function paged({ pager = true }: PagerFlags, act: (write: WriteLine) => Promise<void>): Promise<void> {
  const command = pager && process.stdout.isTTY ? pagerOf(process.env) : undefined;
  if (command === undefined) return act((line) => written(toStdout(`${line}\n`), process.stdout));
  const child = spawn('sh', ['-c', command], {
    stdio: ['pipe', 'inherit', 'inherit'],
    // The same options as git's: quit if it fits on one screen, keep colours, leave the screen as it is.
    env: { LESS: 'FRX', ...process.env },
  });
  const ended = once(child, 'close');
  let isOpen = true;
  const over = () => (isOpen = false);
  child.on('close', over);
  child.stdin.on('error', over);
  // Ctrl-C is for the pager, which has the terminal.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    await act(
      async (line) => isOpen && (await written(child.stdin.write(inert(`${line}\n`)), child.stdin, ended)) && isOpen,
    );
  } finally {
    child.stdin.end();
    await ended;
    process.off('SIGINT', ignore);
  }
}

async function written(takesMore: boolean, out: Writable, ended?: Promise<unknown>): Promise<true> {
  if (!takesMore) await Promise.race([once(out, 'drain').catch(() => {}), ...(ended ? [ended] : [])]);
  return true;
}

/** Undefined: none. */
export function pagerOf(env: NodeJS.ProcessEnv): string | undefined {
  const named = env['PAGER'];
  if (named !== undefined) return named === '' || named === 'cat' ? undefined : named;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => isProgram(join(folder, 'less'))) ? 'less' : undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
