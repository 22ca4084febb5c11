/** Decides how many processes fetch for a crawl in a data folder. */
import { availableParallelism } from 'node:os';
import { bad } from '../../runtime/option-text.ts';

/**
 * More workers wait for the single core that frontier and log share: `bench worker-ceiling`, short plain pages. Costly
 * pages may use more.
 */
export const usefulMax = 7;

export interface WorkersFlags {
  readonly workers?: number;
  readonly concurrency: number;
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
