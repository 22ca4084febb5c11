/** A fetcher among others of a fleet, which another process may have taken over: no request goes out from then on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Permit } from '../../../services/fetcher/pace/pacer.ts';
import { createSharedRobots, type FetcherSeat } from '../../../services/fetcher/robots/shared-robots.ts';
import { clock, startHarness, taskUrls } from './harness.ts';
import { serveSite } from './loopback.ts';

/** The fleet is lost with the permit of that number, from one on, just before it is given. */
function seatLostAt(permits: number): FetcherSeat & { readonly given: Permit[] } {
  const given: Permit[] = [];
  return {
    given,
    robots: createSharedRobots(clock),
    mayContact: () => given.length < permits,
    leasesWanted: 1,
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

for (const [permits, contacted] of [
  [1, []],
  [2, ['/robots.txt']],
  [3, ['/robots.txt', '/a']],
  [4, ['/robots.txt', '/a', '/b']],
] as const) {
  test(`a request that has its permit is not made once the fleet is another’s: lost with permit ${permits}`, async (t) => {
    const site = await serveSite(t, (request, response) => {
      if (request.url === '/robots.txt') response.writeHead(404);
      response.end();
    });
    const seat = seatLostAt(permits);
    const harness = await startHarness(t, { seat });
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
