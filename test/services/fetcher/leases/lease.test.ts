import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Result, RobotsCopy, Task } from '../../../../schemas/types.ts';
import { controlEvent } from '../../../../services/runtime/crawl/control-log.ts';
import { leastDelay } from '../../../../topology/frontier/decide/control-payloads.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { clock, startHarness, taskUrls } from '../harness.ts';
import { serveBytes, serveSite, serveSockets, unusedPort } from '../loopback.ts';

const html = { 'content-type': 'text/html' };
const kinds = (outcomes: readonly { readonly kind: string }[]) => outcomes.map((outcome) => outcome.kind);
const gapsMs = (hits: readonly { readonly startMs: number; readonly endMs: number }[]) =>
  hits.slice(1).map((hit, n) => hit.startMs - hits[n]!.endMs);

test('a page yields its record, its links and its outcome', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag: '"1"', 'last-modified': 'yesterday' })
        .end(
          '<title>A  page</title><meta name=description content=About><link rel=canonical href=/canon>' +
            '<p>Hello <a href=/b?utm_source=x>b</a> <a href=http://other.test/c>c</a><a href=mailto:x@y>m</a>',
        );
  });
  const harness = await startHarness(t);
  const { outcomes, requests, results } = await harness.lease({ urls: taskUrls(site.url('a.test', '/a')) });
  const [outcome] = outcomes;
  assert.equal(outcome?.kind, 'fetched');
  assert.equal(outcome?.etag, '"1"');
  assert.equal(outcome?.links, 3);
  const [page] = await harness.pages();
  assert.equal(page?.title, 'A page');
  assert.equal(page?.description, 'About');
  assert.equal(page?.canonical, site.url('a.test', '/canon'));
  assert.equal(page?.contentHash, outcome?.contentHash);
  assert.equal(page?.hostKey, `a.test:${site.port}`);
  const groups = await harness.groups();
  assert.deepEqual(
    groups.map((group) => [group.hostKey, group.depth, group.sourceKey, group.links.map((link) => link.url)]),
    [
      [`a.test:${site.port}`, 2, 'a.test', [site.url('a.test', '/canon'), site.url('a.test', '/b')]],
      ['other.test', 2, 'a.test', ['http://other.test/c']],
    ],
  );
  assert.deepEqual(
    requests.map((one) => one.kind),
    ['robots', 'page'],
  );
  assert.equal(results.at(-1)?.completedAtMs, requests[1]?.endMs);
  assert.equal(results.at(-1)?.host.robotsStatus, 'allowAll');
  assert.equal(site.hits[1]?.headers['user-agent'], 'crawlstream/0.0.0 (+https://example.org/bot)');
});

test('robots.txt, its redirects and pages all keep the delay, from completion to start', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(301, { location: '/r2' }).end();
    else if (request.url === '/r2') response.writeHead(302, { location: '/r3' }).end();
    else if (request.url === '/r3') response.end('User-agent: *\nDisallow: /no');
    else setTimeout(() => response.writeHead(200, html).end('<p>slow'), 30);
  });
  const harness = await startHarness(t);
  const urls = taskUrls(...['/1', '/no', '/2', '/3'].map((path) => site.url('a.test', path)));
  const { outcomes, requests } = await harness.lease({ urls, delayMs: 120 });
  assert.deepEqual(kinds(outcomes), ['fetched', 'robotsDenied', 'fetched', 'fetched']);
  const [copy] = (await harness.all('robots')) as RobotsCopy[];
  assert.equal(Buffer.from(copy!.body).toString(), 'User-agent: *\nDisallow: /no');
  for (const { robotsHash, robotsAtMs } of requests.filter(({ kind }) => kind === 'page'))
    assert.deepEqual([robotsHash, robotsAtMs], [copy!.hash, copy!.fetchedAtMs], 'what allowed it is on the log');
  assert.deepEqual(
    site.hits.map((hit) => hit.path),
    ['/robots.txt', '/r2', '/r3', '/1', '/2', '/3'],
  );
  for (const gapMs of gapsMs(site.hits)) assert.ok(gapMs >= 120 && gapMs < 2_000, `${gapMs} ms`);
});

test('a robots.txt that moved to another host is requested only by a lease of that host', async (t) => {
  const site = await serveSite(t, (request, response, host) => {
    if (host === 'a.test' && request.url === '/robots.txt') {
      response.writeHead(301, { location: site.url('b.test', '/robots.txt') }).end();
    } else if (request.url === '/robots.txt') response.writeHead(302, { location: '/there.txt' }).end();
    else if (request.url === '/there.txt') response.end('User-agent: *\nDisallow: /no');
    else response.writeHead(200, html).end('x');
  });
  const harness = await startHarness(t);
  const urls = taskUrls(site.url('a.test', '/no'), site.url('a.test', '/1'));
  const first = await harness.lease({ urls });
  assert.deepEqual(kinds(first.outcomes), ['returned', 'returned']);
  assert.deepEqual(
    site.hits.map((hit) => hit.host),
    ['a.test'],
  );
  const wishes = ((await harness.all('results')) as Result[]).filter(({ robotsHops }) => robotsHops.length > 0);
  const hop = { url: site.url('b.test', '/robots.txt'), asked: [site.url('a.test', '/robots.txt')], partition: 0 };
  assert.deepEqual(
    wishes.map(({ hostKey, leaseId, last, robotsHops }) => ({ hostKey, leaseId, last, robotsHops })),
    [{ hostKey: `b.test:${site.port}`, leaseId: 0, last: false, robotsHops: [hop] }],
  );

  const there = await harness.lease({ urls: [], hostKey: `b.test:${site.port}`, robotsHops: [hop], delayMs: 150 });
  assert.deepEqual(
    there.requests.map(({ kind, hop: number }) => [kind, number]),
    [
      ['robots', 1],
      ['robots', 2],
    ],
  );
  const [one, two] = site.hits.filter(({ host }) => host === 'b.test');
  assert.ok(two!.startMs - one!.endMs >= 150, 'hops on one host keep its delay');
  assert.deepEqual(kinds((await harness.lease({ urls })).outcomes), ['robotsDenied', 'fetched']);
});

test('leases of one host, even granted together, never overlap and keep the delay', async (t) => {
  const site = await serveSite(t, (_request, response) => setTimeout(() => response.writeHead(200, html).end('x'), 20));
  const harness = await startHarness(t);
  const granted = await Promise.all(
    [1, 2, 3].map((n) => harness.grant({ delayMs: 100, urls: taskUrls(site.url('a.test', `/${n}`)) })),
  );
  for (const { leaseId } of granted) await harness.ended(leaseId);
  assert.equal(site.hits.length, 4);
  for (const gapMs of gapsMs(site.hits)) assert.ok(gapMs >= 100, `${gapMs} ms`);
});

test('the delay grows with the duration of the last request, times the factor', async (t) => {
  const site = await serveSite(t, (request, response) => {
    const answer = () => response.writeHead(200, html).end('x');
    if (request.url === '/1') setTimeout(answer, 100);
    else answer();
  });
  const harness = await startHarness(t);
  const urls = taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2'));
  await harness.lease({ urls, delayMs: 1, delayFactor: 2 });
  assert.ok(gapsMs(site.hits)[1]! >= 195);
});

test('a Crawl-delay is kept, and one above the cap defers the other URLs unchanged', async (t) => {
  const site = await serveSite(t, (request, response, host) => {
    const delay = host === 'a.test' ? '0.3' : '20';
    if (request.url === '/robots.txt') response.end(`User-agent: *\nCrawl-delay: ${delay}\nDisallow: /no`);
    else response.writeHead(200, html).end('x');
  });
  const harness = await startHarness(t);
  await harness.lease({ urls: taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2')), delayMs: 10 });
  assert.equal(site.hits.length, 3);
  for (const gapMs of gapsMs(site.hits)) assert.ok(gapMs >= 300, `${gapMs} ms`);
  const { outcomes, results } = await harness.lease({
    urls: taskUrls(site.url('b.test', '/1'), site.url('b.test', '/2')),
  });
  assert.deepEqual(kinds(outcomes), ['crawlDelayTooLong', 'crawlDelayTooLong']);
  assert.equal(results.at(-1)?.host.crawlDelayMs, 20_000);
  assert.equal(site.hits.length, 4);
});

for (const [delayS, kind] of [
  [29.999, 'fetched'],
  [30, 'fetched'],
  [30.001, 'crawlDelayTooLong'],
] as const) {
  test(`a Crawl-delay of ${delayS} s, where 30 s is the cap, ${kind === 'fetched' ? 'is kept' : 'defers the host'}`, async (t) => {
    const site = await serveSite(t, (request, response) => {
      if (request.url === '/robots.txt') response.end(`User-agent: *\nCrawl-delay: ${delayS}`);
      else response.writeHead(200, html).end('x');
    });
    const harness = await startHarness(t);
    const urls = taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2'));
    // robots.txt is here already, and the deadline leaves time for nothing that waits so long.
    const { outcomes } = await harness.lease({ urls, crawlDelayCapMs: 30_000, deadlineMs: clock.nowMs() + 45_000 });
    const answered = kinds(outcomes);
    if (kind === 'crawlDelayTooLong') assert.deepEqual(answered, [kind, kind]);
    else assert.ok(!answered.includes('crawlDelayTooLong'), answered.join());
  });
}

test('an unreachable robots.txt means no page: one outcome says so, the rest comes back', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(503, { 'retry-after': '7' }).end());
  const harness = await startHarness(t);
  const { outcomes, results } = await harness.lease({
    urls: taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2')),
  });
  assert.deepEqual(kinds(outcomes), ['robotsUnreachable', 'returned']);
  assert.equal(outcomes[0]?.retryAfterMs, 7_000);
  assert.equal(results.at(-1)?.host.robotsStatus, 'disallowAll');
  assert.deepEqual(
    site.hits.map((hit) => hit.path),
    ['/robots.txt'],
  );
});

test('robots.txt is fetched once for many leases, and its sitemaps are reported when it is new', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end('User-agent: *\nDisallow: /no\nSitemap: /map.xml');
    else response.writeHead(200, html).end('x');
  });
  const harness = await startHarness(t);
  const first = await harness.lease({ urls: taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2')) });
  const second = await harness.lease({ urls: taskUrls(site.url('a.test', '/3')) });
  assert.equal(site.hits.filter((hit) => hit.path === '/robots.txt').length, 1);
  assert.deepEqual(
    first.results.flatMap((one) => one.host.sitemaps),
    [site.url('a.test', '/map.xml')],
  );
  assert.deepEqual(
    second.results.flatMap((one) => one.host.sitemaps),
    [],
  );
  assert.match(second.requests[0]?.robotsHash ?? '', /^[0-9a-f]{32}$/);
});

test('no request starts later than the deadline minus the request timeout; the other URLs return', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  const harness = await startHarness(t, { config: { limits: { totalTimeoutMs: 3_000 } } });
  const urls = taskUrls(...[1, 2, 3, 4, 5].map((n) => site.url('a.test', `/${n}`)));
  const deadlineMs = clock.nowMs() + 10_800;
  const { outcomes, requests } = await harness.lease({ urls, delayMs: 3_000, deadlineMs });
  // How many there was time for is the machine's to say; two, where it is not very busy.
  assert.match(kinds(outcomes).join(' '), /^(fetched ){1,2}(returned ?){3,4}$/);
  for (const { startMs } of requests) assert.ok(startMs <= deadlineMs - 3_000);
});

test('a wait that would end too late is skipped', { timeout: 120_000 }, async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  const harness = await startHarness(t);
  const urls = taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2'));
  const hour = 3_600_000;
  const { outcomes } = await harness.lease({ urls, delayMs: 2 * hour, deadlineMs: clock.nowMs() + hour });
  assert.equal(kinds(outcomes).at(-1), 'returned');
});

test('a lease that has expired when it is taken returns whole, without contact', async (t) => {
  const site = await serveSite(t, (_request, response) => response.end());
  const harness = await startHarness(t);
  const { outcomes } = await harness.lease({
    urls: taskUrls(site.url('a.test', '/1')),
    deadlineMs: clock.nowMs() + 100,
  });
  assert.deepEqual(kinds(outcomes), ['returned']);
  assert.equal(site.hits.length, 0);
});

test('a clock behind the grant’s is advanced to it before deadlines are checked', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  const harness = await startHarness(t);
  const aheadMs = clock.nowMs() + 3_600_000;
  const { outcomes } = await harness.lease({
    urls: taskUrls(site.url('a.test', '/1')),
    grantedAtMs: aheadMs,
    deadlineMs: aheadMs + 1_000,
  });
  assert.deepEqual(kinds(outcomes), ['returned']);
  assert.equal(site.hits.length, 0);
});

test('the other URLs of a lease return at once if the host fails or throttles', async (t) => {
  let isAway = false;
  const site = await serveSite(t, (request, response, host) => {
    if (request.url === '/robots.txt' && !(host === 'broken.test' && isAway)) response.end();
    else if (host === 'busy.test') response.writeHead(429, { 'retry-after': '11' }).end();
    else {
      isAway = true;
      request.socket.resetAndDestroy();
    }
  });
  const harness = await startHarness(t);
  const two = (host: string) => taskUrls(site.url(host, '/1'), site.url(host, '/2'));
  const busy = await harness.lease({ urls: two('busy.test') });
  assert.deepEqual(kinds(busy.outcomes), ['throttled', 'returned']);
  assert.equal(busy.outcomes[0]?.retryAfterMs, 11_000);
  const broken = await harness.lease({ urls: two('broken.test') });
  assert.deepEqual(kinds(broken.outcomes), ['connectionFailed', 'returned']);
  assert.equal(broken.outcomes[0]?.originOnly, false);
});

test('a URL without a complete response fails alone on a host that answers', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n';
  const cuts: Record<string, (socket: Socket) => void> = {
    '/short': (socket) => socket.end(`${head}content-length: 99\r\n\r\nshort`),
    '/chunk': (socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\n5\r\nshort\r\n`),
    '/reset': (socket) => socket.write(`${head}content-length: 99\r\n\r\nshort`, () => socket.resetAndDestroy()),
    '/head': (socket) => socket.end(head),
    '/line': (socket) => socket.end('HTTP/1.1 20'),
    '/closed': (socket) => socket.end(),
    '/gone': (socket) => socket.resetAndDestroy(),
  };
  const asked: string[] = [];
  const port = await serveSockets(t, (socket) => {
    socket.on('data', (bytes) => {
      const path = bytes.toString().split(' ')[1]!;
      asked.push(path);
      if (cuts[path] !== undefined) cuts[path](socket);
      else socket.write(`${head}content-length: 1\r\n\r\nx`);
    });
  });
  const harness = await startHarness(t);
  const paths = Object.keys(cuts).flatMap((path) => [path, `/fine-after${path}`]);
  const { outcomes } = await harness.lease({ urls: taskUrls(...paths.map((path) => `http://a.test:${port}${path}`)) });
  for (const [index, path] of paths.entries()) {
    const { kind, originOnly } = outcomes[index]!;
    const isCut = cuts[path] !== undefined;
    assert.deepEqual([kind, originOnly], isCut ? ['connectionFailed', true] : ['fetched', false], path);
  }
  const unanswered = 4;
  assert.equal(asked.filter((path) => path === '/robots.txt').length, 1 + unanswered, 'asked again where nothing came');
});

test('the other URLs of a lease return after several server failures in a row; retries do not count', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end();
    else if (request.url!.startsWith('/well')) response.writeHead(200, html).end('x');
    else response.writeHead(502).end();
  });
  const harness = await startHarness(t);
  const lease = async (paths: readonly string[], task: Partial<Task> = {}, attempt = 0) => {
    const urls = taskUrls(...paths.map((path) => site.url('a.test', path))).map((url) => ({ ...url, attempt }));
    return kinds((await harness.lease({ urls, serverErrorsMax: 3, ...task })).outcomes);
  };
  const failing = ['/1', '/2', '/3', '/4'];
  assert.deepEqual(await lease(['/1', '/2', '/well', ...failing]), [
    'serverError',
    'serverError',
    'fetched',
    'serverError',
    'serverError',
    'serverError',
    'returned',
  ]);
  assert.deepEqual(await lease(failing, { serverErrors: 2 }), ['serverError', 'returned', 'returned', 'returned']);
  assert.deepEqual(await lease(failing, {}, 1), Array(4).fill('serverError'));
  assert.deepEqual(await lease(failing, { serverErrorsMax: 0 }), Array(4).fill('serverError'));
});

test('a request on an idle connection that the server closed is tried once more, after the delay', async (t) => {
  const port = await serveSockets(t, (socket) => {
    let requests = 0;
    socket.on('data', () => {
      requests += 1;
      if (requests < 3) socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 1\r\n\r\nx');
      else socket.destroy();
    });
  });
  const harness = await startHarness(t);
  const at = (path: string) => `http://a.test:${port}${path}`;
  const { outcomes, requests } = await harness.lease({ urls: taskUrls(at('/1'), at('/2')), delayMs: 150 });
  assert.deepEqual(kinds(outcomes), ['fetched', 'fetched']);
  assert.deepEqual(
    requests.map((one) => one.outcomeIndex),
    [-1, 0, 1, 1],
  );
  assert.ok(requests[3]!.startMs - requests[2]!.endMs >= 60);
});

test('redirects are not followed: the target is published to discovered, one hop on, in the first front queue', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/a') response.writeHead(301, { location: 'http://b.test/x?utm_medium=y#z' }).end();
    else if (request.url === '/bad') response.writeHead(301, { location: 'file:///etc/passwd' }).end();
    else response.writeHead(404).end();
  });
  const harness = await startHarness(t);
  const { outcomes } = await harness.lease({ urls: taskUrls(site.url('a.test', '/a'), site.url('a.test', '/bad')) });
  assert.deepEqual(kinds(outcomes), ['redirect', 'clientError']);
  assert.equal(outcomes[0]?.redirectUrl, 'http://b.test/x?utm_medium=y');
  const [group, ...more] = await harness.groups();
  assert.equal(more.length, 0);
  assert.deepEqual(
    [group?.hostKey, group?.hop, group?.front, group?.depth, group?.links[0]?.url],
    ['b.test', 1, true, 1, 'http://b.test/x'],
  );
});

test('a meta refresh is published as a redirect is', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(200, html).end('<meta http-equiv=refresh content="0; url=/next"><a href=/b>b</a>');
  });
  const harness = await startHarness(t);
  await harness.lease({ urls: taskUrls(site.url('a.test', '/')) });
  const groups = await harness.groups();
  assert.deepEqual(
    groups.map((group) => [group.hop, group.front, group.depth, group.links[0]?.url]),
    [
      [0, false, 2, site.url('a.test', '/b')],
      [1, true, 1, site.url('a.test', '/next')],
    ],
  );
});

test('validators are sent back, and 304 is an outcome only if they were sent', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else response.writeHead(304, { etag: '"2"' }).end();
  });
  const harness = await startHarness(t);
  const [known] = taskUrls(site.url('a.test', '/known'));
  const urls = [
    { ...known!, etag: '"1"', lastModified: 'Sun, 06 Nov 1994 08:49:37 GMT' },
    ...taskUrls(site.url('a.test', '/new')),
  ];
  const { outcomes } = await harness.lease({ urls });
  assert.deepEqual(kinds(outcomes), ['notModified', 'badResponse']);
  assert.equal(outcomes[0]?.etag, '"2"');
  const hit = site.hits.find((one) => one.path === '/known');
  assert.equal(hit?.headers['if-none-match'], '"1"');
  assert.equal(hit?.headers['if-modified-since'], 'Sun, 06 Nov 1994 08:49:37 GMT');
});

test('nofollow publishes no links and noindex is reported, in headers and in meta, for us or for all', async (t) => {
  const site = await serveSite(t, (request, response) => {
    const link = '<a href=/next>n</a>';
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (request.url === '/meta')
      response.writeHead(200, html).end(`<meta name=crawlstream content=nofollow>${link}`);
    else response.writeHead(200, { ...html, 'x-robots-tag': 'crawlstream: noindex, nofollow' }).end(link);
  });
  const harness = await startHarness(t);
  const { outcomes } = await harness.lease({ urls: taskUrls(site.url('a.test', '/meta'), site.url('a.test', '/tag')) });
  assert.deepEqual(
    outcomes.map((one) => one.noindex),
    [false, true],
  );
  assert.deepEqual(
    (await harness.pages()).map((page) => page.nofollow),
    [true, true],
  );
  assert.deepEqual(await harness.links(), []);
});

test('text is kept without links, other types are refused unread, and a body above the limit is kept truncated', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/text') response.writeHead(200, { 'content-type': 'text/plain' }).end('see http://b.test/');
    else if (request.url === '/image') response.writeHead(200, { 'content-type': 'image/png' }).end('x');
    else if (request.url === '/long') response.writeHead(200, html).end(`<a href=/first>f</a>${'y'.repeat(200_000)}`);
    else if (request.url === '/bomb')
      response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, 'z')));
    else response.writeHead(404).end();
  });
  const harness = await startHarness(t, { config: { limits: { bodyBytesMax: 100_000 } } });
  const { outcomes } = await harness.lease({
    urls: taskUrls(...['/text', '/image', '/long', '/bomb', '/none'].map((path) => site.url('a.test', path))),
  });
  assert.deepEqual(kinds(outcomes), ['fetched', 'refused', 'fetched', 'fetched', 'gone']);
  assert.deepEqual(
    outcomes.map((one) => one.truncated),
    [false, false, true, true, false],
  );
  assert.deepEqual(
    outcomes.map((one) => one.bytes),
    [18, 0, 100_000, 100_000, 0],
  );
  assert.deepEqual(await harness.links(), [site.url('a.test', '/first')]);
  assert.equal((await harness.pages())[0]?.text, 'see http://b.test/');
});

test('a host that is blocked during its lease is not contacted again until it is released', async (t) => {
  const site = await serveSite(t, (request, response) => {
    const answer = () => response.writeHead(200, html).end('x');
    if (request.url === '/1') void say('blockHost').then(answer);
    else answer();
  });
  const harness = await startHarness(t);
  const hostKey = new URL(site.url('a.test', '/')).host;
  const say = async (kind: 'blockHost' | 'releaseHost') => {
    const event = controlEvent({ kind, hostKey, atMs: Date.now(), by: 'test' });
    await harness.log.append([
      { topic: 't.control', partition: 0, key: null, value: harness.codec.encode('control', event) },
    ]);
    await sleep(200);
  };
  const urls = taskUrls(site.url('a.test', '/1'), site.url('a.test', '/2'), site.url('a.test', '/3'));
  assert.deepEqual(kinds((await harness.lease({ urls })).outcomes), ['fetched', 'returned', 'returned']);
  const others = await harness.lease({ urls: taskUrls(site.url('b.test', '/4')) });
  assert.deepEqual(kinds(others.outcomes), ['fetched']);
  await say('releaseHost');
  const { outcomes } = await harness.lease({ urls: urls.slice(1) });
  assert.deepEqual(kinds(outcomes), ['fetched', 'fetched']);
});

for (const [title, raise] of [
  ['an operator’s order for the host', { kind: 'hostDelay', amount: 400 }],
  ['a webmaster’s wish', { kind: 'hostDelay', amount: 400, payload: leastDelay }],
  [
    'a policy',
    { kind: 'policy', version: 2, payload: JSON.stringify({ ...defaultPolicy(), version: 2, delayMs: 400 }) },
  ],
] as const)
  test(`a delay that is raised by ${title} while a lease runs holds after its next request`, async (t) => {
    const startsMs: number[] = [];
    const site = await serveSite(t, (request, response) => {
      startsMs.push(performance.now());
      const answer = () => response.writeHead(200, html).end('x');
      if (request.url === '/1') void say().then(answer);
      else answer();
    });
    const harness = await startHarness(t);
    const hostKey = new URL(site.url('a.test', '/')).host;
    const say = async () => {
      const event = controlEvent({ hostKey, atMs: Date.now(), by: 'test', ...raise });
      const value = harness.codec.encode('control', event);
      await harness.log.append([{ topic: 't.control', partition: 0, key: null, value }]);
      await sleep(200);
    };
    const urls = taskUrls(...['/1', '/2', '/3'].map((path) => site.url('a.test', path)));
    assert.deepEqual(kinds((await harness.lease({ urls })).outcomes), ['fetched', 'fetched', 'fetched']);
    const [second, third] = startsMs.slice(-2);
    assert.ok(third! - second! >= 400, `${third! - second!} ms`);
  });

test('a pause of the crawl reaches leases under way: what they have not asked for comes back', async (t) => {
  const site = await serveSite(t, (request, response) => {
    const answer = () => response.writeHead(200, html).end('x');
    if (request.url === '/1') void say().then(answer);
    else answer();
  });
  const harness = await startHarness(t);
  const say = async () => {
    const payload = JSON.stringify({ ...defaultPolicy(), version: 2, paused: true });
    const event = controlEvent({ kind: 'policy', version: 2, payload, atMs: Date.now(), by: 'test' });
    const value = harness.codec.encode('control', event);
    await harness.log.append([{ topic: 't.control', partition: 0, key: null, value }]);
    await sleep(200);
  };
  const urls = taskUrls(...['/1', '/2', '/3'].map((path) => site.url('a.test', path)));
  assert.deepEqual(kinds((await harness.lease({ urls })).outcomes), ['fetched', 'returned', 'returned']);
});

test('private addresses are refused at connect, by name and literally, and nothing is sent', async (t) => {
  const site = await serveSite(t, (_request, response) => response.end('x'));
  const asked: string[] = [];
  const harness = await startHarness(t, {
    config: { allowPrivate: false, resolve: [] },
    dnsLookup: async (hostname) => {
      asked.push(hostname);
      return { addresses: ['127.0.0.1'], ttlMs: 0 };
    },
  });
  for (const url of [site.url('inside.test', '/'), site.url('127.0.0.1', '/'), `http://[::1]:${site.port}/`]) {
    const { outcomes } = await harness.lease({ urls: taskUrls(url, `${url}2`) });
    assert.deepEqual(kinds(outcomes), ['blockedAddress', 'blockedAddress'], url);
  }
  assert.deepEqual(asked, ['inside.test']);
  assert.equal(site.hits.length, 0);
});

test('a robots.txt redirect into the private network is not followed, and fails closed', async (t) => {
  const inside = await serveSite(t, (_request, response) => response.end('User-agent: *\nAllow: /'));
  const outside = await serveSite(t, (_request, response) =>
    response.writeHead(302, { location: inside.url('127.0.0.1', '/robots.txt') }).end(),
  );
  const harness = await startHarness(t, {
    config: { allowPrivate: false, resolve: [{ host: 'out.test', port: null, address: '127.0.0.1' }] },
  });
  const urls = taskUrls(outside.url('out.test', '/'));
  assert.deepEqual(kinds((await harness.lease({ urls })).outcomes), ['returned']);
  const [wish] = ((await harness.all('results')) as Result[]).filter(({ robotsHops }) => robotsHops.length > 0);
  await harness.lease({ urls: [], hostKey: wish!.hostKey, robotsHops: wish!.robotsHops });
  assert.deepEqual(kinds((await harness.lease({ urls })).outcomes), ['robotsUnreachable']);
  assert.equal(inside.hits.length, 0);
});

test('hosts on one address share its limit; there is none with a delay of 0 or a fixed address', async (t) => {
  const site = await serveSite(t, (_request, response) => response.writeHead(200, html).end('x'));
  const limited = await startHarness(t, {
    config: { resolve: [], addressDelayMs: 40, groupSize: () => 2 },
    dnsLookup: async () => ({ addresses: ['127.0.0.1'], ttlMs: 0 }),
  });
  const run = async (harness: typeof limited, delayMs: number) => {
    const granted = await Promise.all(
      ['a', 'b', 'c'].map((host) =>
        harness.grant({ delayMs, urls: taskUrls(site.url(`${host}${delayMs}.test`, '/')) }),
      ),
    );
    for (const { leaseId } of granted) await harness.ended(leaseId);
    return performance.timeOrigin + site.hits.at(-1)!.startMs;
  };
  const lastMs = await run(limited, 1);
  await run(limited, 0);
  const byHand = await startHarness(t, { config: { addressDelayMs: 40, groupSize: () => 2 } });
  await run(byHand, 1);
  assert.equal(site.hits.length, 18);
  const startsOf = async (harness: typeof limited) =>
    ((await harness.all('results')) as Result[])
      .flatMap(({ requests }) => requests)
      .filter(({ addressDelayMs }) => addressDelayMs > 0)
      .sort((one, other) => one.startMs - other.startMs);
  const paced = await startsOf(limited);
  assert.deepEqual([...new Set(paced.map(({ addressDelayMs }) => addressDelayMs))], [80], 'what was kept is on record');
  // Six starts with five waits between them, as the server saw the last.
  assert.equal(paced.length, 6);
  assert.ok(lastMs - paced[0]!.startMs >= 5 * 79 - 15, `${lastMs - paced[0]!.startMs} ms`);
  for (let n = 1; n < paced.length; n++) assert.ok(paced[n]!.startMs - paced[n - 1]!.startMs >= 79);
  assert.deepEqual(await startsOf(byHand), []);
});

test('network failures have their own outcomes', async (t) => {
  const port = await unusedPort();
  const plain = await serveBytes(t, ['HTTP/1.1 400 Bad\r\ncontent-length: 0\r\n\r\n']);
  const harness = await startHarness(t, {
    config: { resolve: [] },
    dnsLookup: async (hostname) => ({ addresses: hostname === 'none.test' ? [] : ['127.0.0.1'], ttlMs: 0 }),
  });
  for (const [url, detail] of [
    ['http://none.test/', /none\.test has no address/],
    [`http://down.test:${port}/`, /ECONNREFUSED/],
    [`https://plain.test:${plain}/`, /SSL/i],
  ] as const) {
    const { outcomes } = await harness.lease({ urls: taskUrls(url) });
    assert.deepEqual(kinds(outcomes), ['robotsUnreachable']);
    assert.match(outcomes[0]?.detail ?? '', detail);
  }
});

test('an origin that fails by TLS fails alone if the host answers under its other scheme, and is tried once per lease', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') response.end('User-agent: *\nCrawl-delay: 0.02');
    else response.writeHead(200, html).end('x');
  });
  const harness = await startHarness(t);
  const at = (scheme: string, path: string) => `${scheme}://a.test:${site.port}${path}`;
  const urls = [at('http', '/1'), at('https', '/2'), at('http', '/3'), at('https', '/4')];
  const { outcomes, requests, results } = await harness.lease({ urls: taskUrls(...urls) });
  assert.deepEqual(kinds(outcomes), ['fetched', 'robotsUnreachable', 'fetched', 'robotsUnreachable']);
  assert.deepEqual(
    outcomes.map(({ originOnly }) => originOnly),
    [false, true, false, true],
  );
  assert.equal(results.at(-1)?.host.crawlDelayMs, 20, 'the host keeps the Crawl-delay of the origin that answers');
  assert.equal(requests.filter(({ url }) => url.startsWith('https:')).length, 1);
  // The next lease knows that the host answers, though it has none of its URLs.
  const next = await harness.lease({ urls: taskUrls(at('https', '/5')) });
  assert.deepEqual(
    next.outcomes.map(({ kind, originOnly }) => [kind, originOnly]),
    [['robotsUnreachable', true]],
  );
  assert.equal(next.results.at(-1)?.host.robotsStatus, 'unknown', 'nothing is said of the host and its Crawl-delay');
});

test('a host that answers under neither scheme, or only with errors, has failed as a whole', async (t) => {
  const port = await unusedPort();
  const harness = await startHarness(t);
  const both = await harness.lease({ urls: taskUrls(`https://b.test:${port}/1`, `http://b.test:${port}/2`) });
  assert.deepEqual(kinds(both.outcomes), ['robotsUnreachable', 'returned']);
  assert.equal(both.outcomes[0]?.originOnly, false);
  const ill = await serveSite(t, (_, response) => response.writeHead(500).end());
  const one = await harness.lease({ urls: taskUrls(ill.url('c.test', '/1'), `https://c.test:${ill.port}/2`) });
  assert.deepEqual(kinds(one.outcomes), ['robotsUnreachable', 'returned']);
  assert.equal(one.outcomes[0]?.originOnly, false);
});
