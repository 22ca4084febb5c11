/** A server that a site runs: started, waited for until it answers, ended with all processes that it started itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const startMs = 60_000;
const stopMs = 10_000;

export function startServer(
  url: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<() => Promise<void>> {
  return runProcess(command, args, env, async () => {
    const answered = await fetch(url, { redirect: 'manual' }).catch(() => undefined);
    await answered?.body?.cancel();
    return answered !== undefined;
  });
}

/** Gives what ends it. */
export async function runProcess(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  answers: () => Promise<boolean>,
): Promise<() => Promise<void>> {
  // A process group of its own: PHP's server leaves its workers behind when it is ended alone.
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const orphaned = () => signal(child, 'SIGKILL');
  process.once('exit', orphaned);
  child.once('exit', () => process.off('exit', orphaned));
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said = (said + bytes).slice(-2_000)));
  child.on('error', (error) => (said += error.message));
  for (const untilMs = Date.now() + startMs; !(await answers()); ) {
    if (child.exitCode !== null || child.pid === undefined || Date.now() > untilMs) {
      await stop(child);
      throw new Error(`${command} does not answer: ${said}`);
    }
    await sleep(100);
  }
  return () => stop(child);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  signal(child, 'SIGTERM');
  const killing = setTimeout(() => signal(child, 'SIGKILL'), stopMs);
  await ended;
  clearTimeout(killing);
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has ended already.
  }
}
