/**
 * One fetcher, then four, then none for hours, then one again: a crawl of many hosts on as many partitions as a
 * platform team would choose, on virtual time, with the frontier and fetcher groups that run on Kafka.
 *
 * The number of leases must follow the fetchers, their absence must not cost a URL an attempt, and the crawl must end.
 * All checks of the simulator apply here, too.
 */
import { crawlEnd, type Look } from '../../topology/frontier/ask/crawl-end.ts';
import { lostUrls, sumCounters } from '../../topology/frontier/changes/counters.ts';
import { chanceOf } from './chance.ts';
import { checkEnd } from './end-checks.ts';
import type { Fault } from './faults.ts';
import { crawl, createMachine, type Machine } from './machines.ts';
import { lookAt, policyOf, request } from './run.ts';
import { createScheduler } from './scheduler.ts';
import { createSetting } from './setting.ts';
import type { SimHost, World } from './world.ts';

export interface FetchersGoneOptions {
  readonly partitions: number;
  readonly hosts: number;
  readonly urlsPerHost: number;
  /** Duration with one fetcher; then there are four. */
  readonly phaseMs: number;
  /** Then there are no fetchers. */
  readonly awayMs: number;
  /** Called with the progress. */
  readonly onSample?: (sample: Sample) => void;
}

export interface Sample {
  readonly atMs: number;
  /** Members of the fetchers' group, as the group sees it. */
  readonly fetchers: number;
  readonly leases: number;
  readonly pages: number;
  /** Leases with a task that no fetcher had taken by their deadline. */
  readonly untaken: number;
  readonly deadLetters: number;
}

export interface FetchersGoneReport {
  readonly samples: readonly Sample[];
  readonly urls: number;
  readonly pages: number;
  readonly deadLetters: number;
  /** URLs that were neither fetched nor given up, or are in two places by a partition's own account. */
  readonly lost: number;
  /** Leases granted while there was no fetcher, once the frontiers knew. */
  readonly grantedForNobody: number;
  /** When the crawl was over, ms from its start; null: it did not end. */
  readonly endedMs: number | null;
  readonly violations: readonly string[];
}

const startMs = 1_700_000_000_000;
const fetchersMax = 4;
const lookEveryMs = 5_000;
/** The group has dropped the dead members, and the frontiers know it. */
const knownMs = 60_000;
/** After one fetcher has returned. */
const limitMs = 4 * 3_600_000;

export async function fetchersGone(options: FetchersGoneOptions): Promise<FetchersGoneReport> {
  const { phaseMs, awayMs } = options;
  const world = worldOf(options);
  const violations: string[] = [];
  const scheduler = createScheduler(chanceOf(1, 'scheduler'), startMs);
  const sinceMs = () => scheduler.nowMs() - startMs;
  const setting = await createSetting(1, world, scheduler, (what) => void violations.push(`${sinceMs()} ms: ${what}`));
  const { standby, cluster, groups } = setting;
  request(setting, policyOf(world));
  const machines = ['frontier-0', 'fetcher-0'].map((name) => createMachine(name, setting));
  const at = (ms: number, act: () => void) => scheduler.at(startMs + ms, act);

  const goneMs = 2 * phaseMs;
  const backMs = goneMs + awayMs;
  at(phaseMs, () => {
    for (let more = 1; more < fetchersMax; more++) machines.push(createMachine(`fetcher-${more}`, setting));
  });
  at(goneMs, () => {
    fetchersOf(machines).forEach((machine, number) => {
      // Half of them die, and the others stop in good order.
      machine.rest(number === 0 ? startMs + backMs : Number.POSITIVE_INFINITY, number % 2 === 1);
    });
  });

  const total = () => sumCounters(standby.states.map(({ counters }) => counters));
  const deadLetters = () => {
    let count = 0;
    for (let one = 0; one < world.partitions; one++)
      count += cluster.partition(`${crawl}.dead-letters`, one).records.length;
    return count;
  };
  const granted = () => standby.states.reduce((sum, { leases }) => sum + leases.nextId, 0);
  let grantedBefore = 0;
  at(goneMs + knownMs, () => (grantedBefore = granted()));
  let grantedForNobody = 0;
  at(backMs, () => (grantedForNobody = granted() - grantedBefore));

  const samples: Sample[] = [];
  const sample = () => {
    const { leases, untaken } = total();
    const fetchers = groups.membersOf(`${crawl}.fetcher`);
    const now = { atMs: sinceMs(), fetchers, leases, pages: standby.pages.size, untaken, deadLetters: deadLetters() };
    samples.push(now);
    options.onSample?.(now);
  };
  const sampling = () => {
    if (endedMs !== null) return;
    sample();
    const nowMs = sinceMs();
    const isChanging = nowMs < goneMs + knownMs || (nowMs >= backMs && nowMs < backMs + 2 * phaseMs);
    const everyMs = isChanging ? phaseMs / 4 : nowMs < backMs ? awayMs / 8 : 5 * phaseMs;
    at(nowMs < backMs ? Math.min(nowMs + everyMs, backMs) : nowMs + everyMs, sampling);
  };
  at(phaseMs / 4, sampling);

  let endedMs: number | null = null;
  let before: Look | undefined;
  const look = () => {
    const now = lookAt(setting);
    if (before !== undefined && crawlEnd(before, now) !== null) endedMs = sinceMs();
    before = now;
    at(sinceMs() + lookEveryMs, look);
  };
  at(backMs, look);

  await scheduler.run(startMs + backMs + limitMs, () => endedMs !== null || violations.length > 0);
  sample();
  const lostBy = standby.states.reduce((sum, { counters }) => sum + Math.abs(lostUrls(counters)), 0);
  const given = [...world.byUrl.keys()].filter((url) => !standby.pages.has(url) && !standby.givenUp.has(url)).length;
  const report = {
    urls: world.byUrl.size,
    pages: standby.pages.size,
    deadLetters: deadLetters(),
    lost: lostBy + given,
  };
  if (violations.length === 0) {
    const fault: Fault = { kind: 'noFetchers', at: goneMs, killed: true, forMs: awayMs };
    await checkEnd({ ...setting, machines, foreign: new Set() }, setting.judge, [fault]);
  }
  return { samples, ...report, grantedForNobody, endedMs, violations };
}

function fetchersOf(machines: readonly Machine[]): Machine[] {
  return machines.filter(({ name }) => name.startsWith('fetcher'));
}

/** Hosts that answer, with all pages known from the start. */
function worldOf({ partitions, hosts: count, urlsPerHost }: FetchersGoneOptions): World {
  const hosts = Array.from({ length: count }, (_, number): SimHost => {
    const name = `h${number}.test`;
    const pages = Array.from({ length: urlsPerHost }, (_, page) => {
      return { url: `http://${name}/p${page}`, forbidden: false, links: [], redirect: null };
    });
    return { name, temper: 'open', steady: true, crawlDelayMs: 0, hostSlots: 1, pages };
  });
  const all = hosts.flatMap(({ pages }) => pages);
  return {
    hosts,
    byUrl: new Map(all.map((page) => [page.url, page])),
    byName: new Map(hosts.map((host) => [host.name, host])),
    seeds: all.map(({ url }) => url),
    partitions,
    embedded: false,
    frontiers: 1,
    fetchers: 1,
    delayMs: 1_000,
    delayFactor: 0,
    urlsPerLeaseMax: 8,
    // It delays no host: a partition has fewer hosts.
    leasesPerPartition: 1_000,
    pageQuota: null,
    standbys: false,
    score: null,
    recrawl: null,
    skewMs: 0,
  };
}
