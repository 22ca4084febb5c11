/** One process beside the crawl's: started, given its orders, and followed to its end. */
import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { hasCode } from '../../../topology/errors.ts';
import { type Channel, createChannel, type Served } from '../../runtime/log/channel/message-channel.ts';
import { channelFd, workerLimits } from './worker-limits.ts';

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Resolves with its answer to its orders; rejects with what kept it from them. */
  readonly begun: Promise<unknown>;
  /** Resolves once the process has ended, and all its messages have been handled. */
  readonly ended: Promise<WorkerEnd>;
  /** Calls a function over its channel. */
  call(name: string): Promise<unknown>;
  /**
   * Finishes its current work, and ends. Rejects if not all of it could be finished. `graceMs`: longest time for
   * that; null: no limit.
   */
  stop(graceMs: number | null): Promise<void>;
  kill(): void;
}

export interface WorkerEnd {
  /** The way it ended, in words. */
  readonly how: string;
  /** A signal ended it, and not its own code. */
  readonly bySignal: boolean;
  /** It was killed by a signal that it cannot handle: another process wanted its end, or the system its memory. */
  readonly isKilled: boolean;
}

export interface WorkerStart {
  /** Name of its file, beside this one. */
  readonly program: 'fetch-worker' | 'consumer-worker';
  readonly orders: unknown;
  /** True: the crawl prints its output. False: the output explains its end. */
  readonly prints: boolean;
  /** Old objects of its heap, MB. */
  readonly heapMb: number;
  readonly served: Served;
  /** Called if its report could not be processed. */
  onFault(error: unknown): void;
}

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/**
 * `onChannel`: called with the channel before any message arrives. Throws if the machine lets no process or descriptor
 * be made.
 */
export function startWorkerProcess(start: WorkerStart, onChannel: (channel: Channel) => void): WorkerProcess {
  // Passes on the options of this process, except a debugger's port and the size of the heap, which belong to one
  // process.
  const own = process.execArgv.filter((word) => !/^--(?:inspect|max-old-space-size)/.test(word));
  const program = fileURLToPath(new URL(`./${start.program}.${extension}`, import.meta.url));
  const [stdout, stderr] = start.prints ? (['inherit', 'inherit'] as const) : (['ignore', 'pipe'] as const);
  const child = spawn(process.execPath, [...own, `--max-old-space-size=${start.heapMb}`, program], {
    stdio: ['ignore', stdout, stderr, 'ignore', 'pipe'],
  });
  const gone = new Promise<WorkerEnd>((resolve) => {
    child.once('error', ({ message }) => resolve({ how: message, bySignal: false, isKilled: false }));
    child.once('close', (code, signal) =>
      resolve({ how: signal ?? `code ${code}`, bySignal: signal !== null, isKilled: signal === 'SIGKILL' }),
    );
  });
  // Without free descriptors, Node creates no streams and reports that later.
  if (child.stdio?.[channelFd] == null) throw new Error('too few file descriptors');
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < workerLimits.saidCharsMax) said += text;
  });
  const channel = createChannel(child.stdio[channelFd] as Duplex, start.served, start.onFault);
  onChannel(channel);
  const ended = Promise.all([gone, channel.closed]).then(([{ how, ...rest }]) => {
    const lines = said.trim().split('\n');
    // V8 prints its heap statistics before the error itself.
    const why = lines.find((line) => /\berror\b/i.test(line)) ?? lines[0] ?? '';
    return { how: why === '' ? how : `${how}: ${why.trim()}`, ...rest };
  });
  const begun = channel.call('begin', start.orders);
  begun.catch(() => {});
  const kill = () => void child.kill('SIGKILL');
  return {
    pid: child.pid,
    begun,
    ended,
    kill,
    call: (name) => channel.call(name),
    async stop(graceMs) {
      const patience = graceMs === null ? undefined : setTimeout(kill, graceMs + workerLimits.endMs);
      try {
        await begun;
        await channel.call('stop');
        channel.close();
      } catch (error) {
        kill();
        // One that dies meanwhile leaves leases, which the next start ends.
        if (!hasCode(error, 'OWNERSHIP_LOST', 'PROCESS_ENDED')) throw error;
      } finally {
        await ended;
        clearTimeout(patience);
      }
    },
  };
}
