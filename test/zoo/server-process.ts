/** A server that a site runs: started, waited for until it answers, ended by its process id. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const startMs = 20_000;
const stopMs = 5_000;

export async function startServer(
  url: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<() => Promise<void>> {
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (bytes: Buffer) => (said = (said + bytes).slice(-2_000)));
  child.on('error', (error) => (said += error.message));
  for (const untilMs = Date.now() + startMs; ; ) {
    const answered = await fetch(url, { redirect: 'manual' }).catch(() => undefined);
    await answered?.body?.cancel();
    if (answered !== undefined) break;
    if (child.exitCode !== null || child.pid === undefined || Date.now() > untilMs) {
      await stop(child);
      throw new Error(`${command} does not answer at ${url}: ${said}`);
    }
    await sleep(100);
  }
  return () => stop(child);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await ended;
  clearTimeout(killing);
}
