/**
 * `npm run bench -- restart [--urls N] [--hosts N] [--seen exact|drum|bloom] [--memory MB] [--runs N]
 * [--data FOLDER] [--json]`
 *
 * How long a partition with so many known URLs, all of them queued, takes from opening its stores to its first commit,
 * in a new process whose start is not counted. The stop before was clean, and the system's file cache is warm. Without
 * `--data` (a folder that `frontier --data` left) the state is made first.
 */
import type { SeenConfig } from '../../topology/frontier/seen/seen-config.ts';
import { type BenchOptions, benchOptions } from './bench-options.ts';
import { openBenchPartition } from './bench-partition.ts';
import type { Ingest } from './ingest.ts';
import { neverHere, onOneCore } from './one-core.ts';
import { seenConfig } from './seen-memory.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

export interface Restart {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly known: number;
  readonly queued: number;
  readonly rssBytes: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, { urls: 5_000_000, hosts: 100_000 });
  if (options.data !== undefined) return measureAll(options.data, options);
  await inTemporaryFolder(async (folder) => {
    const making = ['--urls', `${options.urls}`, '--hosts', `${options.hosts}`, '--duplicates', '0', '--data', folder];
    await onOneCore<Ingest>('frontier', making, neverHere);
    await measureAll(folder, options);
  });
}

async function measureAll(data: string, options: BenchOptions): Promise<void> {
  const { runs, json, seen, memoryBytes, urls, given } = options;
  const memory = given.has('memory') ? ['--memory', `${memoryBytes / 2 ** 20}`] : [];
  const child = ['--data', data, '--urls', `${urls}`, '--seen', seen, ...memory];
  const all: Restart[] = [];
  while (all.length < runs) {
    const one = await onOneCore('restart', child, () => open(data, seenConfig(options)));
    if (one === undefined) return;
    all.push(one);
  }
  console.table(all);
  const middle = all.sort((a, b) => a.seconds - b.seconds)[all.length >> 1]!;
  if (json) process.stdout.write(`${JSON.stringify({ name: 'restart', ...middle, runs })}\n`);
}

async function open(folder: string, seen: SeenConfig): Promise<Restart> {
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  let figures: Pick<Restart, 'seconds' | 'cpuSeconds'> | undefined;
  const player = {
    discovered: () => null,
    results: () => [],
    take: () => {},
    // The first turn comes after the first commit was decided; at the second it is acked.
    onTurn: () => {
      if (figures !== undefined || partition.owner.committed === undefined) return;
      const { user, system } = process.cpuUsage(cpu);
      const seconds = (performance.now() - beganMs) / 1000;
      figures = { seconds: Number(seconds.toFixed(3)), cpuSeconds: Number(((user + system) / 1e6).toFixed(3)) };
      partition.owner.stop();
    },
  };
  const partition = await openBenchPartition({ folder, player, seen });
  await partition.run();
  const { counters } = partition.owner.committed!;
  const rssBytes = process.resourceUsage().maxRSS * 1024;
  await partition.close();
  return { ...figures!, known: counters.admitted, queued: counters.queued, rssBytes };
}
