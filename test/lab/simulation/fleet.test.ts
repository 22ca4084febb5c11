/** Fleets on virtual time: several crawls that share hosts, with one process that dies and comes back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetWorld } from '../../../lab/simulation/fleet-world.ts';
import { plainWorld } from '../../../lab/simulation/fleet-world.ts';
import { runFleet } from '../../../lab/simulation/run-fleet.ts';
import { drawWorld, type SimHost } from '../../../lab/simulation/world.ts';

test('under any faults, no host gets more from several crawls than the fleet promises, and each crawl ends', async () => {
  // A second or two each; npm run verify:full runs more.
  for (const seed of [4, 6]) {
    const { violations } = await runFleet(seed);
    assert.deepEqual(violations, [], `seed ${seed}: npm run simulate -- --fleet --seed ${seed}`);
  }
});

test('a fleet’s seed repeats the same run, to the byte', async () => {
  const first = await runFleet(2);
  assert.deepEqual(first.violations, []);
  assert.deepEqual(await runFleet(2), first);
});

test('crawls that all want more get their shares, within a tenth', async () => {
  const weights = [1, 2, 4];
  const { violations, pages } = await runFleet(1, { fleet: wantingMore(weights), untilMs: 40_000 });
  assert.deepEqual(violations, []);
  const all = pages.reduce((a, b) => a + b, 0);
  for (const [at, weight] of weights.entries()) {
    const share = pages[at]! / all / (weight / 7);
    assert.ok(Math.abs(share - 1) < 0.1, `weight ${weight} has ${share} of its share: ${pages.join(', ')}`);
  }
});

/** Twenty-four hosts that each of them knows all pages of, and two requests at once. */
function wantingMore(weights: readonly number[]): FleetWorld {
  const hosts = Array.from({ length: 24 }, (_, number): SimHost => {
    const name = `h${number}.test`;
    const pages = Array.from({ length: 30 }, (_, page) => {
      return { url: `http://${name}/p${page}`, forbidden: false, links: [], redirect: null };
    });
    return { name, temper: 'open', steady: true, crawlDelayMs: 0, hostSlots: 1, pages };
  });
  const all = hosts.flatMap(({ pages }) => pages);
  const web = {
    ...plainWorld(drawWorld(1)),
    ...{
      hosts,
      byUrl: new Map(all.map((page) => [page.url, page])),
      byName: new Map(hosts.map((host) => [host.name, host])),
    },
    ...{ seeds: all.map(({ url }) => url), delayMs: 300, score: null, urlsPerLeaseMax: 8, leasesPerPartition: 40 },
  };
  const crawls = weights.map((weight, at) => ({ name: 'abc'[at]!, weight, world: web }));
  return { web, crawls, requestsMax: 2, hostDelayMs: 300, faults: [] };
}
