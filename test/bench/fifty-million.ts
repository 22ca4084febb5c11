/**
 * `npm run bench -- fifty-million [--urls N] [--hosts N] [--memory MB] [--data FOLDER] [--json]`
 *
 * The run that must stay within its memory: 50 M links on a million hosts, 30 % of them new, with the exact seen test in
 * `--memory` (256 MB), into one partition on one core; then the partition is opened again, and must know what it knew.
 * Fails if the process, everything in it counted, ever held more than the seen test's memory and `restMemoryBytes`.
 */
import { benchOptions } from './bench-options.ts';
import { showMillions } from './frontier.ts';
import type { Ingest } from './ingest.ts';
import { neverHere, onOneCore } from './one-core.ts';
import type { Restart } from './restart.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

/**
 * Beside the seen test: Node and its young generation (200 MB), memtables and block caches of two stores (320 MB), the
 * log's tail (64 MB), hosts at 64 B and their keys (100 MB), queues on their way to disk, and what waits to be collected.
 */
const restMemoryBytes = 1024 * 2 ** 20;

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, { urls: 50_000_000, hosts: 1_000_000 });
  if (options.data !== undefined) return measure(options.data, args);
  await inTemporaryFolder((folder) => measure(folder, args));
}

async function measure(data: string, args: readonly string[]): Promise<void> {
  const { urls, hosts, memoryBytes, json } = benchOptions(args, { urls: 50_000_000, hosts: 1_000_000 });
  const seen = ['--seen', 'drum', '--memory', `${memoryBytes / 2 ** 20}`];
  const filling = ['--urls', `${urls}`, '--hosts', `${hosts}`, ...seen, '--data', data];
  const one = (await onOneCore<Ingest>('frontier', filling, neverHere))!;
  showMillions(one);
  const restart = (await onOneCore<Restart>('restart', [...seen, '--data', data], neverHere))!;
  const budgetBytes = memoryBytes + restMemoryBytes;
  const urlsPerSecond = Math.round((1000 * urls) / one.wallMs);
  const figures = {
    name: 'fifty-million',
    urls,
    hosts,
    queued: one.queued,
    urlsPerSecond,
    cpuMicrosPerUrl: Number(((1000 * one.cpuMs) / urls).toFixed(3)),
    rssBytes: one.rssBytes,
    budgetBytes,
    worstPauseMs: Math.round(one.worstTurnMs),
    restartSeconds: restart.seconds,
  };
  console.table([figures]);
  if (json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  if (restart.known !== one.queued)
    fail(`${one.queued} URLs were admitted, ${restart.known} are known after a restart`);
  if (one.rssBytes > budgetBytes) fail(`it held ${one.rssBytes} bytes, more than its ${budgetBytes}`);
}

function fail(message: string): void {
  process.stderr.write(`fifty-million: ${message}\n`);
  process.exitCode = 1;
}
