/** Robots files and sitemaps that cost the processor: their host waits, as for pages, while there is no time to spare. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../until.ts';
import { startHarness, taskUrls } from '../harness.ts';
import { serveSite } from '../loopback.ts';

const others = 40;

/** Keeps the event loop as busy as a fetcher at its limit. */
function keepBusy(t: TestContext): void {
  const timer = setInterval(() => {
    const untilMs = performance.now() + 20;
    while (performance.now() < untilMs);
  }, 21);
  t.after(() => clearInterval(timer));
}

/** ms from the end of the request for `costly` to the start of the next one of its host, among 40 others. */
async function pauseAfter(t: TestContext, costly: string, body: (self: string) => string): Promise<number> {
  const site = await serveSite(t, (request, response, host) => {
    const isRobots = request.url === '/robots.txt';
    if (host === 'costly.test' && request.url === costly) response.end(body(site.url(host, '')));
    else if (isRobots && host === 'costly.test') response.end(`Sitemap: ${site.url(host, '/map.xml')}`);
    else if (isRobots) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('x');
  });
  const harness = await startHarness(t);
  for (let n = 0; n < others; n++) {
    const urls = taskUrls(site.url(`h${n}.test`, '/1'), site.url(`h${n}.test`, '/2'));
    await harness.grant({ urls, delayMs: 20_000 });
  }
  await until(() => site.hits.length >= others);
  keepBusy(t);
  await new Promise((resolve) => setTimeout(resolve, 600));
  await harness.lease({ urls: taskUrls(site.url('costly.test', '/1')) });
  await harness.lease({ urls: taskUrls(site.url('costly.test', '/2')) });
  const hits = site.hits.filter(({ host }) => host === 'costly.test');
  const at = hits.findIndex(({ path }) => path === costly);
  return hits[at + 1]!.startMs - hits[at]!.endMs;
}

test('a robots.txt of half a megabyte delays its host’s next request', async (t) => {
  const pauseMs = await pauseAfter(t, '/robots.txt', () => `User-agent: *\n${'Disallow: /*a*b*c\n'.repeat(28_000)}`);
  assert.ok(pauseMs >= 500, `${pauseMs.toFixed(0)} ms for a page after it`);
});

test('a sitemap of 10,000 entries delays its host’s next request', async (t) => {
  const entries = (self: string) =>
    Array.from({ length: 10_000 }, (_, n) => `<url><loc>${self}/${n}?q=%7e</loc></url>`).join('');
  const pauseMs = await pauseAfter(t, '/map.xml', (self) => `<urlset>${entries(self)}</urlset>`);
  assert.ok(pauseMs >= 800, `${pauseMs.toFixed(0)} ms for a page after it`);
});
