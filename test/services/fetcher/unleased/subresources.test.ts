/** What a page makes a browser load from others: paced and held back as if the crawl had asked. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Request } from '../../../../schemas/types.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient } from '../../../../services/fetcher/http/client.ts';
import { createAddressPacer } from '../../../../services/fetcher/pace/address-pacer.ts';
import { createBandwidth } from '../../../../services/fetcher/pace/bandwidth.ts';
import { createGrantClock } from '../../../../services/fetcher/pace/grant-clock.ts';
import { createPacer } from '../../../../services/fetcher/pace/pacer.ts';
import { createSlots } from '../../../../services/fetcher/pace/slots.ts';
import { createRobotsCache } from '../../../../services/fetcher/robots/cache.ts';
import { createSubresources } from '../../../../services/fetcher/unleased/subresources.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { type Answer, serveSite } from '../loopback.ts';

const limits = { bodyBytesMax: 1_000_000, cacheBytesMax: 1_000_000, cacheMs: 1 };
const addressDelayMs = 60;

async function open(
  t: TestContext,
  answer: Answer,
  blocked: readonly string[] = [],
  isBlocked: (address: string) => boolean = () => false,
) {
  const clock = new SystemClock();
  const site = await serveSite(t, answer);
  const resolver = createResolver({
    clock,
    lookup: async () => ({ addresses: ['127.0.0.1'], ttlMs: 60_000 }),
    overrides: () => undefined,
    isBlocked,
  });
  const http = createHttpClient({ clock, resolver });
  t.after(() => http.close());
  const { signal } = new AbortController();
  const made: Request[] = [];
  const subresources = createSubresources({
    road: {
      ...{ http, resolver, signal, ownClock: clock, clock: createGrantClock(clock) },
      pacer: createPacer(clock, signal),
      addressPacer: createAddressPacer(clock, addressDelayMs, () => 1),
      slots: createSlots(100),
      bandwidth: createBandwidth(clock, () => 1),
      isBlocked: (hostKey) => blocked.some((host) => hostKey.startsWith(host)),
    },
    delayOf: () => 150,
    robots: createRobotsCache(clock, 'crawlstream'),
    record: (request) => made.push(request),
    headersOf: () => ['user-agent', 'test'],
    limits,
  });
  const page = { hostKey: `page.test:${site.port}`, delayMs: 1 };
  const get = (host: string, path: string, forMs = 60_000) =>
    subresources.get(site.url(host, path), page, clock.nowMs() + forMs);
  return { site, get, made, subresources };
}

const plain: Answer = (request, response) => {
  if (request.url === '/robots.txt') response.writeHead(404).end();
  else response.end('x');
};

test('a page that loads from many names of one machine makes no crowd there', async (t) => {
  const { site, get, made } = await open(t, plain);
  await Promise.all(Array.from({ length: 20 }, (_, n) => get(`h${n}.test`, '/a.js')));
  assert.equal(site.hits.length, 40);
  const startsMs = made.map(({ startMs }) => startMs);
  const crowd = Math.max(...startsMs.map((at) => startsMs.filter((one) => one >= at && one < at + 180).length));
  assert.ok(crowd <= 9, `${crowd} requests within 180 ms, where 4 are due`);
  assert.ok(made.every((request) => request.addressDelayMs === addressDelayMs));
});

test('another host has its own delay, not the page’s', async (t) => {
  const { site, get } = await open(t, plain);
  await Promise.all([get('cdn.test', '/a.js'), get('cdn.test', '/b.js')]);
  for (let n = 1; n < site.hits.length; n++) {
    const gapMs = site.hits[n]!.startMs - site.hits[n - 1]!.endMs;
    assert.ok(gapMs >= 149, `${gapMs.toFixed(0)} ms`);
  }
  assert.equal(site.hits.length, 3);
});

test('a blocked host is not contacted', async (t) => {
  const { site, get } = await open(t, plain, ['blocked.test']);
  assert.equal(await get('blocked.test', '/a.js'), null);
  assert.deepEqual(site.hits, []);
});

test('a host that asks for a pause has it', async (t) => {
  const { site, get } = await open(t, (request, response, host) => {
    if (request.url === '/a.js') response.writeHead(429, { 'retry-after': '3' }).end();
    else plain(request, response, host);
  });
  assert.equal((await get('busy.test', '/a.js'))?.status, 429);
  assert.equal(await get('busy.test', '/b.js', 1_000), null, 'it cannot start in time');
  assert.deepEqual(
    site.hits.map(({ path }) => path),
    ['/robots.txt', '/a.js'],
  );
});

test('what is not given is counted by why', async (t) => {
  const { get, subresources } = await open(
    t,
    (request, response, host) => {
      if (request.url === '/robots.txt' && host === 'closed.test') response.end('User-agent: *\nDisallow: /');
      else if (request.url === '/cut.js')
        response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy());
      else plain(request, response, host);
    },
    ['blocked.test'],
  );
  assert.notEqual(await get('open.test', '/a.js'), null);
  assert.equal(await get('closed.test', '/a.js'), null);
  assert.equal(await get('blocked.test', '/a.js'), null);
  assert.equal(await get('open.test', '/b.js', 1), null);
  assert.equal(await get('open.test', '/cut.js'), null);
  const mine = await Promise.all([get('closed.test', '/c.js'), get('closed.test', '/c.js')]);
  assert.deepEqual(mine, [null, null]);
  assert.deepEqual(subresources.stats(), { robots: 3, blocked: 1, address: 0, late: 1, failed: 1 });
});

test('what lies at an address that is not for crawls is counted as that', async (t) => {
  const { get, subresources } = await open(t, plain, [], () => true);
  assert.equal(await get('inner.test', '/a.js'), null);
  assert.deepEqual(subresources.stats(), { robots: 0, blocked: 0, address: 1, late: 0, failed: 0 });
});
