/** One Java process in the background: started detached from this terminal, ended by its id, killed with this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Daemon {
  readonly pid: number;
  isRunning(): boolean;
  /** Sends a signal and waits until the process has ended; after `patienceMs`, SIGKILL. */
  end(signal: 'SIGTERM' | 'SIGKILL', patienceMs?: number): Promise<void>;
}

/** It takes 2 to 4 s, and minutes where thirty others want a processor. */
const readyMsMax = 240_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** `input`: `pipe` for programs that end with their standard input. `within`: a command that starts another one, such as `ip netns exec`. */
export function startJava(
  args: readonly string[],
  folder: string,
  logFile: string,
  input: 'ignore' | 'pipe' = 'ignore',
  within: readonly string[] = [],
): Daemon {
  const log = openSync(logFile, 'a');
  const [command = 'java', ...rest] = [...within, 'java', ...args];
  const child = spawn(command, rest, { cwd: folder, detached: true, stdio: [input, log, log] });
  closeSync(log);
  running.add(child);
  let startError: Error | undefined;
  child.once('error', (error) => {
    startError = error;
  });
  const ended = new Promise<void>((resolve) => {
    const done = () => {
      running.delete(child);
      resolve();
    };
    child.once('exit', done);
    child.once('error', done);
  });
  // The daemon does not keep this process alive; the process that started it ends it.
  child.unref();
  return {
    pid: child.pid ?? -1,
    isRunning: () => startError === undefined && child.exitCode === null && child.signalCode === null,
    end: async (signal, patienceMs = 10_000) => {
      if (!running.has(child)) return;
      child.ref();
      child.kill(signal);
      const gaveUp = new AbortController();
      await Promise.race([ended, sleep(patienceMs, undefined, { signal: gaveUp.signal }).catch(() => {})]);
      gaveUp.abort();
      if (running.has(child)) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Waits until `isReady` returns true; throws the end of the log if the process ends first. */
export async function untilReady(
  daemon: Daemon,
  what: string,
  logFile: string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const untilMs = Date.now() + readyMsMax;
  while (Date.now() < untilMs) {
    if (await isReady()) return;
    if (!daemon.isRunning()) throw new Error(`${what} ended at start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
    await sleep(30);
  }
  await daemon.end('SIGKILL');
  throw new Error(`${what} was not ready in ${readyMsMax / 1_000} s`);
}

export function isListening(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Ports without a listener, below the range for outgoing connections (32768 and up on Linux): a server that is down for
 * a while finds its port free when it returns.
 */
export async function freePorts(count: number): Promise<number[]> {
  const [lowest, range] = [20_000, 12_000];
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries++) {
    if (tries > 1_000) throw new Error(`no ${count} free ports from ${lowest} to ${lowest + range}`);
    const port = randomInt(lowest, lowest + range);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
