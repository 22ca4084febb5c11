/** Runs test files with an edit in place, in one process: did they notice? */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run/files.ts';
import type { Edit } from './edit.ts';

export interface Tried {
  /** `late`: they did not end, which is noticed as well. */
  readonly end: 'noticed' | 'late' | 'survived';
  readonly output: string;
}

const reporter = new URL('./first-failure.ts', import.meta.url).href;
const plant = new URL('./plant.ts', import.meta.url).href;

/** `edit` null: as the sources are. */
export function tryEdit(edit: Edit | null, tests: readonly string[], deadlineMs = 120_000): Promise<Tried> {
  const missing = tests.filter((file) => !existsSync(join(root, file)));
  if (missing.length > 0) throw new Error(`no such test file: ${missing.join(', ')}`);
  const { CRAWLSTREAM_TEST_MUTANT: _, ...env } = process.env;
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      '--import',
      plant,
      `--test-reporter=${reporter}`,
      '--test-reporter-destination=stdout',
      'test/run/shard.ts',
      ...tests,
    ],
    {
      cwd: root,
      env: edit === null ? env : { ...env, CRAWLSTREAM_TEST_MUTANT: JSON.stringify(edit) },
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
    child.on('close', (code) => {
      clearTimeout(timer);
      end();
      resolve({ end: late ? 'late' : code === 0 ? 'survived' : 'noticed', output });
    });
  });
}
