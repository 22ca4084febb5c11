/** Processes of the compiled product, as users run them, on a separate core if wanted. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './compiled.ts';
import type { Usage } from './fetch-usage.ts';

export type Stdio = readonly ('pipe' | 'ignore' | 'inherit')[];

/** False if this machine has no `taskset`, or fewer cores: then processes run on any core. */
export function canPinTo(cores: readonly number[]): boolean {
  try {
    execFileSync('taskset', ['-c', cores.join(','), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** `node ARGS` in the project's folder; `core` null: on any. */
export function startNode(
  core: number | null,
  args: readonly string[],
  stdio: Stdio,
  more: NodeJS.ProcessEnv = {},
): ChildProcess {
  const env = { ...process.env, CRAWLSTREAM_BENCH_USAGE: '1', NODE_OPTIONS: '', ...more };
  const command = core === null ? process.execPath : 'taskset';
  const pinning = core === null ? [] : ['-c', `${core}`, process.execPath];
  return spawn(command, [...pinning, ...args], { cwd: projectRoot, env, stdio: [...stdio] });
}

export interface CommandOptions {
  readonly core: number | null;
  /** Flags of Node. */
  readonly node?: readonly string[];
  /** The command, run in the project's root; by default the product's. */
  readonly entry?: string | undefined;
  /** Folder for a CPU profile. */
  readonly profile?: string | undefined;
  /** Folder in which each process writes its resource use, including processes that the command starts. */
  readonly usages?: string | undefined;
}

export interface MeasuredCommand {
  readonly child: ChildProcess;
  /** After its end: its output and its resource use. Throws its error output if it failed. */
  readonly ended: Promise<{ readonly stdout: string; readonly usage: Usage }>;
}

/** `crawlstream ARGS`, which reports its resource use at its end. */
export function startMeasured(args: readonly string[], options: CommandOptions): MeasuredCommand {
  const { core, node = [], profile, usages } = options;
  // Stages are found by the files of functions, which the bundle joins into one.
  const { entry = profile === undefined ? 'dist/bundle/crawlstream.js' : 'dist/services/cli/main.js' } = options;
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const usageModule = pathToFileURL(join(projectRoot, 'dist/lab/bench/process/fetch-usage.js')).href;
  const child = startNode(
    core,
    [...profiling, ...node, '--import', usageModule, entry, ...args],
    ['ignore', 'pipe', 'pipe', 'pipe'],
    usages === undefined ? {} : { CRAWLSTREAM_BENCH_USAGE_FOLDER: usages },
  );
  const ended = (async () => {
    const [stdout = '', errors, usage = ''] = await Promise.all(child.stdio.slice(1).map((stream) => text(stream)));
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    if (usage === '') throw new Error(`crawlstream ${args[0]} failed: ${errors}`);
    return { stdout, usage: JSON.parse(usage) as Usage };
  })();
  // The caller that awaits gets the error.
  ended.catch(() => {});
  return { child, ended };
}

async function text(stream: unknown): Promise<string> {
  let all = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) all += chunk.toString();
  return all;
}
