/**
 * A crawl of one host that answers and many names that no name server answers for, in virtual time.
 *
 * Counts show what the names take from the host: pages that it gives within a time, requests that it gets for anything
 * else, and leases of the names. All checks of the simulator apply here, too.
 */
import { partitionOf } from '../../topology/url/partition.ts';
import { chanceOf } from './chance.ts';
import { createJudge } from './judge.ts';
import { crawl, createMachine } from './machines.ts';
import { Outages } from './outages.ts';
import { policyOf, request } from './run.ts';
import { createScheduler } from './scheduler.ts';
import { createSetting } from './setting.ts';
import { createWeb } from './web.ts';
import type { SimHost, World } from './world.ts';

export interface DeadNamesOptions {
  readonly names: number;
  /** Registrable domains of these names. */
  readonly domains: number;
  readonly forMs: number;
  readonly delayMs: number;
  /** The names are in the partition of the host. Absent: 1. */
  readonly partitions?: number;
  /** Frontier and fetcher are separate processes. Absent: one process. */
  readonly isApart?: boolean;
}

export interface DeadNamesReport {
  /** Pages of the host that answers. */
  readonly pages: number;
  /** Requests for its robots.txt. */
  readonly robots: number;
  /** From the link to another host that answers to its first page, ms; null: it had none. */
  readonly newcomerMs: number | null;
  /** Leases of names without an answer. */
  readonly leases: number;
  readonly violations: readonly string[];
}

const startMs = 1_700_000_000_000;
const honest = 'honest.example';
const newcomer = 'new.example';
/** Links of a page to such names: a fetcher of the simulator reads a hundred. */
const deadLinksOfPage = 90;
/** Page with the link to the newcomer. */
const newcomerFrom = 20;

export async function deadNames(options: DeadNamesOptions): Promise<DeadNamesReport> {
  const world = worldOf(options);
  const violations: string[] = [];
  const seenAtMs = new Map<string, number>();
  let robots = 0;
  const onNote = (line: string) => {
    const [, ms, url] = /^(\d+) \S+ GET (\S+)$/.exec(line) ?? [];
    if (url === `http://${honest}/robots.txt`) robots += 1;
    if (url !== undefined && !seenAtMs.has(url)) seenAtMs.set(url, Number(ms));
  };
  const scheduler = createScheduler(chanceOf(1, 'scheduler'), startMs, onNote);
  const violate = (what: string) => void violations.push(`${scheduler.nowMs() - startMs} ms: ${what}`);
  const judge = createJudge(world, violate);
  const outages = new Outages(world, scheduler, violate, false);
  const web = createWeb({ seed: 1, world, judge, scheduler, outages });
  const setting = await createSetting(1, world, scheduler, violate, { judge, web });
  request(setting, policyOf(world));
  for (const name of options.isApart === true ? ['frontier-0', 'fetcher-0'] : ['crawl']) createMachine(name, setting);
  // The machine plans its first event once this one has run.
  scheduler.at(startMs, () => {});
  await scheduler.run(startMs + options.forMs, () => violations.length > 0);
  const tasks = Array.from({ length: world.partitions }, (_, n) => setting.cluster.partition(`${crawl}.tasks`, n))
    .flatMap(({ records }) => records)
    .map(({ value }) => setting.codec.decode('tasks', value));
  const linkedMs = seenAtMs.get(`http://${honest}/p${newcomerFrom}`);
  const firstMs = seenAtMs.get(`http://${newcomer}/p0`);
  return {
    pages: [...setting.standby.pages.keys()].filter((url) => url.includes(honest)).length,
    robots,
    newcomerMs: linkedMs === undefined || firstMs === undefined ? null : firstMs - linkedMs,
    leases: tasks.filter(({ hostKey }) => hostKey !== honest && hostKey !== newcomer).length,
    violations,
  };
}

/** The host's pages are a chain: each is known when the one before it has been read. */
function worldOf({ names, domains, forMs, delayMs, isApart = false, partitions = 1 }: DeadNamesOptions): World {
  const isBeside = (name: string) => partitionOf(name, partitions) === partitionOf(honest, partitions);
  const dead = Array.from({ length: 2 * names * partitions }, (_, n) => `h${n}.dead${n % domains}.example`)
    .filter(isBeside)
    .slice(0, names)
    .map((name) => hostOf(name, 'unanswered', [[]]));
  const links = dead.map(({ pages }) => pages[0]!.url);
  const others = hostOf(newcomer, 'open', [[]]);
  const chain = Array.from({ length: Math.ceil(forMs / Math.max(1, delayMs)) + 1 }, (_, n) => [
    `http://${honest}/p${n + 1}`,
    ...links.slice(n * deadLinksOfPage, (n + 1) * deadLinksOfPage),
    ...(n === newcomerFrom ? [others.pages[0]!.url] : []),
  ]);
  const hosts = [hostOf(honest, 'open', chain), others, ...dead];
  const all = hosts.flatMap(({ pages }) => pages);
  return {
    hosts,
    byUrl: new Map(all.map((page) => [page.url, page])),
    byName: new Map(hosts.map((host) => [host.name, host])),
    ...{ seeds: [all[0]!.url], partitions, embedded: !isApart, frontiers: 1, fetchers: 1, standbys: false },
    ...{ delayMs, delayFactor: 0, urlsPerLeaseMax: 8, leasesPerPartition: 50, pageQuota: null, skewMs: 0 },
    ...{ score: null, recrawl: null },
  };
}

function hostOf(name: string, temper: SimHost['temper'], links: readonly (readonly string[])[]): SimHost {
  const pages = links.map((one, n) => ({ url: `http://${name}/p${n}`, forbidden: false, links: one, redirect: null }));
  return { name, temper, steady: temper === 'open', crawlDelayMs: 0, hostSlots: 1, pages };
}
