import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { LinkGroup } from '../../../../schemas/types.ts';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import { createSitemapAgenda, type SitemapTask } from '../../../../services/fetcher/sitemaps/agenda.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { parseLimits } from '../../../../topology/parse/parse-limits.ts';
import { startHarness, taskUrls } from '../harness.ts';
import { type Hit, serveSite } from '../loopback.ts';

const page = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('x');
const urlset = (...entries: string[]) => `<urlset>${entries.map((entry) => `<url>${entry}</url>`).join('\n')}</urlset>`;
const loc = (url: string, lastmod = '') => `<loc>${url}</loc>${lastmod === '' ? '' : `<lastmod>${lastmod}</lastmod>`}`;
const index = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
const urlsOf = (groups: readonly LinkGroup[]) => groups.flatMap(({ links }) => links.map(({ url }) => url)).sort();
const paths = (hits: readonly Hit[]) => hits.map((hit) => hit.path);

test('sitemaps from robots.txt are read after the pages, at the host’s pace, and their links published before the lease ends', async (t) => {
  const site = await serveSite(t, (request, response) => {
    const own = (path: string) => site.url('a.test', path);
    if (request.url === '/robots.txt') response.end(`Sitemap: ${own('/maps/s.xml')}\nSitemap: ${own('/maps/s.xml')}`);
    else if (request.url === '/maps/s.xml') {
      response.end(urlset(loc(own('/maps/dated'), '2026-01-02'), loc(own('/maps/plain')), loc(own('/above'))));
    } else page(response);
  });
  const harness = await startHarness(t, { appendMs: 20 });
  const urls = taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2'));
  const { requests, results, outcomes } = await harness.lease({ urls, delayMs: 100 });
  assert.equal(outcomes.length, 2);
  assert.deepEqual(paths(site.hits), ['/robots.txt', '/1', '/2', '/maps/s.xml']);
  for (let n = 1; n < site.hits.length; n++) assert.ok(site.hits[n]!.startMs - site.hits[n - 1]!.endMs >= 100);
  const { acked } = harness.appends;
  assert.ok(acked.indexOf('t.discovered') < acked.lastIndexOf('t.results'), `${acked}`);
  const groups = await harness.groups();
  assert.deepEqual(
    groups.map(({ intent, depth, sourceUrl, sourceKey, links }) => [intent, depth, sourceUrl, sourceKey, links]),
    [
      [
        'refresh',
        2,
        site.url('a.test', '/maps/s.xml'),
        'a.test',
        [{ url: site.url('a.test', '/maps/dated'), lastModifiedMs: Date.UTC(2026, 0, 2), priority: -1, spelling: '' }],
      ],
      [
        'discover',
        2,
        site.url('a.test', '/maps/s.xml'),
        'a.test',
        ['/maps/plain', '/above'].map((path) => ({
          url: site.url('a.test', path),
          lastModifiedMs: 0,
          priority: -1,
          spelling: '',
        })),
      ],
    ],
  );
  const request = requests.find((one) => one.kind === 'sitemap');
  assert.equal(request?.outcomeIndex, -1);
  assert.ok(request.bytes > 100);
  assert.equal(results.at(-1)?.completedAtMs, request.endMs);

  await harness.lease({ urls: taskUrls(site.url('a.test', '/3')) });
  assert.equal(paths(site.hits).filter((path) => path === '/maps/s.xml').length, 1, 'once for each robots.txt');
});

test('an index, gzip of one or two layers, plain text and redirects lead to the same links', async (t) => {
  const site = await serveSite(t, (request, response) => {
    const own = (path: string) => site.url('a.test', path);
    switch (request.url) {
      case '/robots.txt':
        response.end(`User-agent: *\nDisallow: /secret\nSitemap: /moved\nSitemap: /secret.xml`);
        return;
      case '/moved':
        response.writeHead(301, { location: '/index.xml' }).end();
        return;
      case '/index.xml':
        response.end(index(own('/a.xml.gz'), own('/b.xml.gz'), own('/c.txt'), own('/index.xml'), own('/nested.xml')));
        return;
      case '/nested.xml':
        response.end(index(own('/nested2.xml')));
        return;
      case '/nested2.xml':
        response.end(index(own('/nested3.xml')));
        return;
      case '/a.xml.gz':
        response.writeHead(200, { 'content-type': 'application/x-gzip' });
        response.end(gzipSync(urlset(loc(own('/a')))));
        return;
      case '/b.xml.gz':
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.end(gzipSync(gzipSync(urlset(loc(own('/b'))))));
        return;
      case '/c.txt':
        response.writeHead(200, { 'content-type': 'text/plain' });
        for (const byte of Buffer.from(`${own('/c1')}\r\n${own('/c2')}`)) response.write(Buffer.of(byte));
        response.end();
        return;
      default:
        page(response);
    }
  });
  const harness = await startHarness(t);
  await harness.lease({ urls: taskUrls(site.url('a.test', '/1')) });
  assert.deepEqual(
    urlsOf(await harness.groups()),
    ['/a', '/b', '/c1', '/c2'].map((path) => site.url('a.test', path)),
  );
  assert.equal(site.hits.filter(({ path }) => path === '/index.xml').length, 1, 'an index that lists itself');
  assert.ok(!paths(site.hits).includes('/secret.xml'), 'robots.txt holds for sitemaps too');
  assert.ok(!paths(site.hits).includes('/nested3.xml'), 'indexes in indexes have an end');
});

test('a hostile Content-Encoding value costs no time and counts as no coding', async (t) => {
  // 2^28 ways to take it apart for a pattern that tries them all: minutes in which nothing else is done.
  const endless = `GZI${'P,\t,GZI'.repeat(28)}O`;
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end('Sitemap: /odd.xml\nSitemap: /good.xml');
    else if (request.url === '/odd.xml') {
      response.writeHead(200, { 'content-encoding': endless });
      response.end(urlset(loc(site.url('a.test', '/odd'))));
    } else if (request.url === '/good.xml') response.end(urlset(loc(site.url('a.test', '/good'))));
    else page(response);
  });
  const harness = await startHarness(t);
  await harness.lease({ urls: taskUrls(site.url('a.test', '/1')) });
  assert.deepEqual(urlsOf(await harness.groups()).sort(), [site.url('a.test', '/good'), site.url('a.test', '/odd')]);
});

test('a sitemap is authoritative only for its own host and the host whose robots.txt names it', async (t) => {
  const site = await serveSite(t, (request, response, host) => {
    if (request.url === '/robots.txt') {
      response.end(host === 'a.test' ? `Sitemap: ${site.url('maps.test', '/a.xml')}` : '');
    } else if (request.url === '/a.xml') {
      const listed = ['a.test', 'maps.test', 'victim.test'].map((name) => loc(site.url(name, '/x'), '2026-01-01'));
      response.end(urlset(...listed));
    } else page(response);
  });
  const harness = await startHarness(t);
  await harness.lease({ urls: taskUrls(site.url('a.test', '/1')) });
  assert.ok(!paths(site.hits).includes('/a.xml'), 'it is read with a lease of its own host');
  await harness.lease({ urls: taskUrls(site.url('maps.test', '/1')) });
  assert.deepEqual(urlsOf(await harness.groups()), [site.url('a.test', '/x'), site.url('maps.test', '/x')]);
});

test('a sitemap without time left, or that fails, waits for the next lease; one that is gone does not', async (t) => {
  const names = Array.from({ length: frontierLimits.sitemapsPerLeaseMax + 1 }, (_, n) => `/s${n}.xml`);
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end(names.map((name) => `Sitemap: ${name}`).join('\n'));
    else if (request.url === '/s0.xml') response.writeHead(404).end();
    else if (request.url === '/s8.xml') response.writeHead(503).end();
    else if (request.url?.endsWith('.xml')) response.end(urlset(loc(site.url('a.test', `${request.url}/x`))));
    else page(response);
  });
  const harness = await startHarness(t, { config: { limits: { totalTimeoutMs: 10_000 } } });
  const read = async (deadlineMs: number) => {
    const before = site.hits.length;
    await harness.lease({ urls: taskUrls(site.url('a.test', '/1')), deadlineMs });
    return paths(site.hits.slice(before)).filter((path) => path.endsWith('.xml'));
  };
  const later = Date.now() + 60_000;
  assert.deepEqual(await read(later), names.slice(0, 8));
  for (let tries = 0; tries < fetcherLimits.sitemapTriesMax; tries++) assert.deepEqual(await read(later), ['/s8.xml']);
  assert.deepEqual(await read(later), []);
  assert.equal((await harness.groups()).length, 7);
});

test('a pause that a sitemap asks for delays the next request', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end(`Sitemap: ${site.url('a.test', '/s.xml')}`);
    else if (request.url === '/s.xml') response.writeHead(429, { 'retry-after': '1' }).end();
    else page(response);
  });
  const harness = await startHarness(t);
  const { requests } = await harness.lease({ urls: taskUrls(site.url('a.test', '/1')) });
  assert.equal(requests.find(({ kind }) => kind === 'sitemap')?.retryAfterMs, 1_000);
  await harness.lease({ urls: taskUrls(site.url('a.test', '/2')) });
  const asked = site.hits.find(({ path }) => path === '/s.xml')!;
  const next = site.hits.find(({ path }) => path === '/2')!;
  assert.ok(next.startMs - asked.endMs >= 1_000, `${next.startMs - asked.endMs} ms`);
});

test('a sitemap is cut at the protocol’s 50,000 entries and a bomb is not decompressed; entries before that count', async (t) => {
  const lines = Array.from({ length: parseLimits.sitemapEntriesMax }, (_, n) => `http://a.test/${n}`).join('\n');
  // 50 MB of blank lines, then links again: 60 kB on the wire.
  const bomb = gzipSync(`http://a.test/first\n${'\n'.repeat(parseLimits.sitemapBytesMax)}http://a.test/never\n`);
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end('Sitemap: /bomb.gz\nSitemap: /many.txt\nSitemap: /cut.gz');
    else if (request.url === '/bomb.gz') response.end(bomb);
    else if (request.url === '/many.txt') response.end(`${lines}\n${lines}\nhttp://a.test/never\n`);
    else if (request.url === '/cut.gz') response.end(gzipSync(`http://a.test/cut\n${lines}`).subarray(0, 20_000));
    else page(response);
  });
  const harness = await startHarness(t);
  const { requests } = await harness.lease({ urls: taskUrls(site.url('a.test', '/1')) });
  const found = new Set(urlsOf(await harness.groups()));
  assert.equal(found.size, parseLimits.sitemapEntriesMax + 2);
  assert.ok(found.has('http://a.test/first') && found.has('http://a.test/cut') && !found.has('http://a.test/never'));
  assert.ok(requests.every(({ bytes }) => bytes <= parseLimits.sitemapBytesMax + 65_536));
});

test('a lease may read only sitemaps, of the policy and of robots.txt, until none is left, once per round', async (t) => {
  const many = Array.from({ length: frontierLimits.sitemapsPerLeaseMax + 1 }, (_, n) => `/s${n}.xml`);
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end('Sitemap: /named.xml');
    else if (request.url === '/own.xml') response.end(index(...many.map((path) => site.url('a.test', path))));
    else if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else {
      if (request.url === '/s1.xml') response.setHeader('etag', '"1"');
      response.end(urlset(loc(site.url('b.test', `${request.url}/x`), '2026-01-01')));
    }
  });
  const harness = await startHarness(t);
  const hostKey = new URL(site.url('a.test', '/')).host;
  const origin = site.url('a.test', '');
  const sitemaps = { sinceMs: Date.now(), origin: new URL(origin).origin, urls: [site.url('a.test', '/own.xml')] };
  const left = async (round: typeof sitemaps) => {
    const { results } = await harness.lease({ urls: [], hostKey, sitemaps: round });
    const { sitemapsSinceMs, sitemapsLeft } = results.at(-1)!.host;
    return [sitemapsSinceMs, sitemapsLeft];
  };
  assert.deepEqual(await left(sitemaps), [sitemaps.sinceMs, 3]);
  assert.deepEqual(await left(sitemaps), [sitemaps.sinceMs, 0]);
  assert.deepEqual(paths(site.hits), ['/robots.txt', '/own.xml', '/named.xml', ...many]);
  // What the policy names may speak for any host, what robots.txt names may not.
  assert.deepEqual(
    urlsOf(await harness.groups()),
    many.map((path) => site.url('b.test', `${path}/x`)),
  );
  const next = { ...sitemaps, sinceMs: Date.now() + 1 };
  const found = (await harness.groups()).length;
  await left(next);
  await left(next);
  assert.equal((await harness.groups()).length, 2 * found - 1, 'one had not changed');
  assert.equal(site.hits.length, 1 + 2 * (2 + many.length));
  assert.deepEqual(await left({ ...sitemaps, sinceMs: 0, origin: '', urls: [] }), [0, 0]);
  assert.equal(site.hits.length, 1 + 2 * (2 + many.length));
});

test('the list of pending sitemaps is bounded per host and in total', () => {
  const agenda = createSitemapAgenda();
  const clientUrl = (host: number, n: number): SitemapTask => ({
    url: `http://h${host}.test/${n}`,
    hostKey: `h${host}.test`,
    depth: 1,
    origin: `http://h${host}.test`,
    namedAtMs: 1,
    trusted: false,
    hop: 0,
    nesting: 0,
    tries: 0,
  });
  const hosts = fetcherLimits.sitemapsKnownMax / fetcherLimits.sitemapsPerHostMax + 2;
  for (let host = 0; host < hosts; host++) {
    for (let n = 0; n < fetcherLimits.sitemapsPerHostMax + 5; n++) agenda.add(clientUrl(host, n));
  }
  assert.equal(agenda.size, fetcherLimits.sitemapsKnownMax);
  assert.equal(agenda.next(`h${hosts - 1}.test`), undefined);
  assert.equal(agenda.next('h2.test')?.url, 'http://h2.test/0');
  agenda.add(clientUrl(2, 0));
  assert.equal(agenda.next('h2.test')?.url, 'http://h2.test/1');
  agenda.add({ ...clientUrl(2, 0), namedAtMs: 2 });
  assert.equal(agenda.size, fetcherLimits.sitemapsKnownMax);
});

test('a sitemap whose later chunk is malformed is asked for once more, and read whole', async (t) => {
  const site = await serveSite(t, (request, response) => {
    const own = (path: string) => site.url('a.test', path);
    if (request.url === '/robots.txt') response.end(`Sitemap: ${own('/s.xml')}`);
    else if (request.url === '/s.xml') {
      const chunk = (text: string, end: string) => `${text.length.toString(16)}\r\n${text}${end}`;
      const [first, second] = [
        `<urlset><url>${loc(own('/first'))}</url>`,
        `<url>${loc(own('/second'))}</url></urlset>`,
      ];
      const { socket } = response;
      socket!.write('HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nTransfer-Encoding: chunked\r\n\r\n');
      socket!.write(chunk(first, '\r\n'));
      // A bare LF ends the second chunk.
      setTimeout(() => socket!.end(`${chunk(second, '\n')}0\r\n\r\n`), 30);
    } else page(response);
  });
  const harness = await startHarness(t);
  const { requests } = await harness.lease({ urls: taskUrls(site.url('a.test', '/1')), delayMs: 20 });
  const found = new Set(urlsOf(await harness.groups()));
  assert.deepEqual(found, new Set([site.url('a.test', '/first'), site.url('a.test', '/second')]));
  assert.equal(paths(site.hits).filter((path) => path === '/s.xml').length, 2);
  assert.equal(requests.filter(({ kind }) => kind === 'sitemap').length, 2);
  for (let n = 1; n < site.hits.length; n++) assert.ok(site.hits[n]!.startMs - site.hits[n - 1]!.startMs >= 20);
});
