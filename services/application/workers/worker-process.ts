/** One process of a fetch worker: started, given its orders, and followed to its end. */
import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type Channel, createChannel, type Served } from '../../runtime/log/channel/message-channel.ts';
import { channelFd, workerLimits } from './worker-limits.ts';
import type { WorkerOrders } from './worker-orders.ts';

export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Rejects with what kept it from fetching. */
  readonly begun: Promise<void>;
  /** Resolves once it is gone, and all that it had sent has been dealt with. */
  readonly ended: Promise<WorkerEnd>;
  /** Finishes requests under way, publishes all of it, and ends. Rejects if not all could be published. */
  stop(graceMs: number): Promise<void>;
  kill(): void;
}

export interface WorkerEnd {
  /** In words. */
  readonly how: string;
  /** A signal ended it: not what it did itself. */
  readonly bySignal: boolean;
}

export interface WorkerStart {
  readonly orders: WorkerOrders;
  /** Old objects of its heap, MB. */
  readonly heapMb: number;
  readonly served: Served;
  /** What it told could not be dealt with. */
  onFault(error: unknown): void;
}

const fromSource = import.meta.url.endsWith('.ts');
const program = fileURLToPath(new URL(fromSource ? './fetch-worker.ts' : './fetch-worker.js', import.meta.url));

/**
 * `onChannel`: the way to it, before anything comes that way. Throws where the machine lets no process or descriptor be
 * made.
 */
export function startWorkerProcess(start: WorkerStart, onChannel: (channel: Channel) => void): WorkerProcess {
  // What this process was started with loads it as well; a debugger's port and a heap's size are one process's own.
  const own = process.execArgv.filter((word) => !/^--(?:inspect|max-old-space-size)/.test(word));
  const child = spawn(process.execPath, [...own, `--max-old-space-size=${start.heapMb}`, program], {
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'pipe'],
  });
  const gone = new Promise<WorkerEnd>((resolve) => {
    child.once('error', ({ message }) => resolve({ how: message, bySignal: false }));
    child.once('close', (code, signal) => resolve({ how: signal ?? `code ${code}`, bySignal: signal !== null }));
  });
  // Without descriptors left, Node makes no streams, and tells of it later.
  if (child.stdio?.[channelFd] == null) throw new Error('too few file descriptors');
  let said = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < workerLimits.saidCharsMax) said += text;
  });
  const channel = createChannel(child.stdio[channelFd] as Duplex, start.served, start.onFault);
  onChannel(channel);
  const ended = Promise.all([gone, channel.closed]).then(([{ how, bySignal }]) => {
    const lines = said.trim().split('\n');
    // V8 says how its heap stood before it says what is the matter.
    const why = lines.find((line) => /\berror\b/i.test(line)) ?? lines[0] ?? '';
    return { how: why === '' ? how : `${how}: ${why.trim()}`, bySignal };
  });
  const begun = channel.call('begin', start.orders).then(() => {});
  begun.catch(() => {});
  const kill = () => void child.kill('SIGKILL');
  return {
    pid: child.pid,
    begun,
    ended,
    kill,
    async stop(graceMs) {
      const patience = setTimeout(kill, graceMs + workerLimits.endMs);
      try {
        await begun;
        await channel.call('stop');
        channel.close();
      } catch (error) {
        kill();
        // One that dies meanwhile leaves leases, which the next start ends.
        if (!(error instanceof CrawlstreamError && error.code === 'OWNERSHIP_LOST')) throw error;
      } finally {
        await ended;
        clearTimeout(patience);
      }
    },
  };
}
