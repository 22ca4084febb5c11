/** Runs test files with an edit in place, in one process: did they notice? */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run/files.ts';
import { compileAll, compiled, compiledFolder } from './coverage/compile.ts';
import { type Edit, edited } from './edit.ts';

export interface Tried {
  /**
   * `loop`: they used up processor time far beyond their need, which is noticed as well. `late`: they were waiting for
   * something when their time was up. On a busy machine, this says nothing.
   */
  readonly end: 'noticed' | 'loop' | 'late' | 'survived';
  readonly output: string;
}

export interface Bounds {
  /** The kernel counts it: what runs beside is of no consequence. */
  readonly cpuSeconds: number;
  readonly deadlineMs: number;
}

const reporter = new URL('./first-failure.ts', import.meta.url).href;
const start = new URL('./coverage/start.mjs', import.meta.url).href;
let isCompiled = false;

export interface EditedProcess {
  /** Before the file that is run. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** How Node is started in the project's root, so that the sources have the edit; `edit` null: as they are. */
export function editedProcess(edit: Edit | null): EditedProcess {
  if (!isCompiled) compileAll();
  isCompiled = true;
  const { CRAWLSTREAM_TEST_MUTANT: _, ...own } = process.env;
  const env = { ...own, CRAWLSTREAM_TEST_COMPILED: compiledFolder };
  return {
    args: ['--import', start],
    env: edit === null ? env : { ...env, CRAWLSTREAM_TEST_MUTANT: planted(edit) },
  };
}

/** `edit` null: as the sources are. */
export function tryEdit(
  edit: Edit | null,
  tests: readonly string[],
  { cpuSeconds, deadlineMs }: Bounds,
): Promise<Tried> {
  const missing = tests.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`no such test file: ${missing.join(', ')}`);
  const { args, env } = editedProcess(edit);
  const child = spawn(
    'sh',
    [
      ...['-c', 'ulimit -S -t "$0" && exec "$@"', String(Math.ceil(cpuSeconds)), process.execPath],
      ...[...args, `--test-reporter=${reporter}`, '--test-reporter-destination=stdout', 'test/run/shard.ts'],
      ...tests,
    ],
    {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) => {
    let late = false;
    const end = () => {
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    const timer = setTimeout(() => {
      late = true;
      end();
    }, deadlineMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      end();
      if (late) resolve({ end: 'late', output });
      else if (signal === 'SIGXCPU') resolve({ end: 'loop', output });
      else resolve({ end: code === 0 ? 'survived' : 'noticed', output });
    });
  });
}

function planted(edit: Edit): string {
  const { file } = edit;
  const { code } = compiled(edited(readFileSync(join(root, file), 'utf8'), edit), file);
  return JSON.stringify({ file, code });
}
