/**
 * What each unit test file executes, measured once and kept in `.cache/mutation`: measured again when the test, or any file
 * that it loads or reads, is another.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../run/files.ts';
import { inParallel } from '../in-parallel.ts';
import { compileAll, compiled, compiledFolder } from './compile.ts';
import { executed, spansOf } from './executed.ts';
import { decodedMappings } from './mappings.ts';
import type { Recorded } from './record.ts';

export interface Recording {
  readonly test: string;
  /** Processor time until a process with this test alone has loaded it, in milliseconds. */
  readonly loadMs: number;
  /** And of the test itself. */
  readonly cpuMs: number;
  /** File → the parts of it that ran, as pairs of offsets. */
  readonly ran: Readonly<Record<string, readonly number[]>>;
}

interface Kept extends Recording {
  /** Raised where what is recorded changes. */
  readonly version: number;
  readonly node: string;
  /** File → hash of what it held, of everything that the test loaded or read. A folder ends in `/` or `/**`. */
  readonly loaded: Readonly<Record<string, string>>;
}

const version = 3;
const keptFolder = join(root, '.cache/mutation/recordings');
const start = new URL('./start.mjs', import.meta.url).href;
const record = new URL('./record.ts', import.meta.url).href;
/** Where mutants may be. */
const recordedFolders = ['topology', 'services'];
const deadlineMs = 600_000;

export interface Recordings {
  readonly recordings: readonly Recording[];
  /** Tests that fail as the sources are, or do not end, twice: they tell nothing of a mutant. */
  readonly failing: readonly string[];
}

export async function recordingsOf(
  tests: readonly string[],
  parallel: number,
  onProgress: (done: number, of: number) => void,
  folder = keptFolder,
): Promise<Recordings> {
  mkdirSync(folder, { recursive: true });
  const hashes = new Map<string, string>();
  const recordings: Recording[] = [];
  const missing: string[] = [];
  for (const test of tests) {
    const kept = keptOf(join(folder, nameOf(test)), hashes);
    if (kept === undefined) missing.push(test);
    else recordings.push(kept);
  }
  if (missing.length === 0) return { recordings, failing: [] };
  const work = mkdtempSync(join(tmpdir(), 'crawlstream-mutation-'));
  try {
    compileAll();
    let done = 0;
    const failedOnce: string[] = [];
    const failing: string[] = [];
    const attempt = async (test: string, failed: string[]) => {
      const output = join(work, nameOf(test));
      const made = (await runRecorded(test, output)) ? recordingIn(test, output, hashes) : undefined;
      if (made === undefined) failed.push(test);
      else {
        writeFileSync(join(folder, nameOf(test)), JSON.stringify(made));
        recordings.push(made);
      }
      rmSync(output, { force: true });
    };
    await inParallel(missing, parallel, async (test) => {
      await attempt(test, failedOnce);
      onProgress(++done, missing.length);
    });
    // Alone: beside others it may only have been late.
    for (const test of failedOnce) await attempt(test, failing);
    return { recordings, failing };
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** False: the test failed, or did not end. */
function runRecorded(test: string, output: string): Promise<boolean> {
  const child = spawn(process.execPath, ['--import', start, '--import', record, 'test/run/shard.ts', test], {
    cwd: root,
    env: { ...process.env, CRAWLSTREAM_TEST_RECORDING: output, CRAWLSTREAM_TEST_COMPILED: compiledFolder },
    stdio: 'ignore',
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
  });
  return new Promise((resolve) => child.on('close', (code) => resolve(code === 0 && existsSync(output))));
}

function recordingIn(test: string, output: string, hashes: Map<string, string>): Kept {
  const { loadMs, cpuMs, modules, read } = JSON.parse(readFileSync(output, 'utf8')) as Recorded;
  const ran: Record<string, readonly number[]> = {};
  const loaded: Record<string, string> = {};
  for (const { file, ranges } of modules) {
    if (!existsSync(join(root, file))) continue;
    loaded[file] = hashOf(file, hashes)!;
    if (!file.endsWith('.ts') || !recordedFolders.includes(file.split('/')[0]!)) continue;
    const source = readFileSync(join(root, file), 'utf8');
    const { code, mappings } = compiled(source, file);
    ran[file] = spansOf(executed(decodedMappings(mappings, code, source), ranges));
  }
  for (const path of read) {
    const hash = hashOf(path, hashes);
    // What the test has made and removed again is not its input.
    if (hash !== undefined) loaded[path] = hash;
  }
  return { version, node: process.version, test, loadMs, cpuMs, ran, loaded };
}

function keptOf(path: string, hashes: Map<string, string>): Recording | undefined {
  let kept: Kept;
  try {
    kept = JSON.parse(readFileSync(path, 'utf8')) as Kept;
  } catch {
    // Never measured, or cut off while it was written.
    return undefined;
  }
  if (kept.version !== version || kept.node !== process.version) return undefined;
  const isSame = ([file, hash]: [string, string]) => hashOf(file, hashes) === hash;
  return Object.entries(kept.loaded).every(isSame) ? kept : undefined;
}

/** Undefined: it is not there. */
function hashOf(path: string, hashes: Map<string, string>): string | undefined {
  const there = join(root, path.replace(/\/(?:\*\*)?$/, ''));
  if (!hashes.has(path) && existsSync(there)) {
    const bytes = path.endsWith('/') || path.endsWith('/**') ? namesIn(there, path.endsWith('*')) : readFileSync(there);
    hashes.set(path, createHash('sha256').update(bytes).digest('hex'));
  }
  return hashes.get(path);
}

function namesIn(folder: string, recursive: boolean): string {
  return (readdirSync(folder, { recursive }) as string[]).sort().join('\n');
}

function nameOf(test: string): string {
  return `${test.replaceAll('/', '+')}.json`;
}
