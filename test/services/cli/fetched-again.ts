/**
 * What kills of fetchers cost: at most one lease per host fetched again, and nothing else twice.
 *
 * A fetch that is repeated belongs to the first kill after it; per kill and host, all such fetches must have been URLs of
 * one lease granted before the kill.
 */

import type { WebPlan } from '../../../lab/web/plan.ts';
import type { RequestRecord } from '../../../lab/web/records.ts';
import { isFetched } from '../../../lab/web/resources.ts';
import type { Task } from '../../../schemas/types.ts';
import { logFolder } from '../../../services/hosting/connect/crawl-folder.ts';
import { openCodec, type RecordCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import type { CrawlTopics } from '../../../services/runtime/crawl/requests.ts';
import { readDataFolder } from '../../../services/runtime/data-folder/data-folder.ts';
import type { Log } from '../../../services/runtime/log/log.ts';
import { openReadOnlyLog } from '../../../services/runtime/log/read-only.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';

export interface Death {
  /** When the process was seen dead. ms since the Unix epoch */
  readonly deadMs: number;
  /** A frontier: when it was there again. What fetchers apart from it fetched meanwhile could not be reported in time. */
  readonly backMs?: number;
}

export interface FetchedAgain {
  /** Pages fetched again on account of each kill. */
  readonly pages: readonly number[];
  /** The most of one host. */
  readonly mostOfOneHost: number;
  /** In words: what no kill explains, or was more than a lease. */
  readonly wrong: readonly string[];
}

/** The server may come to a dead client's last request this late: less than a process takes to start. ms */
const serverLagMs = 100;

export function fetchedAgain(
  plan: WebPlan,
  requests: readonly RequestRecord[],
  tasks: readonly Task[],
  deaths: readonly Death[],
): FetchedAgain {
  const wrong: string[] = [];
  const lost = deaths.map(() => new Map<number, Set<string>>());
  for (const [page, fetches] of fullFetches(plan, requests)) {
    for (const [n, { host, startMs }] of fetches.slice(0, -1).entries()) {
      const nextMs = fetches[n + 1]!.startMs;
      const explains = ({ deadMs, backMs = deadMs }: Death) => backMs + serverLagMs >= startMs && deadMs <= nextMs;
      const kill = deaths.findIndex(explains);
      if (kill < 0) wrong.push(`${page} is fetched again with no kill between`);
      else lost[kill]!.set(host, (lost[kill]!.get(host) ?? new Set()).add(page));
    }
  }
  const leases = tasks.map(({ grantedAtMs, urls }) => ({
    grantedAtMs,
    pages: new Set(urls.map(({ url }) => pageOf(plan, plan.hostOf(new URL(url).hostname), pathOf(url)))),
  }));
  for (const [kill, byHost] of lost.entries()) {
    for (const [host, pages] of byHost) {
      const holds = (lease: (typeof leases)[number]) =>
        lease.grantedAtMs <= deaths[kill]!.deadMs && [...pages].every((page) => lease.pages.has(page));
      if (!leases.some(holds)) wrong.push(`kill ${kill}: ${pages.size} pages of ${plan.hosts[host]} were no one lease`);
    }
  }
  const counts = lost.map((byHost) => [...byHost.values()].map(({ size }) => size));
  return {
    pages: counts.map((sizes) => sizes.reduce((sum, size) => sum + size, 0)),
    mostOfOneHost: Math.max(0, ...counts.flat()),
    wrong,
  };
}

/** Fetches answered 200 in full, in order, by what they were of. */
function fullFetches(plan: WebPlan, requests: readonly RequestRecord[]): Map<string, RequestRecord[]> {
  const fetches = new Map<string, RequestRecord[]>();
  for (const request of [...requests].sort((a, b) => a.startMs - b.startMs)) {
    const { host, path, status, aborted, endMs } = request;
    const resource = host < 0 ? undefined : plan.resolve(host, path);
    if (resource === undefined || !isFetched(resource.kind)) continue;
    if (status !== 200 || aborted || !Number.isFinite(endMs)) continue;
    const page = pageOf(plan, host, path);
    fetches.set(page, [...(fetches.get(page) ?? []), request]);
  }
  return fetches;
}

/** One name for all spellings. */
function pageOf(plan: WebPlan, host: number, path: string): string {
  return `${plan.hosts[host]}${plan.resolve(host, path)?.path ?? path}`;
}

function pathOf(url: string): string {
  return url.slice(url.indexOf('/', 8));
}

/** Every task that was published. */
export async function publishedTasks(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partitions }: Pick<CrawlTopics, 'crawl' | 'partitions'>,
): Promise<Task[]> {
  const tasks: Task[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(`${crawl}.tasks`, partition);
    for await (const { value } of recordsOf(log, `${crawl}.tasks`, partition, start, end)) {
      await codec.prepare('tasks', value);
      tasks.push(codec.decode('tasks', value));
    }
  }
  return tasks;
}

/** The same of a data folder that nobody writes to. */
export async function tasksIn(data: string): Promise<Task[]> {
  const folder = await readDataFolder(data);
  const log = await openReadOnlyLog(logFolder(folder), new SystemClock());
  try {
    return await publishedTasks(log, await openCodec(log.registry, folder.manifest.crawl), folder.manifest);
  } finally {
    await log.close();
  }
}
