/** The status of a queue, or of a crawl. */
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { ownPartitions, partitionFor } from './router.ts';
import type { ServedCrawls } from './served-crawl.ts';
import { crawlIdOf } from './served-crawl.ts';

export interface QueueStats {
  /** URLs that are not done. */
  size: number;
  /** Number of leased ones among them. */
  inProcess: number;
  completed: number;
  queues: number;
  activeQueues: number;
}

/** `key`: empty for all queues. */
export async function stats(
  crawls: ServedCrawls,
  { key, crawlID: id }: { key: string; crawlID: string },
): Promise<object> {
  const crawlID = crawlIdOf(id);
  const sum: QueueStats = { size: 0, inProcess: 0, completed: 0, queues: 0, activeQueues: 0 };
  const crawl = await crawls.find(crawlID);
  const partitions = crawl === undefined ? [] : key === '' ? ownPartitions(crawl) : [partitionFor(crawl, key)];
  for (const { core } of partitions)
    if (core !== undefined) add(sum, key === '' ? ofAll(core.state) : of(core.state, key));
  const { size, inProcess, completed, queues, activeQueues } = sum;
  return { size, inProcess, numberOfQueues: queues, counts: { completed, active_queues: activeQueues }, crawlID };
}

function add(sum: QueueStats, more: QueueStats): void {
  for (const name of Object.keys(sum) as (keyof QueueStats)[]) sum[name] += more[name];
}

function of(state: FrontierState, key: string): QueueStats {
  const host = state.hosts.get(key);
  const urls = host === undefined ? 0 : state.pull.urlsOf(host.id);
  const completed = host === undefined ? 0 : state.pull.doneOf(host.id);
  const size = urls - completed;
  const inProcess = host === undefined ? 0 : host.leaseIds.reduce((sum, id) => sum + outOf(state, id), 0);
  return { size, inProcess, completed, queues: Number(urls > 0), activeQueues: Number(size > 0) };
}

function ofAll(state: FrontierState): QueueStats {
  const { admitted, page: completed, leased } = state.counters;
  const { queues, activeQueues } = state.pull;
  const firstMs = state.leases.deadlines.firstMs ?? Number.POSITIVE_INFINITY;
  let inProcess = leased;
  // A lease that has run out no longer counts, though only the next step will end it.
  if (firstMs <= Date.now()) {
    inProcess = 0;
    for (const id of state.leases.keys()) inProcess += outOf(state, id);
  }
  return { size: admitted - completed, inProcess, completed, queues, activeQueues };
}

function outOf(state: FrontierState, leaseId: number): number {
  const { deadlineMs, entries } = state.leases.get(leaseId)!;
  return deadlineMs <= Date.now() ? 0 : entries.reduce((sum, entry) => sum + Number(entry !== null), 0);
}
