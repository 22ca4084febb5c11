/** What a page makes a browser load from others: paced and held back as if the crawl had asked. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Request } from '../../../../schemas/types.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient, type HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { createAddressPacer } from '../../../../services/fetcher/pace/address-pacer.ts';
import { createBandwidth } from '../../../../services/fetcher/pace/bandwidth.ts';
import { createGrantClock } from '../../../../services/fetcher/pace/grant-clock.ts';
import { createPacer } from '../../../../services/fetcher/pace/pacer.ts';
import { createSlots } from '../../../../services/fetcher/pace/slots.ts';
import { createRobotsCache } from '../../../../services/fetcher/robots/cache.ts';
import { createSubresources } from '../../../../services/fetcher/unleased/subresources.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { type Answer, serveSite } from '../loopback.ts';
import { playedRequestPath } from '../played-request-path.ts';

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
    requestPath: {
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

test('subresources from many names on one machine are requested within that machine’s limit', async (t) => {
  const { site, get, made } = await open(t, plain);
  await Promise.all(Array.from({ length: 20 }, (_, n) => get(`h${n}.test`, '/a.js')));
  assert.equal(site.hits.length, 40);
  const startsMs = made.map(({ startMs }) => startMs);
  const crowd = Math.max(...startsMs.map((at) => startsMs.filter((one) => one >= at && one < at + 180).length));
  assert.ok(crowd <= 9, `${crowd} requests within 180 ms, where 4 are due`);
  assert.ok(made.every((request) => request.addressDelayMs === addressDelayMs));
});

test('a subresource on another host waits for that host’s delay, not the page’s', async (t) => {
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

test('a host of subresources that asks for a pause gets it', async (t) => {
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

test('refused subresources are counted by reason', async (t) => {
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

test('a subresource at a private address is counted as blocked', async (t) => {
  const { get, subresources } = await open(t, plain, [], () => true);
  assert.equal(await get('inner.test', '/a.js'), null);
  assert.deepEqual(subresources.stats(), { robots: 0, blocked: 0, address: 1, late: 0, failed: 0 });
});

/** Loaded on a clock that is moved by hand, with answers that are made up; no robots.txt but those given. */
function played(answerTo: (path: string) => Partial<HttpResponse> = () => ({}), more: Partial<typeof limits> = {}) {
  const { requestPath, clock, urls } = playedRequestPath((url) => {
    const { pathname } = new URL(url);
    return pathname === '/robots.txt' ? { status: 404, ...answerTo(pathname) } : answerTo(pathname);
  });
  const made: Request[] = [];
  const { get, stats } = createSubresources({
    ...{
      requestPath,
      robots: createRobotsCache(clock, 'crawlstream'),
      record: (request: Request) => made.push(request),
    },
    delayOf: (hostKey) => (hostKey === 'b.test' ? 300 : -1),
    headersOf: () => ['user-agent', 'test'],
    limits: { bodyBytesMax: 1_000, cacheBytesMax: 10, cacheMs: 1_000, ...more },
  });
  const load = (url: string, forMs = 60_000) => get(url, { hostKey: 'a.test', delayMs: 0 }, clock.nowMs() + forMs);
  /** What was asked for since this was asked last, without robots.txt. */
  const asked = () =>
    urls
      .splice(0)
      .map((url) => new URL(url).pathname)
      .filter((path) => path !== '/robots.txt')
      .join(' ');
  return { load, asked, clock, made, stats };
}
const sized = (path: string) => ({ body: Buffer.alloc(Number(/\d+/.exec(path)?.[0] ?? 0)) });

test('a subresource that was loaded recently is not requested again, and concurrent requests share one', async () => {
  const { load, asked, clock } = played(sized);
  const [one, two] = await Promise.all([load('http://a.test/3'), load('http://a.test/3')]);
  assert.equal(asked(), '/3');
  assert.equal(one, two);
  await clock.advance(999);
  assert.equal(await load('http://a.test/3'), one);
  assert.equal(asked(), '');
  await clock.advance(1);
  assert.notEqual(await load('http://a.test/3'), one);
  assert.equal(asked(), '/3');
});

test('the subresource cache keeps the most recently used responses up to its byte limit, and at least one', async () => {
  const { load, asked, clock } = played(sized);
  const loadAll = async (...paths: readonly string[]) => {
    for (const path of paths) await load(`http://a.test/${path}`);
    return asked();
  };
  await loadAll('6', '4');
  assert.equal(await loadAll('6', '4'), '', 'just as many');
  await loadAll('6', '1');
  assert.equal(await loadAll('6', '1'), '', 'the one used longest ago is gone');
  assert.equal(await loadAll('4'), '/4');
  assert.equal(await loadAll('1', '4'), '');
  assert.equal(await loadAll('6'), '/6');
  assert.equal(await loadAll('20', '20'), '/20', 'one larger than all');
  assert.equal(await loadAll('6', '4'), '/6 /4');
  await clock.advance(1_000);
  assert.equal(await loadAll('6', '4', '6', '4'), '/6 /4', 'what is loaded anew counts once');
});

test('a subresource is handed out decoded', async () => {
  const coding = [
    'content-encoding',
    'gzip',
    'content-length',
    '1',
    'transfer-encoding',
    'chunked',
    'connection',
    'close',
  ];
  const { load } = played(() => ({
    status: 203,
    headers: ['content-type', 'text/css', ...coding, 'x-content-length', '2'],
  }));
  const { status, headers } = (await load('http://a.test/1'))!;
  assert.deepEqual([status, headers], [203, ['content-type', 'text/css', 'x-content-length', '2']]);
});

test('each loaded subresource is recorded with its host’s delay: the page’s, the policy’s or that of its robots.txt', async () => {
  const robots = { status: 200, body: Buffer.from('User-agent: *\nCrawl-delay: 0.4') };
  for (const [url, given, delays] of [
    ['http://a.test/1', {}, [0, 0]],
    ['http://b.test/1', {}, [300, 300]],
    ['http://c.test/1', {}, [0, 0]],
    ['http://a.test/1', robots, [0, 400]],
    ['http://b.test/1', robots, [300, 400]],
  ] as const) {
    const { load, made, clock } = played((path) => (path === '/robots.txt' ? given : {}));
    const loaded = load(url);
    await clock.advance(2_000);
    await loaded;
    assert.deepEqual(
      made.map(({ url, kind, delayMs, outcomeIndex, hop }) => [
        new URL(url).pathname,
        kind,
        delayMs,
        outcomeIndex,
        hop,
      ]),
      [
        ['/robots.txt', 'robots', delays[0], -1, 0],
        ['/1', 'other', delays[1], -1, 0],
      ],
    );
  }
});

test('the reasons for which a subresource is refused are distinct', async () => {
  const failing = (kind: string) => ({ status: 0, failure: { kind, detail: '' } }) as Partial<HttpResponse>;
  for (const [why, answerTo] of [
    ['robots', (path: string) => (path === '/robots.txt' ? { status: 500 } : {})],
    ['robots', (path: string) => (path === '/robots.txt' ? failing('timeout') : {})],
    ['robots', (path: string) => (path === '/robots.txt' ? { ...failing('timeout'), status: 200 } : {})],
    ['address', (path: string) => (path === '/robots.txt' ? failing('blockedAddress') : {})],
    ['address', (path: string) => (path === '/1' ? failing('blockedAddress') : {})],
    ['failed', (path: string) => (path === '/1' ? failing('timeout') : {})],
    ['failed', (path: string) => (path === '/1' ? { truncated: true } : {})],
  ] as const) {
    const { load, stats } = played(answerTo);
    assert.equal(await load('http://a.test/1'), null);
    assert.deepEqual(stats(), { robots: 0, blocked: 0, address: 0, late: 0, failed: 0, [why]: 1 });
  }
  const moved = played((path) =>
    path === '/robots.txt'
      ? { status: 301, headers: ['location', '/r'] }
      : path === '/r'
        ? { body: Buffer.from('User-agent: *\nDisallow: /') }
        : {},
  );
  assert.equal(await moved.load('http://a.test/1'), null);
  assert.equal(moved.stats().robots, 1);
  assert.deepEqual(
    moved.made.map(({ hop }) => hop),
    [0, 1],
  );
});
