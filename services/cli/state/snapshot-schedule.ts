/**
 * Snapshots on a schedule, each taken by a process of its own beside this one.
 *
 * That process reads what this one writes, at low priority, so nothing here waits for it, and its memory is freed when
 * it ends. Snapshots are taken one at a time; a failure is reported, and the next is taken when it is due.
 */
import { spawn } from 'node:child_process';
import type { Clock } from '../../runtime/clock.ts';
import { yieldProcessor } from './yield-processor.ts';

export interface SnapshotSchedule {
  readonly everyMs: number;
  readonly clock: Clock;
  /** Arguments of `crawlstream state snapshot` for the present state; null: there is nothing to take. */
  arguments(): readonly string[] | null;
  say(text: string): void;
}

/** Resolves once the signal is aborted, and the one under way has been given up. */
export async function takeSnapshots(schedule: SnapshotSchedule, signal: AbortSignal): Promise<void> {
  const { everyMs, clock, say } = schedule;
  for (;;) {
    await clock.sleepUntil(clock.nowMs() + everyMs, signal);
    if (signal.aborted) return;
    const args = schedule.arguments();
    if (args === null) continue;
    const problem = await run(args, signal);
    if (signal.aborted) return;
    if (problem !== undefined) say(`a snapshot failed: ${problem}; the next is due in ${Math.round(everyMs / 1000)} s`);
  }
}

/** The error output of a failed run. */
async function run(args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, 'state', 'snapshot', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  yieldProcessor(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4_096)));
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return code === 0 ? undefined : lastLine(said) || `it ended with code ${code}`;
  } catch (error) {
    return (error as Error).message;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function lastLine(text: string): string {
  return (text.trimEnd().split('\n').at(-1) ?? '').replace(/^crawlstream: /, '');
}
