/**
 * The real `crawlstream` command as a child process: the built one, which starts in half the time, or from its
 * TypeScript if that is newer.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Ended {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** All of both outputs so far. */
  readonly output: () => string;
  readonly ended: Promise<Ended>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = `${root}dist/bundle/crawlstream.js`;
/** Absolute, so that a test may run the command in a folder that has no node_modules. */
const fromTypeScript = ['--import', import.meta.resolve('tsx')];
export const builtCommand: readonly string[] = isBuilt() ? [built] : [...fromTypeScript, `${root}services/cli/main.ts`];

/** True if the build is as new as every source. */
function isBuilt(): boolean {
  const builtMs = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ['topology', 'services', 'schemas'].every((folder) =>
    readdirSync(root + folder, { recursive: true }).every(
      (file) => !/\.(ts|json|avsc)$/.test(`${file}`) || statSync(`${root}${folder}/${file}`).mtimeMs <= builtMs,
    ),
  );
}

/** A crawl that hangs would hang the suite: no command here takes this long, even on a busy machine. ms */
const patienceMs = 180_000;

export interface CommandOptions {
  readonly cwd?: string;
  /** Absent: that of the test. */
  readonly env?: NodeJS.ProcessEnv;
  /** Shell text put before the command, such as `ulimit -f 100;`. */
  readonly shellPrefix?: string;
  /** The command is killed after this, ms. Absent: three minutes. */
  readonly patienceMs?: number;
  /** Another script in the place of the command. */
  readonly script?: string;
}

export function startCommand(args: readonly string[], options: CommandOptions = {}): Running {
  const script = options.script === undefined ? builtCommand : [...fromTypeScript, options.script];
  const argv = [process.execPath, ...script, ...args];
  const [file, ...rest] =
    options.shellPrefix === undefined ? argv : ['/bin/sh', '-c', `${options.shellPrefix} exec "$@"`, 'sh', ...argv];
  const child = spawn(file!, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(options.cwd && { cwd: options.cwd }),
    ...(options.env && { env: options.env }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const patience = setTimeout(() => child.kill('SIGKILL'), options.patienceMs ?? patienceMs);
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(patience);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return { child, output: () => stdout + stderr, ended };
}

export function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return startCommand(args, options).ended;
}

/** The object on the last line of the output, as `--json` prints it. */
export function lastJson({ stdout, stderr }: Ended): Record<string, unknown> {
  const line = stdout.trimEnd().split('\n').at(-1) ?? '';
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (cause) {
    throw new Error(`the last line is no JSON: ${line}\n${stderr}`, { cause });
  }
}
