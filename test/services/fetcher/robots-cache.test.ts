import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRobotsCache, type RobotsResponse } from '../../../services/fetcher/robots-cache.ts';
import { isAllowed } from '../../../topology/robots/rules.ts';
import { createFakeClock } from './fake-clock.ts';

const hourMs = 3_600_000;
const origin = 'http://a.test';

function answer(status: number, text = '', location: string | null = null): RobotsResponse {
  return { status, location, body: Buffer.from(text), retryAfterMs: 0, blockedAddress: false, detail: '' };
}

function open(respond: (url: string) => RobotsResponse | null) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const cache = createRobotsCache(clock, 'crawlstream');
  const get = () =>
    cache.get(origin, async (url) => {
      asked.push(url);
      await Promise.resolve();
      return respond(url);
    });
  return { clock, asked, cache, get };
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

test('an old copy stands in for up to 30 days while robots.txt is unreachable, then nothing is allowed', async () => {
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

test('an unreachable robots.txt is asked for by every lease', async () => {
  let status = 500;
  const { asked, get } = open(() => answer(status));
  assert.equal((await get())?.robots.status, 'unreachable');
  status = 404;
  assert.equal((await get())?.robots.status, 'allowAll');
  assert.equal(asked.length, 2);
});

test('five redirects are followed, a sixth or a loop means there is none', async () => {
  const chain = (last: number) => (url: string) => {
    const n = Number(/\d+$/.exec(url)?.[0] ?? 0);
    return n < last ? answer(302, '', `http://b.test/${n + 1}`) : answer(200, 'User-agent: *\nDisallow: /');
  };
  assert.equal((await open(chain(5)).get())?.robots.status, 'rules');
  assert.equal((await open(chain(6)).get())?.robots.status, 'allowAll');
  const loop = open(() => answer(301, '', `${origin}/robots.txt`));
  assert.equal((await loop.get())?.robots.status, 'allowAll');
  assert.equal(loop.asked.length, 1);
});

test('leases that want it at once share a fetch; one that gives up leaves it to the next', async () => {
  let calls = 0;
  const { asked, get } = open(() => (calls++ === 0 ? null : answer(200)));
  const [first, second, third] = await Promise.all([get(), get(), get()]);
  assert.equal(first, null);
  assert.equal(second?.fresh, true);
  assert.equal(third?.fresh, true);
  assert.equal(asked.length, 2);
});

test('copies are bounded by their bytes', async () => {
  const clock = createFakeClock();
  const cache = createRobotsCache(clock, 'crawlstream');
  const body = Buffer.alloc(500 * 1024, `#${'-'.repeat(99)}\n`);
  for (let n = 0; n < 200; n++) {
    await cache.get(`http://h${n}.test`, async () => ({ ...answer(200), body }));
  }
  assert.ok(cache.size <= 131);
});
