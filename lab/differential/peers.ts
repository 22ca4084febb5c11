/** curl, wget and Node's fetch: each reads a body and undoes its content coding. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bodyReading } from './body-reading.ts';
import type { Reading } from './reading.ts';
import type { OddHosts } from './serve.ts';

export type Reader = (hosts: OddHosts, numbers: readonly number[]) => Promise<ReadonlyMap<number, Reading>>;

/** Answers that one process of a tool is asked for. */
const perProcess = 50;
const processesAtOnce = 4;
const timeoutMs = 60_000;

/** A tool that writes answer N into the file N of a folder. */
function tool(program: string, argumentsOf: (urls: readonly string[], files: readonly string[]) => string[]): Reader {
  return async (hosts, numbers) => {
    const folder = mkdtempSync(join(tmpdir(), 'differential-'));
    const readings = new Map<number, Reading>();
    await inParallel(groups(numbers), processesAtOnce, async (some) => {
      const files = some.map((n) => join(folder, `${n}`));
      const failed = await run(program, argumentsOf(some.map(hosts.urlOf), files));
      for (const [i, n] of some.entries()) {
        const reading = bodyReading(bytesOf(files[i]!));
        // What a tool calls broken is no whole answer, though all of it may have come.
        readings.set(n, reading.got === 'whole' && failed.has(i) ? { got: 'part' } : reading);
      }
    });
    rmSync(folder, { recursive: true, force: true });
    return readings;
  };
}

/** Runs the program. Its standard output has a line `I CODE` for each answer I: the code is not 0 if it failed. */
function run(program: string, args: readonly string[]): Promise<ReadonlySet<number>> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: timeoutMs, maxBuffer: 1 << 24 }, (error, stdout) => {
      if (error !== null && typeof error.code === 'string') return reject(error);
      const lines = stdout.split('\n').map((line) => line.trim().split(' ').map(Number));
      resolve(new Set(lines.filter(([, code]) => code !== undefined && code !== 0).map(([i]) => i!)));
    });
  });
}

export const curl = tool('curl', (urls, files) => [
  ...['-q', '-s', '--compressed', '--max-time', '5', '-w', '%{urlnum} %{exitcode}\\n'],
  ...urls.flatMap((url, i) => ['-o', files[i]!, url]),
]);

/** wget has one exit code for all its URLs: a process of the shell asks for each. */
export const wget = tool('sh', (urls, files) => {
  const flags = '-q --no-config --compression=auto --tries=1 --timeout=5 --no-hsts';
  const lines = urls.map((url, i) => `wget ${flags} -O '${files[i]}' '${url}'; echo "${i} $?"`);
  return ['-c', lines.join('\n')];
});

export const nodeFetch: Reader = async (hosts, numbers) => {
  const readings = new Map<number, Reading>();
  await inParallel(numbers, 8, async (n) => {
    readings.set(n, await fetchReading(hosts.urlOf(n)));
  });
  return readings;
};

async function fetchReading(url: string): Promise<Reading> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    return bodyReading(Buffer.from(await response.arrayBuffer()));
  } catch {
    return { got: 'nothing' };
  }
}

async function inParallel<T>(items: readonly T[], width: number, act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

function groups(numbers: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(numbers.length / perProcess) }, (_, i) =>
    numbers.slice(i * perProcess, (i + 1) * perProcess),
  );
}

function bytesOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}
