/** curl, wget and Node's fetch: each reads a body and decodes its content coding. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { bodyReading } from './body-reading.ts';
import type { Reading } from './reading.ts';
import type { OddHosts } from './serve.ts';

export type Reader = (hosts: OddHosts, numbers: readonly number[]) => Promise<ReadonlyMap<number, Reading>>;

const answersAtOnce = 8;
const timeoutMs = 5000;

/** Answers are asked for one by one, several at once. */
function oneByOne(read: (url: string, file: string) => Promise<Reading>): Reader {
  return async (hosts, numbers) => {
    const folder = mkdtempSync(join(tmpdir(), 'differential-'));
    const readings = new Map<number, Reading>();
    const left = [...numbers];
    const readAll = async () => {
      for (let n = left.shift(); n !== undefined; n = left.shift())
        readings.set(n, await read(hosts.urlOf(n), join(folder, `${n}`)));
    };
    await Promise.all(Array.from({ length: answersAtOnce }, readAll));
    rmSync(folder, { recursive: true, force: true });
    return readings;
  };
}

/** A process for each answer: curl gives up all URLs of its command line at some answers. */
function tool(program: string, argumentsOf: (url: string, file: string) => readonly string[]): Reader {
  return oneByOne(async (url, file) => {
    const isWhole = await succeeds(program, argumentsOf(url, file));
    const reading = bodyReading(bytesOf(file));
    // An answer that a tool calls broken is not whole, even if all of it has come.
    return reading.got === 'whole' && !isWhole ? { got: 'part' } : reading;
  });
}

/** Rejects if the program cannot be started. */
function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: 2 * timeoutMs }, (error) => {
      if (error !== null && typeof error.code === 'string') reject(error);
      else resolve(error === null);
    });
  });
}

export const curl = tool('curl', (url, file) => [
  ...['-q', '-s', '-L', '-b', '', '--compressed', '--max-time', '5'],
  ...['-o', file, url],
]);

export const wget = tool('wget', (url, file) => [
  ...['-q', '--no-config', '--compression=auto', '--tries=1', '--timeout=5', '--no-hsts'],
  ...['-O', file, url],
]);

/** At some bodies that are cut, Node's fetch neither ends nor obeys its signal, so this time limit is needed. */
export const nodeFetch = oneByOne((url) =>
  Promise.race([fetchReading(url), wait<Reading>(timeoutMs, { got: 'nothing' }, { ref: false })]),
);

async function fetchReading(url: string): Promise<Reading> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    return bodyReading(Buffer.from(await response.arrayBuffer()));
  } catch {
    return { got: 'nothing' };
  }
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
