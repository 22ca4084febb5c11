/**
 * The partitions of `tasks` of each worker, and its positions: a group with fixed members. The successor of a dead
 * worker continues from the positions that the dead one committed.
 */
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log, Position } from '../../runtime/log/log.ts';
import type { TaskPositions } from '../ports.ts';

export interface TaskShares {
  /** Resolves once the positions of the group are at the start of the crawl. */
  readonly placed: Promise<void>;
  partitionsOf(worker: number): readonly number[];
  /** The log for a worker: it is a member of the fetchers' group. */
  logOf(worker: number): Log;
  /** By partition: the start of this run, and the first task that no worker has taken. */
  takenBy(worker: number): ReadonlyMap<number, { readonly from: number; readonly to: number }>;
  /** Whether there is a task that the worker has not taken. */
  hasTasks(worker: number): Promise<boolean>;
  positions(): readonly Position[];
}

export function createTaskShares(
  log: Log,
  { crawl, partitions }: Pick<Manifest, 'crawl' | 'partitions'>,
  workers: number,
  at: TaskPositions,
): TaskShares {
  const group = `${crawl}.fetcher`;
  const topic = `${crawl}.tasks`;
  const begin = new Map(at.map(({ partition, offset }) => [partition, offset]));
  const next = new Map(begin);
  const partitionsOf = (worker: number) =>
    Array.from({ length: partitions }, (_, partition) => partition).filter((one) => one % workers === worker);
  const positions = () => [...next].map(([partition, offset]) => ({ topic, partition, offset }));
  const placed = log.commit(group, positions());

  return {
    placed,
    partitionsOf,
    positions,
    async hasTasks(worker) {
      for (const partition of partitionsOf(worker))
        if ((await log.offsets(topic, partition)).end > (next.get(partition) ?? 0)) return true;
      return false;
    },
    logOf: (worker) => ({
      ...log,
      commit(name, given) {
        if (name === group) for (const { partition, offset } of given) next.set(partition, offset);
        return log.commit(name, given);
      },
      async join({ onAssigned }) {
        onAssigned(partitionsOf(worker), []);
        return { name: `worker ${worker + 1}`, members: workers, leave: async () => {} };
      },
    }),
    takenBy: (worker) =>
      new Map(
        partitionsOf(worker).map((partition) => [
          partition,
          { from: begin.get(partition) ?? 0, to: next.get(partition) ?? 0 },
        ]),
      ),
  };
}
