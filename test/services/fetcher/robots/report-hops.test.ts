/** A robots.txt that has moved to a host which another fetcher has: two caches, and what goes between them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRobotsCache, type RobotsFetch, type RobotsResponse } from '../../../../services/fetcher/robots/cache.ts';
import { fetchReported, hopReporter } from '../../../../services/fetcher/robots/report-hops.ts';
import { isAllowed } from '../../../../topology/robots/rules.ts';
import { createFakeClock } from '../fake-clock.ts';

const answer = (status: number, more: Partial<RobotsResponse> = {}): RobotsResponse => ({
  ...{ status, location: null, body: Buffer.alloc(0), retryAfterMs: 0, blockedAddress: false, detail: '' },
  ...more,
});
const moved = (location: string) => answer(301, { location });
const [here, there, beyond] = ['http://a.test/robots.txt', 'http://b.test/robots.txt', 'http://b.test/r2'];

function twoFetchers(web: Readonly<Record<string, RobotsResponse>>) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const fetchOf =
    (host: string): RobotsFetch =>
    async (chain) => {
      const url = chain.at(-1)!;
      if (new URL(url).host !== host) return 'elsewhere';
      asked.push(url);
      return web[url] ?? answer(404);
    };
  const cache = createRobotsCache(clock, ['crawlstream']);
  const notAsked: string[] = [];
  let isHere = true;
  const hop = hopReporter(clock, {
    isHere: () => isHere,
    report: (chain, response) => cache.hop(chain, fetchReported(response)),
    notAsked: async (chain) => void notAsked.push(chain.join(' ')),
  });
  const get = async () => {
    const got = cache.get('http://a.test', fetchOf('a.test'));
    await clock.advance(10_000);
    return got;
  };
  const hopBy = (chain: readonly string[], fetch = fetchOf('b.test')) => hop(chain, fetch);
  const leave = () => {
    isHere = false;
  };
  return { clock, asked, notAsked, cache, get, hop: hopBy, leave };
}

test('the answer after the other host’s own redirects binds the host that was asked first', async () => {
  const body = Buffer.from('user-agent: *\ndisallow: /private');
  const { asked, get, hop } = twoFetchers({
    [here]: moved(there),
    [there]: moved(beyond),
    [beyond]: answer(200, { body }),
  });
  assert.equal(await get(), null, 'nobody has asked there yet');
  await hop([here, there]);
  const { robots } = (await get())!;
  assert.deepEqual(asked, [here, there, beyond]);
  assert.equal(robots.status, 'rules');
  assert.deepEqual(
    ['/private', '/public'].map((path) => isAllowed(robots.rules, `http://a.test${path}`)),
    [false, true],
  );
});

test('a host that fails, or has no robots.txt, is asked once for all hosts that lead to it, and closes or opens them', async () => {
  for (const [status, verdict] of [
    [500, 'unreachable'],
    [404, 'allowAll'],
  ] as const) {
    const { asked, get, hop } = twoFetchers({ [here]: moved(there), [there]: answer(status) });
    await get();
    await hop([here, there]);
    await hop([here, there]);
    assert.equal((await get())!.robots.status, verdict);
    assert.deepEqual(asked, [here, there], `${status}`);
  }
});

test('a third host that the other host leads to is asked by its own fetcher', async () => {
  const third = 'http://c.test/robots.txt';
  const { asked, get, hop, cache } = twoFetchers({ [here]: moved(there), [there]: moved(third) });
  await get();
  await hop([here, there]);
  assert.deepEqual(asked, [here, there]);
  await cache.hop([here, there, third], fetchReported(answer(404)));
  assert.equal((await get())!.robots.status, 'allowAll');
});

test('a host that could not be asked here is reported as such, without an answer', async () => {
  const { asked, notAsked, get, hop } = twoFetchers({ [here]: moved(there) });
  await get();
  await hop([here, there], async () => null);
  assert.deepEqual([asked, notAsked], [[here], [`${here} ${there}`]]);
  await hop([here, there]);
  assert.equal((await get())!.robots.status, 'allowAll');
});

test('an answer of a host that moved to another fetcher meanwhile is ignored', async () => {
  const { asked, notAsked, get, hop, leave } = twoFetchers({ [here]: moved(there), [there]: answer(500) });
  await get();
  leave();
  await hop([here, there]);
  assert.deepEqual([asked, notAsked], [[here, there], [`${here} ${there}`]]);
  assert.equal(await get(), null);
});

test('a fetcher that takes a host over requests its moved robots.txt at once, whatever it knew before', async () => {
  const { asked, get, cache } = twoFetchers({ [here]: moved(there) });
  await get();
  await get();
  assert.deepEqual(asked, [here], 'it is asked for already');
  cache.forgetMoves((hostKey) => hostKey === 'b.test');
  await get();
  assert.deepEqual(asked, [here]);
  cache.forgetMoves((hostKey) => hostKey === 'a.test');
  await get();
  assert.deepEqual(asked, [here, here]);
});
