import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RobotsCopy } from '../../../../schemas/types.ts';
import { createRobotsCache, type RobotsFetch, type RobotsResponse } from '../../../../services/fetcher/robots/cache.ts';
import { isAllowed } from '../../../../topology/robots/rules.ts';
import { createFakeClock } from '../fake-clock.ts';

const hourMs = 3_600_000;
const origin = 'http://a.test';

function answer(status: number, text = '', location: string | null = null): RobotsResponse {
  return { status, location, body: Buffer.from(text), retryAfterMs: 0, blockedAddress: false, detail: '' };
}

function open(respond: (url: string) => RobotsResponse | 'elsewhere' | null) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const cache = createRobotsCache(clock, 'crawlstream');
  const fetch: RobotsFetch = async (chain) => {
    asked.push(chain.at(-1)!);
    await Promise.resolve();
    return respond(chain.at(-1)!);
  };
  const get = () => cache.get(origin, fetch);
  const hop = (...chain: string[]) => cache.hop(chain, fetch);
  return { clock, asked, cache, get, hop, fetch };
}

test('a copy serves for 24 hours', async () => {
  const { clock, asked, get } = open(() => answer(200, 'User-agent: *\nDisallow: /no'));
  assert.equal((await get())?.fresh, true);
  await clock.advance(24 * hourMs - 1);
  const kept = await get();
  assert.equal(kept?.fresh, false);
  assert.equal(isAllowed(kept!.robots.rules, 'http://a.test/no'), false);
  await clock.advance(1);
  await get();
  assert.equal(asked.length, 2);
});

test('an old copy serves for up to 30 days while robots.txt is unreachable; then nothing is allowed', async () => {
  let up = true;
  const { clock, asked, get } = open(() => (up ? answer(200, 'User-agent: *\nDisallow: /no') : answer(503)));
  await get();
  up = false;
  await clock.advance(25 * hourMs);
  const stale = await get();
  assert.equal(stale?.robots.status, 'rules');
  assert.equal(stale?.robots.stale, true);
  // It does not ask again for each lease.
  await get();
  assert.equal(asked.length, 2);
  await clock.advance(29 * 24 * hourMs);
  assert.equal((await get())?.robots.status, 'unreachable');
});

test('a robots.txt that is answered with a request for less is throttled once, and its old copy serves', async () => {
  const slow = { ...answer(500), retryAfterMs: 7_000 };
  for (const [response, throttled, detail] of [
    [answer(429), true, 'robots.txt: status 429'],
    [answer(503), true, 'robots.txt: status 503'],
    [slow, true, 'robots.txt: status 500'],
    [answer(500), undefined, ''],
    [answer(0), undefined, ''],
  ] as const) {
    let now = answer(200, 'User-agent: *\nDisallow: /no');
    const { clock, get } = open(() => now);
    await get();
    now = response;
    await clock.advance(25 * hourMs);
    const { robots } = (await get())!;
    assert.deepEqual(
      [robots.status, robots.stale, robots.throttled, robots.detail],
      ['rules', true, throttled, detail],
    );
    assert.equal(robots.retryAfterMs, response.retryAfterMs);
    const next = (await get())!.robots;
    assert.deepEqual([next.stale, next.throttled, next.detail, next.retryAfterMs], [true, undefined, '', 0]);
  }
});

test('each lease requests an unreachable robots.txt again', async () => {
  let status = 500;
  const { asked, get } = open(() => answer(status));
  assert.equal((await get())?.robots.status, 'unreachable');
  status = 404;
  assert.equal((await get())?.robots.status, 'allowAll');
  assert.equal(asked.length, 2);
});

test('five redirects are followed; a sixth or a loop means no robots.txt', async () => {
  const chain = (last: number) => (url: string) => {
    const n = Number(/\d+$/.exec(url)?.[0] ?? 0);
    return n < last ? answer(302, '', `${origin}/${n + 1}`) : answer(200, 'User-agent: *\nDisallow: /');
  };
  assert.equal((await open(chain(5)).get())?.robots.status, 'rules');
  assert.equal((await open(chain(6)).get())?.robots.status, 'allowAll');
  const loop = open(() => answer(301, '', `${origin}/robots.txt`));
  assert.equal((await loop.get())?.robots.status, 'allowAll');
  assert.equal(loop.asked.length, 1);
});

test('concurrent leases share one fetch of robots.txt, and one that gives up leaves it to the next', async () => {
  let calls = 0;
  const { asked, get } = open(() => (calls++ === 0 ? null : answer(200)));
  const [first, second, third] = await Promise.all([get(), get(), get()]);
  assert.equal(first, null);
  assert.equal(second?.fresh, true);
  assert.equal(third?.fresh, true);
  assert.equal(asked.length, 2);
});

test('each copy is reported before any request relies on it, for every origin that it binds', async () => {
  const clock = createFakeClock();
  const copies: RobotsCopy[] = [];
  const cache = createRobotsCache(clock, 'crawlstream', (copy) => copies.push(copy));
  const text = 'User-agent: *\nCrawl-delay: 2';
  const fetch: RobotsFetch = async (asked) =>
    asked.at(-1) === 'http://b.test/robots.txt' ? answer(200, text) : answer(301, '', 'http://b.test/robots.txt');
  const reported = (await cache.get(origin, fetch))!.robots;
  assert.deepEqual(
    copies.map(({ origin, url, status, hash, crawlDelayMs }) => [
      origin,
      url,
      status,
      hash === reported.hash,
      crawlDelayMs,
    ]),
    [
      ['http://a.test', 'http://b.test/robots.txt', 200, true, 2_000],
      ['http://b.test', 'http://b.test/robots.txt', 200, true, 2_000],
    ],
  );
  assert.equal(Buffer.from(copies[0]!.body).toString(), text);
  await cache.get('http://c.test', fetch);
  const last = copies.at(-1)!;
  assert.deepEqual(
    [last.origin, last.hash, last.body.length],
    ['http://c.test', reported.hash, 0],
    'known by its hash',
  );
  await cache.get('http://d.test', async () => answer(404));
  assert.deepEqual([copies.at(-1)!.origin, copies.at(-1)!.hash, copies.at(-1)!.status], ['http://d.test', '', 404]);
});

test('a redirect chain that is too long says nothing of its last host’s own robots.txt', async () => {
  const { get, fetch, cache } = open((url) => {
    const n = Number(/\d+/.exec(new URL(url).hostname)?.[0] ?? 0);
    return n < 7 ? answer(301, '', `http://h${n + 1}.test/robots.txt`) : answer(200, 'User-agent: *\nDisallow: /');
  });
  assert.equal((await get())?.robots.status, 'allowAll');
  assert.equal((await cache.get('http://h5.test', fetch))?.robots.status, 'rules');
});

test('robots.txt copies are bounded by their bytes', async () => {
  const clock = createFakeClock();
  const cache = createRobotsCache(clock, 'crawlstream');
  const body = Buffer.alloc(500 * 1024, `#${'-'.repeat(99)}\n`);
  for (let n = 0; n < 200; n++) {
    await cache.get(`http://h${n}.test`, async () => ({ ...answer(200), body }));
  }
  assert.ok(cache.size <= 131);
});

const moved = 'http://b.test/robots.txt';
const wanted = `${origin}/robots.txt`;

test('a lease waits briefly for another host’s answer, and gives up rather than delay its own host', async () => {
  const { clock, asked, get, hop } = open((url) => {
    if (url === wanted) return answer(301, '', moved);
    return asked.filter((one) => one === moved).length === 1
      ? 'elsewhere'
      : answer(200, 'User-agent: *\nDisallow: /no');
  });
  const first = get();
  await clock.advance(2_000);
  assert.equal(await first, null);
  const second = get();
  await clock.advance(10);
  await hop(wanted, moved);
  const there = await second;
  assert.equal(there?.fresh, true);
  assert.equal(isAllowed(there!.robots.rules, 'http://a.test/no'), false);
  assert.deepEqual(asked, [wanted, moved, moved], 'the second lease asks nobody: the answer is on its way');
  assert.equal((await get())?.fresh, false);
});

test('an unreachable answer serves one lease; the next one asks again, the other host after two minutes', async () => {
  const { clock, asked, get, hop } = open((url) => (url === wanted ? answer(301, '', moved) : answer(503)));
  await hop(wanted, moved);
  assert.equal((await get())?.robots.status, 'unreachable');
  assert.deepEqual(asked, [moved]);
  await get();
  assert.deepEqual(asked, [moved, wanted]);
  await clock.advance(120_000);
  await get();
  assert.deepEqual(asked, [moved, wanted, wanted, moved]);
});

test('a host that nobody can ask is asked again, and counts as unreachable in the end', async () => {
  const { clock, asked, get } = open((url) => (url === wanted ? answer(301, '', moved) : 'elsewhere'));
  const statuses: (string | undefined)[] = [];
  for (let minute = 0; minute < 12; minute++) {
    const lease = get();
    await clock.advance(60_000);
    statuses.push((await lease)?.robots.status);
  }
  assert.equal(statuses.filter((status) => status === 'unreachable').length, 1);
  assert.ok(asked.length <= 2 * 7, `${asked.length}`);
});

test('a robots.txt that moved to a host with a known robots.txt is not requested again', async () => {
  const b = 'http://b.test';
  const { asked, cache, get, fetch } = open((url) =>
    url === wanted ? answer(301, '', `${b}/robots.txt`) : answer(200, 'User-agent: *\nDisallow: /no'),
  );
  await cache.get(b, fetch);
  assert.equal(isAllowed((await get())!.robots.rules, 'http://a.test/no'), false);
  assert.deepEqual(asked, [`${b}/robots.txt`, wanted]);
});

test('an answer that arrives before any lease asked is reported as fresh, once', async () => {
  const b = 'http://b.test';
  const { cache, get, hop, fetch } = open(() => answer(200, 'Sitemap: /map'));
  await hop(wanted, `${b}/robots.txt`);
  assert.deepEqual([(await get())?.fresh, (await get())?.fresh], [true, false]);
  const there = async () => (await cache.get(b, fetch))?.fresh;
  assert.deepEqual([await there(), await there()], [true, false], 'the last URL of a chain may be a robots.txt, too');
});
