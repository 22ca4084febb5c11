/**
 * Measures in a process of its own: the compiled product, on one core, with the flags that the commands run with. What
 * tsx does to functions, a second core for RocksDB's threads, and code warmed by an earlier run would all show.
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
/** File descriptor the answer comes back on. */
const answerFd = 3;

/**
 * What `measure` gives when bench `name` is run with `args` in a process of its own, by way of JSON. Undefined in that
 * process: its work is done then.
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

/** To measure what another bench's process measures: that process never comes here. */
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
