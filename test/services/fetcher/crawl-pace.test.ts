/** A fetcher among others of a fleet, which another process may have taken over: no request goes out from then on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permit } from '../../../services/fetcher/pace/pacer.ts';
import { createSharedRobots, type FetcherPace } from '../../../services/fetcher/robots/shared-robots.ts';
import { until } from '../until.ts';
import { clock, startHarness, taskUrls } from './harness.ts';
import { serveSite } from './loopback.ts';

/** The fleet is lost with the permit of that number, from one on, just before it is given. */
function paceLostAt(permits: number): FetcherPace & { readonly given: Permit[] } {
  const given: Permit[] = [];
  return {
    given,
    robots: createSharedRobots(clock),
    mayContact: () => given.length < permits,
    leasesWanted: 1,
    loop: { isOver: false, spend() {} },
    onWanted() {},
    sharePace: (own) => ({
      waitMs: own.waitMs,
      hold: own.hold,
      get size() {
        return own.size;
      },
      async acquire(...asked) {
        const permit = await own.acquire(...asked);
        if (permit !== null) given.push(permit);
        return permit;
      },
    }),
  };
}

test('an idle fetcher of a fleet reports within seconds that it has less room', async (t) => {
  const rooms: number[] = [];
  const crawlPace = { ...paceLostAt(9), leasesWanted: 5, onRoom: (leases: number) => void rooms.push(leases) };
  await startHarness(t, { crawlPace });
  await until(() => rooms.at(-1) === 5);
  crawlPace.leasesWanted = 1;
  await until(() => rooms.at(-1) === 1, 8_000);
});

for (const [permits, contacted] of [
  [1, []],
  [2, ['/robots.txt']],
  [3, ['/robots.txt', '/a']],
  [4, ['/robots.txt', '/a', '/b']],
] as const) {
  test(`a request with a permit is not made once another process runs the fleet: lost with permit ${permits}`, async (t) => {
    const site = await serveSite(t, (request, response) => {
      if (request.url === '/robots.txt') response.writeHead(404);
      response.end();
    });
    const crawlPace = paceLostAt(permits);
    const harness = await startHarness(t, { crawlPace });
    const { outcomes } = await harness.lease({
      urls: taskUrls(...['/a', '/b'].map((path) => site.url('a.test', path))),
    });
    assert.deepEqual(
      site.hits.map(({ path }) => path),
      contacted,
    );
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['/a', '/b'].map((path) => (site.hits.some((hit) => hit.path === path) ? 'fetched' : 'returned')),
    );
  });
}

test('a lease that ends meanwhile returns its remaining URLs', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404);
    response.end();
  });
  const isVoid = () => site.hits.some(({ path }) => path === '/a');
  const harness = await startHarness(t, { crawlPace: Object.assign(paceLostAt(9), { isVoid }) });
  const { outcomes } = await harness.lease({
    urls: taskUrls(...['/a', '/b', '/c'].map((path) => site.url('a.test', path))),
  });
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['fetched', 'returned', 'returned'],
  );
  assert.deepEqual(
    site.hits.map(({ path }) => path),
    ['/robots.txt', '/a'],
  );
});

test('a robots.txt that moved to a host of another fetcher is requested there', async (t) => {
  const site = await serveSite(t, (_, response) =>
    response.writeHead(301, { location: site.url('b.test', '/robots.txt') }).end(),
  );
  const mayContact = (hostKey: string) => hostKey.startsWith('a.test');
  const harness = await startHarness(t, { crawlPace: Object.assign(paceLostAt(9), { mayContact }) });
  const { outcomes, results } = await harness.lease({ urls: taskUrls(site.url('a.test', '/a')) });
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ['returned'],
  );
  const all = [...results, ...((await harness.all('results')) as typeof results)];
  const hop = all.flatMap(({ hostKey, robotsHops }) => robotsHops.map(({ url }) => [hostKey, url]))[0];
  assert.deepEqual(hop, [`b.test:${site.port}`, site.url('b.test', '/robots.txt')]);
  assert.deepEqual(
    site.hits.map(({ host }) => host),
    ['a.test'],
  );
});
