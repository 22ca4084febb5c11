/**
 * In a container with a memory limit, gives the process a heap that leaves room for its role.
 *
 * V8 reads its bounds only when it starts. So the process replaces itself once (`execve`) when the options are known.
 * Its pid stays the same, so signals and probes are not affected. Only the container image asks for it
 * (`CRAWLSTREAM_FIT_HEAP`), because its Node has `execve`; elsewhere nothing happens.
 */
import { existsSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import type { Command } from 'commander';
import type { PluginFlags } from '../../hosting/options/plugins.ts';
import type { ProcessorFlags } from '../../hosting/options/processors.ts';
import { type WorkersFlags, workersWanted } from '../../hosting/options/workers.ts';
import { heapSizeMb } from '../../planning/heap-size.ts';

const mb = 2 ** 20;
const asked = 'CRAWLSTREAM_FIT_HEAP';
/** Less than this is not worth the half second that a second start takes. */
const worthwhile = 0.1;

type Execve = (file: string, args: readonly string[], env: NodeJS.ProcessEnv) => never;

export function fitHeap(command: Command): void {
  const { execve } = process as unknown as { readonly execve?: Execve };
  const limit = process.constrainedMemory();
  // Without a limit it is 0, or as much as the kernel can count.
  if (process.env[asked] !== '1' || execve === undefined || !(limit > 0 && limit < 2 ** 43)) return;
  const [, script = '', ...args] = process.argv;
  // Another program runs the command within itself, and has begun already.
  if (!existsSync(script)) return;
  // A process that was given a size keeps it, whether from us or from an operator.
  if (isHeapSet(process.execArgv) || isHeapSet((process.env['NODE_OPTIONS'] ?? '').split(' '))) return;
  const { seenMemory, standbys, concurrency, brokers } = command.opts();
  const { with: named, handler, plugin } = command.opts<ProcessorFlags & PluginFlags>();
  const fetches = command.name() === 'crawl' && brokers === undefined;
  const wanted = heapSizeMb({
    role: command.name(),
    limitMb: limit / mb,
    seenMemoryMb: seenMemory,
    standbys,
    concurrency,
    ...(fetches && { workers: workersWanted(command.opts<WorkersFlags>()) }),
    // Whether a plugin brings a consumer is known once it is loaded.
    consumers: named !== undefined || handler !== undefined || plugin !== undefined,
  });
  const has = getHeapStatistics().heap_size_limit / mb;
  if (Math.abs(has - wanted) < worthwhile * wanted) return;
  execve(process.execPath, [process.execPath, ...process.execArgv, `--max-old-space-size=${wanted}`, script, ...args], {
    ...process.env,
    [asked]: '0',
  });
}

function isHeapSet(words: readonly string[]): boolean {
  return words.some((word) => word.startsWith('--max-old-space-size'));
}
