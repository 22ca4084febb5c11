/**
 * Ends the leases of a dead worker: their URLs return without costing an attempt, and their hosts count as contacted
 * at its death, so that no delay is cut short (docs/design.md §4.4 does the same for all leases when a crawl starts
 * again).
 *
 * A last result without outcomes ends a lease, as from a fetcher. Earlier reports of the worker stay valid, because
 * their results precede this one on the log. Tasks that the worker had not taken are left to its successor. If a
 * host's lease was at the same URL at several deaths, it is left to its deadline, which counts as an attempt, so that
 * a page that kills its fetcher is found and given up (§4.5).
 */
import { blankHostFacts } from '../../../schemas/blank.ts';
import type { Task } from '../../../schemas/types.ts';
import { resultRecord } from '../../fetcher/publish/result-record.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { Ports } from '../ports.ts';
import { workerLimits } from './worker-limits.ts';

export interface DeadWorker {
  readonly fetcherId: string;
  /** By partition of `tasks` that it read: the start of this run, and the first task that it had not taken. */
  readonly taken: ReadonlyMap<number, { readonly from: number; readonly to: number }>;
  /** It contacted no host after this time, ms. */
  readonly diedAtMs: number;
}

export interface DeadLeases {
  /** Resolves with the number of ended leases, once everything is durable. */
  end(worker: DeadWorker): Promise<number>;
}

export function createDeadLeases({ log, codec, manifest }: Ports, frontier: Pick<Frontier, 'committed'>): DeadLeases {
  const { crawl, partitions, keyMode } = manifest;
  const topic = `${crawl}.tasks`;
  /** By host: the next URL of the lease at the last death, and the number of consecutive deaths at that URL. */
  const deaths = new Map<string, { readonly url: string; readonly count: number }>();

  const leaseOf = ({ partition, leaseId }: Task) => frontier.committed()[partition]?.leases().get(leaseId);
  const isOut = (task: Task) => leaseOf(task) !== undefined;
  const comesBack = (task: Task): boolean => {
    const next = leaseOf(task)?.entries.findIndex((entry) => entry !== null) ?? -1;
    const url = task.urls[next]?.url;
    if (url === undefined) return true;
    const before = deaths.get(task.hostKey);
    const count = before?.url === url ? before.count + 1 : 1;
    if (deaths.size >= workerLimits.hostsCountedMax) deaths.clear();
    deaths.set(task.hostKey, { url, count });
    return count <= workerLimits.deathsPerUrlMax;
  };

  const decode = (value: Buffer): Task | undefined => {
    try {
      return codec.decode('tasks', value);
    } catch {
      return undefined; // A dead letter by now.
    }
  };
  const read = async (partition: number, from: number, to: number): Promise<Task[]> => {
    const tasks: Task[] = [];
    for await (const { value } of recordsOf(log, topic, partition, from, to)) {
      const task = decode(value);
      if (task !== undefined) tasks.push(task);
    }
    return tasks;
  };

  /** Tasks with leases that are out, the newest first: older ones than the oldest lease need not be looked for. */
  const tasksOut = async (partition: number, from: number, to: number): Promise<Task[]> => {
    const start = Math.max(from, (await log.offsets(topic, partition)).start);
    const out = frontier.committed()[partition]?.leases();
    let oldest = Number.POSITIVE_INFINITY;
    for (const leaseId of out?.keys() ?? []) oldest = Math.min(oldest, leaseId);
    const found: Task[] = [];
    for (let before = to; before > start; ) {
      const first = Math.max(start, before - workerLimits.tasksPerRead);
      const tasks = await read(partition, first, before);
      found.push(...tasks.filter(isOut));
      if (tasks.some((task) => task.partition === partition && task.leaseId <= oldest)) break;
      before = first;
    }
    return found;
  };

  return {
    async end({ fetcherId, taken, diedAtMs }) {
      const options = { codec, topics: { results: `${crawl}.results` }, partitions, keyMode, fetcherId };
      const records = [];
      for (const [partition, { from, to }] of taken) {
        for (const task of (await tasksOut(partition, from, to)).filter(comesBack)) {
          const over = { task, facts: blankHostFacts, completedAtMs: diedAtMs, outcomes: [], requests: [] };
          records.push(resultRecord(over, true, options));
        }
      }
      if (records.length > 0) await log.append(records);
      return records.length;
    },
  };
}
