/** A fleet drawn from a seed: a small web, several overlapping crawls of it, and the faults while they run. */
import { type Chance, chanceOf } from './chance.ts';
import type { Fault } from './faults.ts';
import type { Trouble } from './web.ts';
import { drawWorld, type SimHost, type World } from './world.ts';

export interface SimCrawl {
  readonly name: string;
  readonly weight: number;
  /** The same hosts for all, with separate seeds and settings. */
  readonly world: World;
}

/** ms from the start. `step`: a step of the fleet's process from then on. */
export type FleetFault =
  | { readonly kind: 'kill'; readonly at: number; readonly step: number; readonly downMs: number }
  | Extract<Fault, { readonly kind: 'trouble' }>;

export interface FleetWorld {
  readonly web: World;
  readonly crawls: readonly SimCrawl[];
  readonly requestsMax: number;
  readonly hostDelayMs: number;
  readonly faults: readonly FleetFault[];
}

export function drawFleet(seed: number): FleetWorld {
  const chance = chanceOf(seed, 'fleet');
  const web = plainWorld(drawWorld(seed));
  const crawls = Array.from({ length: chance.between(2, 4) }, (_, number) => ({
    name: 'abcd'[number]!,
    weight: chance.between(1, 4),
    world: {
      ...web,
      seeds: seedsOf(chance, web),
      delayMs: chance.pick([0, 300, 1_000, 3_000]),
      urlsPerLeaseMax: chance.pick([1, 3, 8]),
      leasesPerPartition: chance.pick([1, 4, 20]),
    },
  }));
  const faults = Array.from({ length: chance.between(0, 3) }, () => drawFault(chance, web)).sort((a, b) => a.at - b.at);
  const [requestsMax, hostDelayMs] = [chance.pick([1, 2, 8]), chance.pick([0, 500, 1_500])];
  return { web, crawls, requestsMax, hostDelayMs, faults };
}

/** One process on a separate log, as a fleet's crawls are; a host has one request at a time over all crawls. */
export function plainWorld(world: World): World {
  const hosts = world.hosts.map((host): SimHost => ({ ...host, hostSlots: 1 }));
  const plain = { embedded: true, partitions: 1, frontiers: 1, fetchers: 1, standbys: false, skewMs: 0 };
  const byName = new Map(hosts.map((host) => [host.name, host]));
  return { ...world, ...plain, hosts, byName, delayFactor: 0, pageQuota: null, recrawl: null };
}

function seedsOf(chance: Chance, { hosts }: World): string[] {
  const seeds = hosts.filter(() => chance.happens(0.7)).map(({ pages }) => pages[0]!.url);
  return seeds.length > 0 ? seeds : [hosts[0]!.pages[0]!.url];
}

function drawFault(chance: Chance, { hosts }: World): FleetFault {
  const at = chance.between(0, chance.pick([2_000, 20_000, 60_000]));
  if (chance.happens(0.6)) {
    // Some processes return while hosts must still be left alone after contacts that no process remembers.
    const downMs = chance.between(1, chance.pick([50, 300, 5_000]));
    return { kind: 'kill', at, step: chance.between(0, 60), downMs };
  }
  const answer = chance.pick<Trouble>([503, 429, 'silence', 'robots503', 'reset']);
  return { kind: 'trouble', at, host: chance.pick(hosts).name, answer, forMs: chance.between(1_000, 6_000) };
}
