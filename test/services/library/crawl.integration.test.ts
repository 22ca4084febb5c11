/** `crawl` of the library against real sockets: it keeps the manners of the command. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CrawlOptions, crawl, createFrontier, type FailedUrl } from '../../../services/library/index.ts';
import { serveSite } from '../fetcher/loopback.ts';

const userAgent = 'tester/1 (+me@example.org)';
const quick = { delayMs: 0, delayFactor: 0, retriesMs: [] };

type Respond = Parameters<typeof serveSite>[1];

async function crawled(t: TestContext, respond: Respond, options: Partial<CrawlOptions> = {}) {
  const site = await serveSite(t, respond);
  const failed: FailedUrl[] = [];
  const pages: string[] = [];
  const counters = await crawl({
    seeds: [`http://127.0.0.1:${site.port}/`],
    userAgent,
    policy: quick,
    allowPrivate: true,
    onPage: ({ url }) => void pages.push(new URL(url).pathname),
    onFailed: (failure) => void failed.push(failure),
    ...options,
  });
  return { site, failed, pages, counters };
}

const html: Respond = (request, response) => {
  if (request.url === '/robots.txt') response.statusCode = 404;
  response.setHeader('content-type', 'text/html');
  response.end('<title>here</title>');
};

test('private addresses are refused unless they are allowed, and the failure says so', async (t) => {
  const refused = await crawled(t, html, { allowPrivate: false });
  assert.deepEqual([refused.site.hits.length, refused.pages], [0, []]);
  assert.match(refused.failed[0]!.kind, /robotsUnreachable|blockedAddress/);
  assert.match(refused.failed[0]!.detail, /private.*allowPrivate/);
  const named = await crawled(t, html, { allowPrivate: ['127.0.0.0/8'] });
  assert.deepEqual(named.pages, ['/']);
});

test('Retry-After delays that URL and the next URL of its host', async (t) => {
  const asked: { readonly path: string; readonly atMs: number }[] = [];
  const { pages, failed } = await crawled(
    t,
    (request, response) => {
      asked.push({ path: request.url ?? '', atMs: performance.now() });
      if (request.url === '/a' && !asked.some(({ path }, at) => path === '/a' && at < asked.length - 1)) {
        response.writeHead(503, { 'retry-after': '2' });
        return response.end();
      }
      if (request.url === '/robots.txt') response.statusCode = 404;
      response.setHeader('content-type', 'text/html');
      return response.end(request.url === '/' ? '<a href=/a>a</a><a href=/b>b</a>' : '');
    },
    { policy: { ...quick, retriesMs: [0] } },
  );
  assert.deepEqual(pages.toSorted(), ['/', '/a', '/b']);
  assert.deepEqual(
    failed.map(({ kind, status, retriable }) => ({ kind, status, retriable })),
    [{ kind: 'throttled', status: 503, retriable: true }],
  );
  const at = asked.findIndex(({ path }) => path === '/a');
  assert.ok(asked[at + 1]!.atMs - asked[at]!.atMs >= 1_990, 'nothing is asked for two seconds');
});

test('a moved robots.txt is followed, and each origin’s robots.txt binds its own URLs', async (t) => {
  const other = await serveSite(t, (_, response) => response.end('User-agent: *\nDisallow: /private'));
  const moved = await crawled(t, (request, response) => {
    if (request.url === '/robots.txt') {
      response.writeHead(301, { location: `http://127.0.0.1:${other.port}/rules` });
      return response.end();
    }
    response.setHeader('content-type', 'text/html');
    return response.end('<a href=/private/x>x</a><a href=/open>o</a>');
  });
  assert.deepEqual(moved.pages.toSorted(), ['/', '/open']);
  assert.deepEqual(
    moved.failed.map(({ kind }) => kind),
    ['robotsDenied'],
  );
});

test('robots.txt is read for the first word of the User-Agent, and its sitemaps are read too', async (t) => {
  const { pages, site } = await crawled(t, (request, response) => {
    const at = `http://${request.headers.host}`;
    if (request.url === '/robots.txt') {
      return response.end(`User-agent: *\nDisallow: /\nUser-agent: tester\nDisallow: /private\nSitemap: ${at}/map.xml`);
    }
    if (request.url === '/map.xml') {
      response.setHeader('content-type', 'application/xml');
      return response.end(`<urlset><url><loc>${at}/listed</loc></url><url><loc>${at}/private</loc></url></urlset>`);
    }
    response.setHeader('content-type', 'text/html');
    return response.end('<title>here</title>');
  });
  assert.deepEqual(pages.toSorted(), ['/', '/listed']);
  assert.deepEqual(new Set(site.hits.map(({ headers }) => headers['user-agent'])), new Set([userAgent]));
});

test('an endless body is cut, and its page is reported', async (t) => {
  const { pages, counters } = await crawled(t, (request, response) => {
    if (request.url === '/robots.txt') {
      response.statusCode = 404;
      return response.end();
    }
    response.setHeader('content-type', 'text/html');
    const more = () => {
      while (!response.destroyed && response.write('<p>more and more</p>'.repeat(1000)));
    };
    response.on('drain', more);
    return more();
  });
  assert.deepEqual([pages, counters.pages], [['/'], 1]);
});

test('an abort ends a request that would never end, and waiting ones', async (t) => {
  const stop = new AbortController();
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') {
      response.statusCode = 404;
      response.end();
    }
  });
  const running = crawl({
    seeds: [`http://127.0.0.1:${site.port}/`],
    userAgent,
    allowPrivate: true,
    policy: quick,
    signal: stop.signal,
  });
  while (site.hits.length < 2) await sleep(10);
  stop.abort();
  const counters = await running;
  assert.equal(counters.pages, 0);
});

test('type errors of plain JavaScript are reported in a sentence', async () => {
  const wrong = async (options: unknown, says: RegExp) => {
    await assert.rejects(crawl(options as CrawlOptions), (error: Error) => {
      assert.match(error.message, says);
      return 'code' in error && error.code === 'INVALID_ARGUMENT';
    });
  };
  await wrong(undefined, /^crawl: give one object of options, with seeds and userAgent$/);
  await wrong({ seeds: 'https://example.org/', userAgent }, /^crawl: seeds: give a list of URLs, as in \['https/);
  await wrong({ seeds: ['https://example.org/'] }, /^crawl: userAgent is missing: give the User-Agent to send, as in/);
  await wrong({ seeds: [], userAgent, onpage: () => {} }, /^crawl: there is no option onpage; did you mean onPage\?$/);
  await wrong(
    { seeds: [], userAgent, clock: {} },
    /^crawl: clock: a crawl uses the machine's clock: .* createFrontier/,
  );
  await wrong({ seeds: [], userAgent }, /^crawl: without seeds, the scope must be set: give policy\.scope/);
  await wrong(
    { seeds: ['http://a.test/'], userAgent, resolve: ['a.test'] },
    /^crawl: resolve: a\.test: write host\[:port\]:address/,
  );
  await wrong({ seeds: [], userAgent, parse: { 'a/b': 1 } }, /^crawl: parse: give functions by media type/);
  const anonymous = { seeds: ['https://example.org/'], userAgent: 'mybot/1.0' };
  await wrong(
    anonymous,
    /^crawl: userAgent has no contact: add a web or mail address .* 'mybot\/1\.0 \(\+me@example\.org\)'$/,
  );
  await wrong({ seeds: [], userAgent, concurrency: '3' }, /^crawl: concurrency: give a whole number/);
  await wrong({ seeds: [], userAgent, policy: { maxDepht: 1 } }, /policy\.maxDepht: .*remove this field, or correct/);
  await assert.rejects(
    crawl({ seeds: ['nonsense'], userAgent }),
    /^CrawlstreamError: seed "nonsense": it is not a URL; write a URL/,
  );
  assert.throws(() => createFrontier().add('https://example.org/' as never), /^CrawlstreamError: add: give a list/);
});

test('a host with no other URL has all its sitemaps read, though they are too many for one lease', async (t) => {
  const { pages } = await crawled(t, (request, response) => {
    const at = `http://${request.headers.host}`;
    if (request.url === '/robots.txt') return response.end(`Sitemap: ${at}/index.xml`);
    if (request.url === '/index.xml') {
      const listed = Array.from({ length: 20 }, (_, n) => `<sitemap><loc>${at}/${n}.xml</loc></sitemap>`);
      return response.end(`<sitemapindex>${listed.join('')}</sitemapindex>`);
    }
    if (request.url?.endsWith('.xml'))
      return response.end(`<urlset>${request.url === '/19.xml' ? `<url><loc>${at}/deep</loc></url>` : ''}</urlset>`);
    response.setHeader('content-type', 'text/html');
    return response.end('<title>here</title>');
  });
  assert.deepEqual(pages.toSorted(), ['/', '/deep']);
});
