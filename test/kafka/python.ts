/** Python with packages from its registry, for tests that need an independent reader; fetched once into the cache folder. */
import { execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, fetchOnce } from '../../lab/kafka/components.ts';

const run = promisify(execFile);

/** Pinned: a test must not change by itself. */
const packages = ['confluent-kafka==2.16.1', 'fastavro==1.13.1', 'warcio==1.8.1'];
const folderName = 'python-1';

let reason: Promise<string | undefined> | undefined;

/** Why Python can't be used here; undefined where it can. Where `CI` is set, that is a failure: there, nothing is skipped. */
export async function pythonSkipReason(): Promise<string | undefined> {
  reason ??= findMissing();
  const missing = await reason;
  if (missing && process.env['CI']) throw new Error(`${missing}: in CI nothing may be skipped`);
  return missing;
}

async function findMissing(): Promise<string | undefined> {
  try {
    await run('python3', ['-c', 'import sys; assert sys.version_info >= (3, 9)']);
  } catch {
    return 'no Python 3.9 or later here';
  }
  try {
    await fetchOnce(folderName, async (folder) => {
      await run('python3', [
        '-m',
        'pip',
        'install',
        '-q',
        '--disable-pip-version-check',
        '--target',
        folder,
        ...packages,
      ]);
    });
    return undefined;
  } catch (error) {
    return `Python's packages could not be fetched: ${(error as Error).message.split('\n')[0]}`;
  }
}

export interface PythonRun {
  readonly output: () => string;
  /** Ends it, if it has not ended. */
  stop(): Promise<void>;
  /** Resolves with its exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>;
}

export function startPython(program: string, args: readonly string[]): PythonRun {
  const env = { ...process.env, PYTHONPATH: join(cacheFolder, folderName), PYTHONUNBUFFERED: '1' };
  const child = spawn('python3', ['-c', program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    output: () => text,
    ended,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Resolves with what it prints; rejects, with that, if it fails. */
export async function runPython(program: string, args: readonly string[]): Promise<string> {
  const { ended, output } = startPython(program, args);
  const code = await ended;
  if (code !== 0) throw new Error(`Python ended with ${code}:\n${output()}`);
  return output();
}
