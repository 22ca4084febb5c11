/**
 * What each unit test file executes, measured once and kept in `.cache/mutation`: measured again when the test or any file
 * that it loads is another.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  /** File → hash of what it held, of everything that the test loaded. */
  readonly loaded: Readonly<Record<string, string>>;
}

const version = 2;
const folder = join(root, '.cache/mutation/recordings');
const start = new URL('./start.mjs', import.meta.url).href;
const record = new URL('./record.ts', import.meta.url).href;
/** Where mutants may be. */
const recordedFolders = ['topology', 'services'];
const deadlineMs = 600_000;

export interface Recordings {
  readonly recordings: readonly Recording[];
  /** Tests that fail as the sources are, or don't end: they tell nothing of a mutant. */
  readonly failing: readonly string[];
}

export async function recordingsOf(
  tests: readonly string[],
  parallel: number,
  onProgress: (done: number, of: number) => void,
): Promise<Recordings> {
  mkdirSync(folder, { recursive: true });
  const hashes = new Map<string, string>();
  const recordings: Recording[] = [];
  const missing: string[] = [];
  for (const test of tests) {
    const kept = keptOf(test, hashes);
    if (kept === undefined) missing.push(test);
    else recordings.push(kept);
  }
  if (missing.length === 0) return { recordings, failing: [] };
  const work = mkdtempSync(join(tmpdir(), 'crawlstream-mutation-'));
  const failing: string[] = [];
  try {
    compileAll();
    let done = 0;
    await inParallel(missing, parallel, async (test) => {
      const output = join(work, nameOf(test));
      if (await runRecorded(test, output)) recordings.push(keep(test, output, hashes));
      else failing.push(test);
      rmSync(output, { force: true });
      onProgress(++done, missing.length);
    });
  } finally {
    rmSync(work, { recursive: true });
  }
  return { recordings, failing };
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

function keep(test: string, output: string, hashes: Map<string, string>): Recording {
  const { loadMs, cpuMs, modules } = JSON.parse(readFileSync(output, 'utf8')) as Recorded;
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
  const kept: Kept = { version, node: process.version, test, loadMs, cpuMs, ran, loaded };
  writeFileSync(join(folder, nameOf(test)), JSON.stringify(kept));
  return kept;
}

function keptOf(test: string, hashes: Map<string, string>): Recording | undefined {
  let kept: Kept;
  try {
    kept = JSON.parse(readFileSync(join(folder, nameOf(test)), 'utf8')) as Kept;
  } catch {
    // Never measured, or cut off while it was written.
    return undefined;
  }
  if (kept.version !== version || kept.node !== process.version) return undefined;
  const isSame = ([file, hash]: [string, string]) => hashOf(file, hashes) === hash;
  return Object.entries(kept.loaded).every(isSame) ? kept : undefined;
}

/** Undefined: it is not there. */
function hashOf(file: string, hashes: Map<string, string>): string | undefined {
  if (!hashes.has(file) && existsSync(join(root, file)))
    hashes.set(
      file,
      createHash('sha256')
        .update(readFileSync(join(root, file)))
        .digest('hex'),
    );
  return hashes.get(file);
}

function nameOf(test: string): string {
  return `${test.replaceAll('/', '+')}.json`;
}
