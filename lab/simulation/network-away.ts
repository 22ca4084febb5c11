/**
 * A crawl without its own network, its name servers, or one fetcher's network, for minutes or for days of virtual time.
 *
 * The hosts are not at fault: no URL and no host may be given up, no delay shortened, and requests resume soon after
 * the network is back. All checks of the simulator apply here, too.
 */
import { crawlEnd, type Look } from '../../topology/frontier/ask/crawl-end.ts';
import { lostUrls } from '../../topology/frontier/changes/counters.ts';
import { chanceOf } from './chance.ts';
import { checkEnd } from './end-checks.ts';
import { createJudge } from './judge.ts';
import { crawl, createMachine } from './machines.ts';
import { Outages } from './outages.ts';
import type { SimProcess } from './process.ts';
import { lookAt, policyOf, request } from './run.ts';
import { createScheduler } from './scheduler.ts';
import { createSetting } from './setting.ts';
import { createWeb } from './web.ts';
import type { SimHost, World } from './world.ts';

export type Outage = 'network' | 'names' | 'oneFetcher';

export interface NetworkAwayOptions {
  readonly outage: Outage;
  readonly awayMs: number;
  readonly hosts: number;
  readonly urlsPerHost: number;
}

export interface NetworkAwayReport {
  readonly urls: number;
  readonly pages: number;
  readonly deadLetters: number;
  /** Hosts that were given up at some time. */
  readonly deadHosts: number;
  readonly lost: number;
  /** Requests that arrived anywhere during the outage, from fetchers that had a network. */
  readonly meanwhile: number;
  /** From the return of the network to the first request of a fetcher that had none, ms; null: there was none. */
  readonly firstAfterMs: number | null;
  /** null: the crawl did not end. */
  readonly endedMs: number | null;
  readonly violations: readonly string[];
}

const startMs = 1_700_000_000_000;
/** Hosts have answered by then. */
const goneAfterMs = 20_000;
const limitMs = 4 * 3_600_000;
const lookEveryMs = 5_000;
const lookAtHostsMs = 20_000;

export async function networkAway(options: NetworkAwayOptions): Promise<NetworkAwayReport> {
  const world = worldOf(options);
  const violations: string[] = [];
  const scheduler = createScheduler(chanceOf(1, 'scheduler'), startMs);
  const sinceMs = () => scheduler.nowMs() - startMs;
  const violate = (what: string) => void violations.push(`${sinceMs()} ms: ${what}`);
  const judge = createJudge(world, violate);
  const backMs = goneAfterMs + options.awayMs;
  const outages = new Outages(world, scheduler, violate, true);
  const web = createWeb({ seed: 1, world, judge, scheduler, outages });
  const { isHit, seen } = watchOutage(outages, options.outage, sinceMs, backMs);
  const setting = await createSetting(1, world, scheduler, violate, { judge, web });
  const { standby, cluster } = setting;
  request(setting, policyOf(world));
  const machines = ['frontier-0', 'fetcher-0', 'fetcher-1'].map((name) => createMachine(name, setting));
  const at = (ms: number, act: () => void) => scheduler.at(startMs + ms, act);

  const dead = new Set<string>();
  let endedMs: number | null = null;
  const lookAtHosts = () => {
    for (const { hosts } of standby.states)
      for (const { key, facts } of hosts.values()) if (facts.deadUntilMs > 0) dead.add(key);
    at(sinceMs() + Math.max(lookAtHostsMs, options.awayMs / 100), lookAtHosts);
  };
  at(lookAtHostsMs, lookAtHosts);
  let before: Look | undefined;
  const look = () => {
    const now = lookAt(setting);
    if (before !== undefined && crawlEnd(before, now) !== null) endedMs = sinceMs();
    before = now;
    at(sinceMs() + lookEveryMs, look);
  };
  at(options.outage === 'oneFetcher' ? goneAfterMs : backMs, look);

  at(goneAfterMs, () => {
    const away = options.outage === 'names' ? 'names' : 'network';
    outages.begin({ away, isHit, untilMs: startMs + backMs });
    if (away === 'network') web.cut(isHit);
  });
  await scheduler.run(startMs + backMs + limitMs, () => endedMs !== null || violations.length > 0);
  let deadLetters = 0;
  for (let one = 0; one < world.partitions; one++)
    deadLetters += cluster.partition(`${crawl}.dead-letters`, one).records.length;
  const lostBy = standby.states.reduce((sum, { counters }) => sum + Math.abs(lostUrls(counters)), 0);
  const given = [...world.byUrl.keys()].filter((url) => !standby.pages.has(url) && !standby.givenUp.has(url)).length;
  if (violations.length === 0) await checkEnd({ ...setting, machines, foreign: new Set() }, judge, []);
  const counts = { urls: world.byUrl.size, pages: standby.pages.size, deadLetters, deadHosts: dead.size };
  return { ...counts, lost: lostBy + given, ...seen(), endedMs, violations };
}

/** The differences of a report from a crawl without an outage; null: none. */
export function costOf(report: NetworkAwayReport, firstWithinMs: number): string | null {
  const { urls, pages, deadLetters, deadHosts, lost, firstAfterMs, endedMs, violations } = report;
  if (violations.length > 0) return violations[0]!;
  if (endedMs === null) return 'the crawl has no end';
  if (deadLetters > 0 || deadHosts > 0) return `${deadLetters} dead letters, ${deadHosts} dead hosts`;
  if (pages < urls || lost > 0) return `${pages} of ${urls} pages, ${lost} lost`;
  if (firstAfterMs === null || firstAfterMs > firstWithinMs) return `first request after ${firstAfterMs} ms`;
  return null;
}

/** The outage over a web, and the requests that arrive meanwhile and after it. */
function watchOutage(outages: Outages, outage: Outage, sinceMs: () => number, backMs: number) {
  let meanwhile = 0;
  let firstAfterMs: number | null = null;
  const isHit = ({ name }: SimProcess) => outage !== 'oneFetcher' || name.startsWith('fetcher-0.');
  outages.onContact = (process) => {
    if (sinceMs() >= goneAfterMs && sinceMs() < backMs) meanwhile += 1;
    if (sinceMs() >= backMs && isHit(process)) firstAfterMs ??= sinceMs() - backMs;
  };
  return { isHit, seen: () => ({ meanwhile, firstAfterMs }) };
}

/** Hosts of different owners that answer, with all pages known from the start. */
function worldOf({ hosts: count, urlsPerHost }: NetworkAwayOptions): World {
  const hosts = Array.from({ length: count }, (_, number): SimHost => {
    const name = `h${number}.test`;
    const pages = Array.from({ length: urlsPerHost }, (_, page) => {
      return { url: `http://${name}/p${page}`, forbidden: false, links: [], redirect: null };
    });
    return { name, temper: 'open', steady: true, crawlDelayMs: 0, hostSlots: 1, pages };
  });
  const all = hosts.flatMap(({ pages }) => pages);
  const index = {
    byUrl: new Map(all.map((page) => [page.url, page])),
    byName: new Map(hosts.map((host) => [host.name, host])),
  };
  return {
    ...{ hosts, ...index, seeds: all.map(({ url }) => url), partitions: 2, embedded: false, frontiers: 1, fetchers: 2 },
    ...{ delayMs: 1_000, delayFactor: 0, urlsPerLeaseMax: 8, leasesPerPartition: 1_000, pageQuota: null },
    ...{ standbys: false, score: null, recrawl: null, skewMs: 0 },
  };
}
