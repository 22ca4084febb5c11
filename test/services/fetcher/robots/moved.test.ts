/** Sites whose robots.txt "moved" to a victim: what the victim is asked for, how often, and what becomes of the sites. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { controlOf } from '../../../../lab/model/model-script.ts';
import type { Result } from '../../../../schemas/types.ts';
import { parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { aboutHost, encodeRequest, policyRecords } from '../../../../services/runtime/crawl/requests.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { clock, type Harness, startHarness, taskUrls } from '../harness.ts';
import { type Site, serveSite } from '../loopback.ts';

/** Leases a host until its URL has an outcome of its own, as the frontier would, hops of its robots.txt included. */
async function crawl(harness: Harness, url: string): Promise<string> {
  for (let tries = 0; tries < 8; tries++) {
    const before = (await wishes(harness)).length;
    const { outcomes } = await harness.lease({ urls: taskUrls(url) });
    if (outcomes[0]!.kind !== 'returned') return outcomes[0]!.kind;
    for (let next = before; next < (await wishes(harness)).length; next++) {
      const { hostKey, robotsHops } = (await wishes(harness))[next]!;
      await harness.lease({ urls: [], hostKey, robotsHops });
    }
  }
  return 'returned';
}

async function wishes(harness: Harness): Promise<readonly Result[]> {
  return ((await harness.all('results')) as Result[]).filter(({ robotsHops }) => robotsHops.length > 0);
}

/** `moved`: host to where its robots.txt is. The victim answers its own with `victimStatus`. */
function serve(
  t: TestContext,
  moved: (host: string, site: Site) => string | undefined,
  victimStatus = 200,
): Promise<Site> {
  const site = serveSite(t, async (request, response, host) => {
    const location = request.url === '/robots.txt' ? moved(host, await site) : undefined;
    if (location !== undefined) response.writeHead(302, { location }).end();
    else if (request.url === '/robots.txt') response.writeHead(victimStatus).end('User-agent: *\nDisallow: /no');
    else response.writeHead(200, { 'content-type': 'text/html' }).end('x');
  });
  return site;
}

const hitsOf = (site: Site, host: string) => site.hits.filter((hit) => hit.host === host).map(({ path }) => path);

test('another host is asked only for /robots.txt on a host’s behalf; a host that redirects elsewhere is closed', async (t) => {
  const paths = ['/expensive?search=everything', '/robots.txt?x=1', '/a/robots.txt', '/'];
  const site = await serve(t, (host, self) => {
    const n = /^evil(\d)/.exec(host);
    return n === null ? undefined : self.url('victim.test', paths[Number(n[1])]!);
  });
  const harness = await startHarness(t);
  const kinds: string[] = [];
  for (const n of paths.keys()) kinds.push(await crawl(harness, site.url(`evil${n}.test`, '/')));
  assert.deepEqual(hitsOf(site, 'victim.test'), []);
  assert.deepEqual(await wishes(harness), []);
  assert.deepEqual(
    kinds,
    paths.map(() => 'robotsUnreachable'),
  );
});

test('a victim is asked once, however many hosts claim that their robots.txt is there', async (t) => {
  for (const status of [200, 404, 503, 301]) {
    const site = await serve(
      t,
      (host, self) => {
        if (host === 'victim.test') return status === 301 ? self.url('victim.test', '/moved-on') : undefined;
        return self.url('victim.test', '/robots.txt');
      },
      status,
    );
    const harness = await startHarness(t);
    for (let n = 0; n < 12; n++) await crawl(harness, site.url(`asker${n}.test`, '/'));
    const asked = hitsOf(site, 'victim.test').filter((path) => path === '/robots.txt');
    assert.equal(asked.length, 1, `${asked.length} requests to a victim that answers ${status}`);
  }
});

/** A crawl of some domains alone, with a host that is blocked; resolves when its fetcher has heard of both. */
async function startCrawlOf(t: TestContext, site: Site, names: readonly string[]): Promise<Harness> {
  const harness = await startHarness(t);
  const { codec, log } = harness;
  const crawl = { crawl: 't', partitions: 1, keyMode: 'host' } as const;
  const scope = { kind: 'domain', names } as const;
  await log.append(policyRecords(codec, crawl, { ...defaultPolicy(), scope }, 'test', clock.nowMs()));
  const block = controlOf({ kind: 'blockHost', hostKey: `blocked.test:${site.port}` });
  await log.append(encodeRequest(codec, 't', aboutHost(crawl, block)));
  const deadlineMs = Date.now() + 10_000;
  for (let n = 0; ; n++) {
    assert.ok(Date.now() < deadlineMs, 'waited for the policy and the block to be heard of');
    const { outcomes } = await harness.lease({ urls: taskUrls(site.url(`heard${n}.test`, '/')) });
    if (outcomes[0]!.kind === 'robotsUnreachable') return harness;
  }
}

test('a robots.txt that moved out of scope is read there and binds; that host gets no other request', async (t) => {
  const costly = '/expensive?search=everything';
  const site: Site = await serveSite(t, (request, response, host) => {
    const { url: path } = request;
    const to = (name: string, where = '/robots.txt') =>
      response.writeHead(302, { location: site.url(name, where) }).end();
    if (path !== '/robots.txt') response.writeHead(200, { 'content-type': 'text/html' }).end('x');
    else if (host.startsWith('heard')) to('blocked.test');
    else if (host === 'old.site.test') to('www.site.test', '/hosts/old/robots.txt');
    else if (host === 'out.other.test') to('stranger.test');
    else if (host === 'far.other.test') to('far1.test');
    else if (/^far[1-5]\.test$/.test(host)) to(`far${Number(host[3]) + 1}.test`);
    // A site in scope calls what is costly at the stranger's, and at its neighbour's, sitemaps of its own.
    else if (host === 'named.other.test')
      response.end(`Sitemap: ${site.url('stranger.test', costly)}\nSitemap: ${site.url('www.site.test', costly)}`);
    else response.end('User-agent: *\nDisallow: /no');
  });
  const harness = await startCrawlOf(t, site, ['other.test', 'old.site.test']);
  assert.equal(await crawl(harness, site.url('named.other.test', '/')), 'fetched');
  assert.equal(await crawl(harness, site.url('old.site.test', '/')), 'fetched');
  assert.equal(await crawl(harness, site.url('out.other.test', '/no')), 'robotsDenied');
  assert.equal(await crawl(harness, site.url('out.other.test', '/')), 'fetched');
  assert.deepEqual(hitsOf(site, 'stranger.test'), ['/robots.txt']);
  assert.deepEqual(hitsOf(site, 'www.site.test'), ['/hosts/old/robots.txt']);
  assert.deepEqual(hitsOf(site, 'blocked.test'), []);
  // Five hops lead to a file, a sixth is not followed: then there is none (RFC 9309 §2.3.1.2).
  assert.equal(await crawl(harness, site.url('far.other.test', '/no')), 'fetched');
  const asked = ['far1', 'far2', 'far3', 'far4', 'far5', 'far6'].map((name) => hitsOf(site, `${name}.test`).length);
  assert.deepEqual(asked, [1, 1, 1, 1, 1, 0]);
});

test('a robots.txt that moved to a blocked address closes its host', async (t) => {
  const site: Site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(302, { location: 'http://10.1.2.3/robots.txt' });
    response.end();
  });
  const resolve = [parseResolveOverride('a.test:127.0.0.1')];
  const harness = await startHarness(t, { config: { resolve, allowPrivate: ['127.0.0.0/8'] } });
  assert.equal(await crawl(harness, site.url('a.test', '/')), 'robotsUnreachable');
  assert.deepEqual(hitsOf(site, 'a.test'), ['/robots.txt']);
});
