/**
 * A small web and a crawl of it, drawn from a seed: hosts of all tempers, the links, and the settings of the crawl.
 *
 * `steady` hosts always answer: pages that can be reached over them must have been fetched when the crawl ends. Of the
 * other hosts only the kinds of ends are known: fetched, refused, or given up with a reason.
 */

import type { RecrawlConfig } from '../../topology/policy/recrawl/recrawl-config.ts';
import { defaultOpic } from '../../topology/policy/score/opic.ts';
import { defaultScore, type ScoreConfig } from '../../topology/policy/score/score-config.ts';
import { chanceOf } from './chance.ts';
import { drawRecrawl } from './recrawl.ts';

export type Temper =
  /** Answers in a moment. */
  | 'quick'
  /** Answers in seconds. */
  | 'slow'
  /** Asks for a Crawl-delay. */
  | 'delayed'
  /** Asks for a longer Crawl-delay than the cap. */
  | 'sleepy'
  /** Has no robots.txt. */
  | 'open'
  /** Its first answers for a URL are failures. */
  | 'flaky'
  /** Answers 429 with Retry-After, often. */
  | 'throttling'
  /** Its robots.txt answers 503, for a while. */
  | 'shy'
  /** Its robots.txt answers 503, for ever. */
  | 'shut'
  /** Has no address. */
  | 'nameless'
  /** No name server answers for its name (dead-names.ts). */
  | 'unanswered'
  /** Refuses connections. */
  | 'dead'
  /** Has a private address. */
  | 'private'
  /** Takes the request, and does not answer some of them. */
  | 'silent';

const steadyTempers = ['quick', 'quick', 'slow', 'delayed', 'open'] as const;
const otherTempers = [
  'sleepy',
  'flaky',
  'flaky',
  'throttling',
  'throttling',
  'shy',
  'shut',
  'nameless',
  'dead',
  'private',
  'silent',
] as const;

export interface SimHost {
  readonly name: string;
  readonly temper: Temper;
  readonly steady: boolean;
  readonly crawlDelayMs: number;
  /** Most leases at once. */
  readonly hostSlots: number;
  readonly pages: readonly SimPage[];
}

export interface SimPage {
  readonly url: string;
  /** robots.txt forbids it. */
  readonly forbidden: boolean;
  readonly links: readonly string[];
  /** It is a redirect. */
  readonly redirect: string | null;
}

export interface World {
  readonly hosts: readonly SimHost[];
  readonly byUrl: ReadonlyMap<string, SimPage>;
  readonly byName: ReadonlyMap<string, SimHost>;
  readonly seeds: readonly string[];
  readonly partitions: number;
  /** One process on a separate log, or several that share one. */
  readonly embedded: boolean;
  readonly frontiers: number;
  readonly fetchers: number;
  readonly delayMs: number;
  readonly delayFactor: number;
  readonly urlsPerLeaseMax: number;
  readonly leasesPerPartition: number;
  readonly pageQuota: number | null;
  /** True if frontiers keep warm copies of each other's partitions. */
  readonly standbys: boolean;
  /** null: by depth and spelling. */
  readonly score: ScoreConfig | null;
  /** The schedule of revisits, with pages that change. null: pages are visited once. */
  readonly recrawl: RecrawlConfig | null;
  /** Largest difference between clocks of different processes, ms. */
  readonly skewMs: number;
}

export function drawWorld(seed: number): World {
  const chance = chanceOf(seed, 'world');
  // Its name selects the stream of numbers: another name would change the worlds of all seeds.
  const hot = chanceOf(seed, 'lanes');
  const hosts: SimHost[] = [];
  const count = chance.between(2, 7);
  for (let number = 0; number < count; number++) {
    const steady = number === 0 || chance.happens(0.6);
    const temper = steady ? chance.pick(steadyTempers) : chance.pick(otherTempers);
    const name = `h${number}.test`;
    const size = chance.between(1, 9);
    hosts.push({
      name,
      temper,
      steady,
      crawlDelayMs: temper === 'delayed' ? chance.between(2, 4) * 1_000 : temper === 'sleepy' ? 9_000_000 : 0,
      hostSlots: hot.happens(0.3) ? hot.between(2, 3) : 1,
      pages: Array.from({ length: size }, (_, page) => ({
        url: `http://${name}/${page === 0 ? '' : `p${page}`}`,
        forbidden: temper !== 'open' && page > 0 && chance.happens(0.15),
        links: [] as string[],
        redirect: null as string | null,
      })),
    });
  }
  const all = hosts.flatMap((host) => host.pages);
  for (const host of hosts) {
    host.pages.forEach((page, number) => {
      const links = page.links as string[];
      // The next page of the host, so that most pages can be reached; and some others, of any host.
      if (number + 1 < host.pages.length && chance.happens(0.9)) links.push(host.pages[number + 1]!.url);
      for (let more = chance.between(0, 4); more > 0; more--) links.push(chance.pick(all).url);
      if (number > 0 && chance.happens(0.12)) (page as { redirect: string | null }).redirect = chance.pick(all).url;
    });
  }
  const embedded = chance.happens(0.25);
  const world = {
    hosts,
    byUrl: new Map(all.map((page) => [page.url, page])),
    byName: new Map(hosts.map((host) => [host.name, host])),
    seeds: hosts.slice(0, chance.between(1, count)).map((host) => host.pages[0]!.url),
    partitions: chance.between(1, 3),
    embedded,
    frontiers: chance.between(1, 2),
    fetchers: chance.between(1, 2),
    delayMs: chance.pick([0, 300, 1_000, 2_000]),
    delayFactor: chance.pick([0, 0, 2]),
    urlsPerLeaseMax: chance.pick([1, 3, 8]),
    leasesPerPartition: chance.pick([1, 4, 20]),
    pageQuota: chance.happens(0.1) ? chance.between(1, 12) : null,
    skewMs: chance.happens(0.2) ? 2_000 : 0,
    standbys: chance.happens(0.7),
    score: chanceOf(seed, 'score').pick([null, defaultScore, defaultOpic]),
  };
  return { ...world, recrawl: world.pageQuota === null ? drawRecrawl(seed) : null };
}

/**
 * URLs that must have been fetched when the crawl ends; `givenUp`: URLs that were given up, and lead nowhere.
 * `foreign`: URLs found by others.
 */
export function mustBeFetched(world: World, givenUp: ReadonlySet<string>, foreign: ReadonlySet<string>): Set<string> {
  const reached = new Set<string>();
  const fetched = new Set<string>();
  const open = [...world.seeds, ...foreign];
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (reached.has(url)) continue;
    reached.add(url);
    const page = world.byUrl.get(url)!;
    const host = world.byName.get(new URL(url).host)!;
    if (!host.steady || page.forbidden || givenUp.has(url)) continue;
    if (page.redirect === null) fetched.add(url);
    open.push(...(page.redirect === null ? page.links : [page.redirect]));
  }
  return fetched;
}
