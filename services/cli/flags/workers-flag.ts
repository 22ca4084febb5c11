/** `--workers N`: how many processes fetch for a crawl in a data folder. */
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { workerLimits } from '../../application/workers/worker-limits.ts';
import { bad, wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

/**
 * More workers wait for the single core that frontier and log share: `bench worker-ceiling`, short plain pages. Costly
 * pages may use more.
 */
const usefulMax = 7;

export interface WorkersFlags {
  readonly workers?: number;
  readonly concurrency: number;
}

export function addWorkersOption(command: Command): Command {
  return command.addOption(
    setting(
      '--workers <n>',
      `fetching processes (default: one less than the cores, 1 to ${usefulMax})`,
      'the frontier and the log need one core, and the other cores fetch. One core can feed at most 7 fetchers. With 1, one process does everything',
      wholeNumber('--workers', 1, workerLimits.workersMax),
    ),
  );
}

/** Throws INVALID_ARGUMENT. Each worker's share of the hosts fetched from at once is at least one. `cores`: of the machine. */
export function workersWanted({ workers, concurrency }: WorkersFlags, cores = availableParallelism()): number {
  if (workers === undefined) return Math.min(usefulMax, concurrency, Math.max(1, cores - 1));
  if (workers <= concurrency) return workers;
  const most = `--concurrency ${concurrency} allows requests to ${concurrency} ${concurrency === 1 ? 'host' : 'hosts'} at once`;
  throw bad('--workers', `${workers}`, `${most}: use at most as many workers, or --concurrency ${workers}`);
}

/** The limit by a folder's partitions, and the message about it. */
export function workersFor(
  flags: WorkersFlags,
  partitions: number,
): { readonly count: number; readonly lines: readonly string[] } {
  const wanted = workersWanted(flags);
  const count = Math.min(wanted, partitions);
  if (flags.workers === undefined || count === wanted) return { count, lines: [] };
  const have = `${partitions} ${partitions === 1 ? 'partition' : 'partitions'}`;
  const remedy = `to use more, move it to a folder with ${wanted} partitions (crawlstream dump, then load --partitions ${wanted})`;
  return { count, lines: [`--workers ${wanted}: only ${count} fetch, because this crawl has ${have}; ${remedy}`] };
}

/** Throws INVALID_ARGUMENT. */
export function workersOnKafka({ workers = 1 }: Pick<WorkersFlags, 'workers'>): void {
  if (workers === 1) return;
  throw bad(
    '--workers',
    `${workers}`,
    'it has no effect on Kafka: start more processes of crawlstream fetcher instead',
  );
}
