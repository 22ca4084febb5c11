import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFeedSignature, pollSecondsOf } from '../../../../topology/content/feed-signature.ts';
import { startHarness, taskUrls } from '../harness.ts';
import { serveSite } from '../loopback.ts';

test('a feed gives its entries as links, those of its own host with dates, whatever its media type', async (t) => {
  const site = await serveSite(t, (request, response) => {
    const own = (path: string) => site.url('a.test', path);
    const answer = (type: string, body: string) =>
      response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=7200', etag: '"1"' }).end(body);
    switch (request.url) {
      case '/rss':
        answer(
          'text/html',
          `<?xml version="1.0"?><rss><channel><ttl>60</ttl>
            <item><link>${own('/r1')}</link><pubDate>Thu, 05 Jan 2017 13:34:51 GMT</pubDate></item>
            <item><link>${site.url('b.test', '/r2')}</link><pubDate>Thu, 05 Jan 2017 13:34:51 GMT</pubDate></item></channel></rss>`,
        );
        return;
      case '/atom':
        answer(
          'application/atom+xml',
          '<feed><entry><link href="/a1"/></entry><entry><link href="/r1"/></entry></feed>',
        );
        return;
      case '/json':
        answer('application/feed+json', '{"version":"https://jsonfeed.org/version/1","items":[{"url":"/j1"}]}');
        return;
      case '/index':
        answer('application/xml', `<sitemapindex><sitemap><loc>${own('/s.xml')}</loc></sitemap></sitemapindex>`);
        return;
      case '/page':
        answer('text/html', '<a href="/p1">x</a><link rel="alternate" type="application/rss+xml" href="/rss">');
        return;
      case '/shy':
        response.setHeader('x-robots-tag', 'nofollow');
        answer('application/rss+xml', '<rss><item><link>/s1</link></item></rss>');
        return;
      default:
        response.writeHead(404).end();
    }
  });
  const harness = await startHarness(t);
  const paths = ['/rss', '/atom', '/json', '/index', '/page', '/shy'];
  const urls = taskUrls(...paths.map((path) => site.url('a.test', path)));
  const { outcomes } = await harness.lease({ urls, signatures: true });
  assert.deepEqual(
    outcomes.map(({ kind, links, textSignature }) => [kind, links, isFeedSignature(textSignature)]),
    [
      ['fetched', 2, true],
      ['fetched', 2, true],
      ['fetched', 1, true],
      ['fetched', 1, true],
      ['fetched', 2, false],
      ['fetched', 0, true],
    ],
  );
  assert.equal(pollSecondsOf(outcomes[0]!.textSignature), 7_200);
  // Nobody reads markup; a page beside them keeps its words.
  const pages = await harness.pages();
  assert.deepEqual(
    pages.map(({ url, text }) => [new URL(url).pathname, text]).sort(),
    [...paths.map((path) => [path, path === '/page' ? 'x' : ''])].sort(),
  );
  const groups = await harness.groups();
  const found = groups.flatMap(({ hostKey, intent, depth, links }) =>
    links.map(({ url, lastModifiedMs }) => [
      new URL(url).pathname,
      hostKey.split('.')[0],
      intent,
      depth,
      lastModifiedMs,
    ]),
  );
  assert.deepEqual(found.sort(), [
    ['/a1', 'a', 'discover', 2, 0],
    ['/j1', 'a', 'discover', 2, 0],
    ['/p1', 'a', 'discover', 2, 0],
    ['/r1', 'a', 'discover', 2, 0],
    ['/r1', 'a', 'refresh', 2, Date.UTC(2017, 0, 5, 13, 34, 51)],
    ['/r2', 'b', 'discover', 2, 0],
    ['/rss', 'a', 'discover', 2, 0],
    ['/s.xml', 'a', 'discover', 1, 0],
  ]);
});
