/** Sites whose robots.txt "moved" to a victim: what the victim is asked for, how often, and what becomes of the sites. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Result } from '../../../../schemas/types.ts';
import { policyRecords } from '../../../../services/runtime/crawl/requests.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { clock, type Harness, startHarness, taskUrls } from '../harness.ts';
import { type Site, serveSite } from '../loopback.ts';

/** Leases a host until its URL has an outcome of its own, as the frontier would, hops of its robots.txt included. */
async function crawl(harness: Harness, url: string): Promise<string> {
  for (let tries = 0; tries < 8; tries++) {
    const before = (await wishes(harness)).length;
    const { outcomes } = await harness.lease({ urls: taskUrls(url) });
    if (outcomes[0]!.kind !== 'returned') return outcomes[0]!.kind;
    for (const { hostKey, robotsHops } of (await wishes(harness)).slice(before)) {
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

test('of another host nothing but /robots.txt is asked for another’s sake, and who leads elsewhere is closed', async (t) => {
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

test('a victim is asked once, however many hosts say that their robots.txt is there', async (t) => {
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

test('a host leads to others of its registrable domain, and to the robots.txt of others in scope only', async (t) => {
  const site = await serve(t, (host, self) => {
    if (host === 'old.site.test') return self.url('www.site.test', '/hosts/old/robots.txt');
    if (host === 'in.other.test') return self.url('friend.test', '/robots.txt');
    if (host === 'out.other.test') return self.url('stranger.test', '/robots.txt');
    return undefined;
  });
  const harness = await startHarness(t);
  const names = { crawl: 't', partitions: 1, keyMode: 'host' } as const;
  const scope = { kind: 'domain', names: ['other.test', 'friend.test'] } as const;
  await harness.log.append(policyRecords(harness.codec, names, { ...defaultPolicy(), scope }, 'test', clock.nowMs()));
  // The fetcher hears of the policy by itself.
  const deadlineMs = Date.now() + 10_000;
  let closed = '';
  while (closed !== 'robotsUnreachable') {
    assert.ok(Date.now() < deadlineMs, 'waited for the scope to bind');
    closed = (await harness.lease({ urls: taskUrls(site.url('out.other.test', '/')) })).outcomes[0]!.kind;
  }
  assert.deepEqual(hitsOf(site, 'stranger.test'), []);
  assert.equal(await crawl(harness, site.url('old.site.test', '/')), 'fetched');
  assert.equal(await crawl(harness, site.url('in.other.test', '/no')), 'robotsDenied');
  assert.deepEqual(hitsOf(site, 'www.site.test'), ['/hosts/old/robots.txt']);
});
