/**
 * Snapshots on a schedule, each taken by a separate process beside this one.
 *
 * That process reads what this one writes, at low priority, so nothing here waits for it, and its memory is freed when
 * it ends. Snapshots are taken one at a time; a failure is reported, and the next is taken when it is due.
 */
import { spawn } from 'node:child_process';
import type { Clock } from '../../runtime/clock.ts';
import type { SnapshotMeter } from './snapshot-meter.ts';
import { yieldProcessor } from './yield-processor.ts';

export interface SnapshotSchedule {
  readonly everyMs: number;
  readonly clock: Clock;
  /** Arguments of `crawlstream state snapshot` for the present state; null: there is nothing to take. */
  arguments(): readonly string[] | null;
  say(text: string): void;
  readonly meter: SnapshotMeter;
}

/** Resolves once the signal is aborted and a running snapshot has been cancelled. */
export async function takeSnapshots(schedule: SnapshotSchedule, signal: AbortSignal): Promise<void> {
  const { everyMs, clock, say, meter } = schedule;
  for (;;) {
    await clock.sleepUntil(clock.nowMs() + everyMs, signal);
    if (signal.aborted) return;
    const args = schedule.arguments();
    if (args === null) {
      meter.passed();
      continue;
    }
    const beganMs = clock.nowMs();
    const { problem, bytes } = await run(args, signal);
    if (signal.aborted) return;
    if (problem === undefined) meter.taken((clock.nowMs() - beganMs) / 1000, bytes);
    else {
      meter.failed();
      say(`a snapshot failed: ${problem}; the next is due in ${Math.round(everyMs / 1000)} s`);
    }
  }
}

interface Ran {
  /** The error output of a failed run. */
  readonly problem?: string;
  /** Size of the snapshot. */
  readonly bytes: number;
}

async function run(args: readonly string[], signal: AbortSignal): Promise<Ran> {
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1]!, 'state', 'snapshot', '--json', ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  yieldProcessor(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4_096)));
  let setting = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (setting += text));
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return code === 0
      ? { bytes: bytesIn(setting) }
      : { problem: lastLine(said) || `it ended with code ${code}`, bytes: 0 };
  } catch (error) {
    return { problem: (error as Error).message, bytes: 0 };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function bytesIn(setting: string): number {
  const { partitions } = JSON.parse(setting) as { readonly partitions: readonly { readonly bytes?: number }[] };
  return partitions.reduce((sum, { bytes = 0 }) => sum + bytes, 0);
}

function lastLine(text: string): string {
  return (text.trimEnd().split('\n').at(-1) ?? '').replace(/^crawlstream: /, '');
}
