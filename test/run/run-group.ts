/** One test process: started, listened to, and ended with everything it started, whatever becomes of it. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { endMarked, markName } from './end-processes.ts';
import { root } from './files.ts';
import type { ProcessEnd, TestResult } from './reporter.ts';

export interface GroupResult {
  readonly reported: readonly TestResult[];
  /** What it printed besides. */
  readonly output: string;
  /** Of the processor, as its last line says; 0: it did not come so far. */
  readonly cpuMs: number;
  /** Why the process itself failed; empty: it did not. */
  readonly fault: string;
}

const reporter = new URL('./reporter.ts', import.meta.url).href;
const shard = 'test/run/shard.ts';

export interface Deadlines {
  /** Then it is killed, with its children, and the last test that ended is named. */
  readonly deadlineMs: number;
  /** The same once a test has failed and nothing more is heard: what it left open may keep its process for ever. */
  readonly afterFailureMs: number;
}

export function runGroup(
  files: readonly string[],
  { deadlineMs, afterFailureMs }: Deadlines,
  onStatus: (reported: TestResult) => void,
  env: NodeJS.ProcessEnv = {},
): Promise<GroupResult> {
  const args = ['--import', 'tsx', `--test-reporter=${reporter}`, '--test-reporter-destination=stdout', shard];
  const mark = randomUUID();
  // A process group of its own, so that a test that hangs leaves no broker behind.
  const child = spawn(process.execPath, [...args, ...files], {
    cwd: root,
    env: { ...process.env, ...env, [markName]: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.set(child.pid!, mark);
  const reported: TestResult[] = [];
  const output: string[] = [];
  let cpuMs = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const one = reportOf(line);
    if (one === undefined) return output.push(line);
    if (one.kind === 'end') return (cpuMs = one.cpuMs);
    reported.push(one);
    onStatus(one);
    if (one.kind === 'fail' || lingering !== undefined) lingers();
  });
  let lingering: NodeJS.Timeout | undefined;
  const lingers = () => {
    clearTimeout(lingering);
    lingering = setTimeout(() => endGroup(child.pid!, mark), afterFailureMs);
  };
  createInterface({ input: child.stderr }).on('line', (line) => output.push(line));
  return new Promise((resolve) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child.pid!, mark);
    }, deadlineMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      clearTimeout(lingering);
      endGroup(child.pid!, mark);
      running.delete(child.pid!);
      const failed = reported.some(({ kind }) => kind === 'fail');
      let fault = '';
      if (late)
        fault = `not done after ${deadlineMs / 1000} s; the last that ended was: ${reported.at(-1)?.name ?? 'none'}`;
      else if (reported.length === 0) fault = `ran no test (exit ${code ?? signal})`;
      else if (code !== 0 && !failed) fault = `ended with ${code ?? signal}, though no test failed`;
      resolve({ reported, output: output.join('\n'), cpuMs, fault });
    });
  });
}

/** Process group → mark. */
const running = new Map<number, string>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    for (const [pid, mark] of running) endGroup(pid, mark);
    process.exit(130);
  });
}

function reportOf(line: string): TestResult | ProcessEnd | undefined {
  if (!line.startsWith('{"kind":"')) return undefined;
  try {
    return JSON.parse(line) as TestResult | ProcessEnd;
  } catch {
    return undefined;
  }
}

function endGroup(pid: number, mark: string): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
  endMarked(mark);
}
