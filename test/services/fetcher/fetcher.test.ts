import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Response, Result } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { networkLimits } from '../../../topology/fetch/network-limits.ts';
import { until } from '../until.ts';
import { startHarness, taskUrls } from './harness.ts';
import { serveSite } from './loopback.ts';

const html = { 'content-type': 'text/html' };

test('a result is published only once the pages and links of its URLs are acknowledged', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, html).end(`<a href=${request.url}/next>n</a>`);
  });
  const harness = await startHarness(t, { appendMs: 40 });
  const granted = await Promise.all(
    ['a', 'b', 'c', 'd'].map((host) =>
      harness.grant({ urls: taskUrls(site.url(`${host}.test`, '/1'), site.url(`${host}.test`, '/2')) }),
    ),
  );
  const seen = { resultsBeforeAck: 0 };
  const { asked, acked } = harness.appends;
  const count = (list: readonly string[], topic: string) => list.filter((one) => one === topic).length;
  const watch = setInterval(() => {
    // Outcomes of URLs whose links are not acked must not even have been sent.
    if (count(asked, 't.results') > 0 && count(acked, 't.pages') === 0) seen.resultsBeforeAck += 1;
  }, 1);
  for (const { leaseId } of granted) await harness.ended(leaseId);
  clearInterval(watch);
  assert.equal(seen.resultsBeforeAck, 0);
  assert.ok(asked.indexOf('t.results') > asked.indexOf('t.discovered'));
  const outcomes = (await Promise.all(granted.map(({ leaseId }) => harness.ended(leaseId)))).flatMap(
    (one) => one.outcomes,
  );
  assert.equal(outcomes.length, 8);
  assert.equal((await harness.links()).length, 8);
  assert.equal((await harness.pages()).length, 8);
});

test('a running lease reports its outcomes within about a second, and its last message says that it is the last', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  const harness = await startHarness(t);
  const urls = taskUrls(...[1, 2, 3, 4].map((n) => site.url('a.test', `/${n}`)));
  const { results } = await harness.lease({ urls, delayMs: 500 });
  assert.ok(results.length >= 2);
  assert.deepEqual(
    results.map((result) => result.last),
    results.map((_, n) => n === results.length - 1),
  );
  assert.deepEqual(
    results.flatMap((result) => result.outcomes.map((one) => one.index)),
    [0, 1, 2, 3],
  );
});

test('a lease id is accepted once', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  const harness = await startHarness(t);
  const urls = taskUrls(site.url('a.test', '/1'));
  await harness.grant({ leaseId: 7, urls });
  await harness.grant({ leaseId: 7, urls });
  await harness.lease({ leaseId: 8, urls: taskUrls(site.url('a.test', '/2')) });
  await harness.ended(7);
  assert.deepEqual(site.hits.map((hit) => hit.path).sort(), ['/1', '/2', '/robots.txt']);
});

test('a task at an offset that another member must commit is not started, and can be accepted later', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  let refused = 0;
  const commit = async () => {
    // The first attempt is for all of them together, the second for this partition alone.
    if (refused++ < 2) throw new CrawlstreamError('OWNERSHIP_LOST', 'the partition has moved on');
  };
  const harness = await startHarness(t, { commit });
  const urls = taskUrls(site.url('a.test', '/1'));
  await harness.grant({ leaseId: 7, urls });
  await until(() => refused >= 2);
  await harness.lease({ leaseId: 8, urls: taskUrls(site.url('b.test', '/2')) });
  assert.deepEqual(site.hits.map(({ host, path }) => `${host}${path}`).sort(), ['b.test/2', 'b.test/robots.txt']);
  // Given back, and read again from the last commit: this time it is this fetcher's.
  await harness.grant({ leaseId: 7, urls });
  await harness.ended(7);
  assert.ok(site.hits.some(({ path }) => path === '/1'));
});

test('a robots.txt redirect is fetched where its answer is needed, even if another partition granted it', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end(''));
  const harness = await startHarness(t, { partitions: 2 });
  const hop = { url: site.url('b.test', '/robots.txt'), asked: [site.url('a.test', '/robots.txt')], partition: 0 };
  await harness.grant({ partition: 1, hostKey: `b.test:${site.port}`, urls: [], robotsHops: [hop] });
  // Whoever granted it hears of its end.
  const endedAt = async () => (await harness.log.offsets('t.results', 1)).end;
  for (let left = 1_000; left > 0 && (await endedAt()) === 0; left--) await new Promise((r) => setTimeout(r, 10));
  assert.equal(await endedAt(), 1);
  assert.deepEqual(
    site.hits.map(({ path }) => path),
    ['/robots.txt'],
  );
});

test('an unreadable task becomes a dead letter with its source, and the next task runs', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  const harness = await startHarness(t);
  const junk = Buffer.from('junk');
  await harness.log.append([{ topic: 't.tasks', partition: 0, key: null, value: junk }]);
  await harness.lease({ urls: taskUrls(site.url('a.test', '/1')) });
  const [deadLetter] = await harness.deadLetters();
  assert.deepEqual(
    [deadLetter?.reason, deadLetter?.sourceTopic, deadLetter?.sourceOffset],
    ['undecodable', 't.tasks', 0],
  );
  assert.deepEqual(Buffer.from(deadLetter!.original), junk);
});

test('a task’s offset is committed before its first request', async (t) => {
  const committed: (number | undefined)[] = [];
  let harness: Awaited<ReturnType<typeof startHarness>>;
  const site = await serveSite(t, (_request, response) => {
    void harness.log.committed('t.fetchers', 't.tasks', 0).then((offset) => {
      committed.push(offset);
      response.writeHead(200, html).end('x');
    });
  });
  harness = await startHarness(t);
  await harness.lease({ urls: taskUrls(site.url('a.test', '/1')) });
  assert.deepEqual(committed, [1, 1]);
});

test('leases and requests stay within their limits, and tasks wait in order', async (t) => {
  const startMs = performance.now();
  let open = 0;
  let most = 0;
  const site = await serveSite(t, (_request, response) => {
    most = Math.max(most, ++open);
    setTimeout(() => {
      open -= 1;
      response.writeHead(200, html).end('x');
    }, 10);
  });
  const harness = await startHarness(t, { config: { leasesMax: 4, requestsMax: 2 } });
  const granted = await Promise.all(
    Array.from({ length: 12 }, (_, n) => harness.grant({ urls: taskUrls(site.url(`h${n}.test`, '/')) })),
  );
  assert.ok(harness.fetcher.stats().leasesRunning <= 4);
  for (const { leaseId } of granted) await harness.ended(leaseId);
  assert.equal(most, 2);
  const { outcomes, requestSeconds } = harness.fetcher.stats();
  assert.equal(outcomes.fetched, 12);
  assert.equal(
    requestSeconds.counts.reduce((sum, count) => sum + count),
    24,
    'a page and a robots.txt of each',
  );
  const elapsedSeconds = (performance.now() - startMs) / 1000;
  assert.ok(requestSeconds.sum >= 24 * 0.009 && requestSeconds.sum <= 2 * elapsedSeconds, `${requestSeconds.sum} s`);
});

test('a stopping fetcher finishes the request under way, returns the other URLs and publishes everything', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else setTimeout(() => response.writeHead(200, html).end('<a href=/next>n</a>'), 100);
  });
  const harness = await startHarness(t);
  const task = await harness.grant({ urls: taskUrls(...[1, 2, 3].map((n) => site.url('a.test', `/${n}`))) });
  await until(() => site.hits.some((hit) => hit.path === '/1'));
  await harness.fetcher.stop();
  const { outcomes } = await harness.ended(task.leaseId);
  assert.deepEqual(
    outcomes.map((one) => one.kind),
    ['fetched', 'returned', 'returned'],
  );
  assert.equal((await harness.pages()).length, 1);
  assert.deepEqual(await harness.links(), [site.url('a.test', '/next')]);
  assert.equal(site.hits.length, 2);
});

test('a stop whose grace period ends aborts the request under way without costing an attempt', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
  });
  const harness = await startHarness(t);
  const task = await harness.grant({ urls: taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2')) });
  await until(() => site.hits.length >= 2);
  // Its outcome below says that it was not waited for: it would have timed out.
  await harness.fetcher.stop(50);
  const { outcomes } = await harness.ended(task.leaseId);
  assert.deepEqual(
    outcomes.map((one) => one.kind),
    ['returned', 'returned'],
  );
});

test('a link is published once per source key, and again if it is found at a smaller depth', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, html).end('<a href=http://c.test/x>x</a>');
  });
  const harness = await startHarness(t);
  const lease = (host: string, path: string, depth: number) =>
    harness.lease({ urls: taskUrls(site.url(host, path)).map((url) => ({ ...url, depth })) });
  await lease('a.test', '/1', 3);
  const again = await lease('a.test', '/2', 3);
  assert.equal((await harness.links()).length, 1);
  assert.equal(again.outcomes[0]?.links, 1);
  await lease('b.test', '/1', 3);
  await lease('a.test', '/3', 1);
  assert.deepEqual(
    (await harness.groups()).map((group) => [group.sourceKey, group.depth]),
    [
      ['a.test', 4],
      ['b.test', 4],
      ['a.test', 2],
    ],
  );
});

test('a host that hangs does not hold up the others', async (t) => {
  const site = await serveSite(t, (_request, response, host) => {
    if (host !== 'hangs.test') response.writeHead(200, html).end('x');
  });
  const harness = await startHarness(t, { config: { limits: { totalTimeoutMs: 20_000 } } });
  const hanging = await harness.grant({ urls: taskUrls(site.url('hangs.test', '/')) });
  await harness.lease({ urls: taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2')) });
  const reported = (await harness.all('results')) as Result[];
  assert.ok(
    reported.every(({ leaseId }) => leaseId !== hanging.leaseId),
    'it hangs all the while',
  );
});

test('a fetcher reads a partition that is assigned to it and leaves one that is revoked', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  const harness = await startHarness(t);
  harness.fetcher.revoke(0);
  await harness.grant({ urls: taskUrls(site.url('a.test', '/1')) });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(site.hits.length, 0);
  harness.fetcher.assign(0, 0);
  await harness.ended(1);
  assert.equal(site.hits.length, 2);
});

test('raw responses are published for archives before the result, whatever the page says, if archiving is on', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end('none');
    else if (request.url === '/moved') response.writeHead(302, { location: '/page' }).end();
    else response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(gzipSync('<p>here'));
  });
  const { lease, all, appends } = await startHarness(t, {
    appendMs: 5,
    config: { archive: { what: 'pages', bodyBytesMax: 1_000, messageBytesMax: 1_000 } },
  });
  await lease({ urls: taskUrls(site.url('a.test', '/page'), site.url('a.test', '/moved')) });
  const responses = (await all('responses')) as Response[];
  assert.deepEqual(
    responses.map(({ url, status, truncated }) => [new URL(url).pathname, status, truncated]),
    [
      ['/robots.txt', 404, true],
      ['/page', 200, false],
      ['/moved', 302, true],
    ],
  );
  const page = responses[1]!;
  assert.equal(gunzipSync(page.body).toString(), '<p>here');
  assert.match(page.hostKey, /^a\.test:/);
  assert.ok(page.headers.includes('content-encoding') && page.requestHeaders.includes('user-agent'));
  assert.ok(appends.acked.lastIndexOf('t.responses') < appends.acked.lastIndexOf('t.results'));
});

test('without an archive no response is published', async (t) => {
  const site = await serveSite(t, (_, response) => void response.end('x'));
  const { lease, all } = await startHarness(t);
  await lease({ urls: taskUrls(site.url('a.test', '/')) });
  assert.deepEqual(await all('responses'), []);
});

test('a host that answered before and could not be asked for want of a slot does not show that the network is away', async (t) => {
  let free = () => {};
  const isFree = new Promise<void>((resolve) => (free = resolve));
  const site = await serveSite(t, async (request, response) => {
    if (request.headers.host!.startsWith('slow.')) await isFree;
    response.writeHead(200, html).end('x');
  });
  const closed = await closedPort();
  const said: string[] = [];
  const config = { requestsMax: 1, say: (text: string) => said.push(text) };
  const harness = await startHarness(t, { config });
  await harness.lease({ urls: taskUrls(site.url('honest.test', '/')) });
  const dead = [1, 2, 3].map((n) => harness.grant({ urls: taskUrls(`http://dead${n}.test:${closed}/`) }));
  const slow = await harness.grant({ urls: taskUrls(site.url('slow.test', '/')) });
  await new Promise((resolve) => setTimeout(resolve, networkLimits.answerMs + 500));
  assert.deepEqual([harness.fetcher.stats().networksAway, said], [0, []]);
  free();
  for (const { leaseId } of await Promise.all(dead)) {
    const { outcomes } = await harness.ended(leaseId);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['robotsUnreachable'],
    );
  }
  await harness.ended(slow.leaseId);
});

test('one fetcher of several notices that its network is back though all hosts that answered are gone for good', async (t) => {
  let isGone = false;
  const site = await serveSite(t, (request, response, host) => {
    if (isGone && host === 'gone.test') request.socket.destroy();
    else response.writeHead(200, html).end('x');
  });
  const closed = await closedPort();
  const harness = await startHarness(t, { config: { groupSize: () => 2 } });
  await harness.lease({ urls: taskUrls(site.url('gone.test', '/')) });
  isGone = true;
  for (const n of [1, 2, 3]) await harness.grant({ urls: taskUrls(`http://dead${n}.test:${closed}/`) });
  await until(() => harness.fetcher.stats().networksAway === 1, 10_000);
  const { outcomes } = await harness.lease({ urls: taskUrls(site.url('new.test', '/')) });
  assert.deepEqual([outcomes[0]?.kind, harness.fetcher.stats().networksAway], ['fetched', 0]);
});

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
