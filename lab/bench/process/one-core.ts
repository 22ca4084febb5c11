/**
 * Measures in a separate process: the compiled product, on one core, with the flags that the commands run with.
 * Otherwise the results would include tsx's changes to functions, a second core for RocksDB's threads, and code that an
 * earlier run warmed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { build, compiledMain } from './compiled.ts';
import { canPinTo } from './compiled-process.ts';

const core = 1;
const mark = 'CRAWLSTREAM_BENCH_ON_ONE_CORE';
/** Is this the process that measures for another? */
export const isOnOneCore = process.env[mark] !== undefined;
/** File descriptor on which the result is returned. */
const answerFd = 3;

/**
 * Returns the result of `measure` for bench `name` with `args`, from a separate process, as JSON. In that process it
 * returns undefined: its work is then done.
 */
export async function onOneCore<T>(
  name: string,
  args: readonly string[],
  measure: () => Promise<T>,
): Promise<T | undefined> {
  if (isOnOneCore) {
    writeSync(answerFd, JSON.stringify(await measure()));
    return undefined;
  }
  build();
  const flags = ['--max-semi-space-size=32', '--expose-gc', compiledMain, name, ...args];
  const child = canPin
    ? start('taskset', ['-c', `${core}`, process.execPath, ...flags])
    : start(process.execPath, flags);
  const answer = child.stdio[answerFd] as NodeJS.ReadableStream;
  let text = '';
  for await (const chunk of answer) text += chunk.toString();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  if (text === '') throw new CrawlstreamError('INVALID_ARGUMENT', 'it ended without a figure: see what it said above');
  return JSON.parse(text) as T;
}

/** For a bench that measures with another bench's process: that process never reaches this line. */
export function neverHere(): never {
  throw new Error('this measurement belongs to another process');
}

/** False if this machine has no `taskset`: then the figures cover all cores. */
export const canPin = canPinTo([core]);

function start(command: string, args: readonly string[]) {
  return spawn(command, [...args], {
    env: { ...process.env, NODE_OPTIONS: '', [mark]: '1' },
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  });
}
