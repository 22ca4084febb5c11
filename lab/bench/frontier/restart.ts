/**
 * `npm run bench -- restart [--urls N] [--hosts N] [--seen exact|drum|bloom] [--memory MB] [--runs N] [--data FOLDER]
 * [--json]`
 *
 * How long a partition with the given number of known URLs, all queued, takes from opening its stores to its first
 * commit, in a new process; the start of the process is not counted. The stop before was clean, and the system's file
 * cache is warm. Without `--data` (a folder that `frontier --data` kept) the state is made first.
 */
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { peakRssBytes, startCost } from '../process/process-cost.ts';
import { openBenchPartition } from './bench-partition.ts';
import { runOnKept } from './kept-partition.ts';

export interface Restart {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly known: number;
  readonly queued: number;
  readonly rssBytes: number;
}

export function run(args: readonly string[]): Promise<void> {
  return runOnKept(args, {
    name: 'restart',
    defaults: { urls: 5_000_000, hosts: 100_000 },
    measure: (data, _, seen) => open(data, seen),
    secondsOf: ({ seconds }) => seconds,
  });
}

async function open(folder: string, seen: SeenConfig): Promise<Restart> {
  const cost = startCost();
  let figures: Pick<Restart, 'seconds' | 'cpuSeconds'> | undefined;
  const player = {
    discovered: () => null,
    results: () => [],
    take: () => {},
    // The first turn follows the decision of the first commit; by the second it is acked.
    onTurn: () => {
      if (figures !== undefined || partition.owner.committed === undefined) return;
      figures = cost();
      partition.owner.stop();
    },
  };
  const partition = await openBenchPartition({ folder, player, seen });
  await partition.run();
  const { counters } = partition.owner.committed!;
  const rssBytes = peakRssBytes();
  await partition.close();
  return { ...figures!, known: counters.admitted, queued: counters.queued, rssBytes };
}
