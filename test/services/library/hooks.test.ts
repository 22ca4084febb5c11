/** The hooks of a crawl, given as functions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrawledPage, type CrawlOptions, crawl, type FailedUrl } from '../../../services/library/index.ts';
import { fakeWeb } from './fake-web.ts';

async function crawled(web: ReturnType<typeof fakeWeb>, hooks: Partial<CrawlOptions>) {
  const pages: CrawledPage[] = [];
  const failed: FailedUrl[] = [];
  await crawl({
    userAgent: 'tester/1 (+me@example.org)',
    policy: { delayMs: 0, delayFactor: 0, retriesMs: [] },
    seeds: ['http://a.test/'],
    fetch: web.fetch,
    onPage: (page) => void pages.push(page),
    onFailed: (failure) => void failed.push(failure),
    ...hooks,
  });
  return { pages, failed, asked: web.asked.map((url) => new URL(url).pathname + new URL(url).search) };
}

const front = '<a href="/x">x</a><a href="/y?session=1">y</a><a href="/z">z</a>';

test('urlFilter and normalize decide which links are followed, and as what', async () => {
  const web = fakeWeb((url) => ({ html: url.endsWith('/') ? front : `<title>${url}</title>` }));
  const { asked } = await crawled(web, {
    urlFilter: ({ url }) => !url.endsWith('/z'),
    normalize: (url) => url.replace(/[?]session=.*/, ''),
  });
  assert.deepEqual(asked.toSorted(), ['/', '/robots.txt', '/x', '/y']);
});

test('request adds headers, and a skipped request is reported with its reason', async () => {
  const seen: (string | undefined)[] = [];
  const web = fakeWeb((url, { headers }) => {
    seen.push(headers['accept-language']);
    return { html: url.endsWith('/') ? front : '' };
  });
  const { failed, pages } = await crawled(web, {
    request: async ({ url, depth }) =>
      url.endsWith('/x') ? { skip: `not at depth ${depth}` } : { headers: { 'Accept-Language': 'de' } },
  });
  assert.deepEqual([seen, pages.length], [['de', 'de', 'de'], 3]);
  assert.deepEqual(
    failed.map(({ url, kind, detail }) => [url, kind, detail]),
    [['http://a.test/x', 'refused', 'plugin crawl: not at depth 1']],
  );
});

test('response replaces what was received, and the page and its body come from it', async () => {
  const web = fakeWeb((url) => ({ html: url.endsWith('/') ? front : '' }));
  const { pages } = await crawled(web, {
    response: ({ url, status, headers, body }) => {
      assert.deepEqual([status, headers['content-type']], [200, 'text/html']);
      if (url.endsWith('/')) return undefined;
      return { body: Buffer.from(`<title>was ${body.length} bytes</title>`) };
    },
  });
  const replaced = pages.find(({ url }) => url.endsWith('/x'))!;
  assert.equal(replaced.title, 'was 0 bytes');
  assert.equal(Buffer.from(replaced.body).toString(), '<title>was 0 bytes</title>');
});

test('parse reads an otherwise unsupported media type: its text, fields and links', async () => {
  const web = fakeWeb((url) =>
    url.endsWith('/')
      ? { body: 'to=/x', headers: { 'content-type': 'application/x-list' } }
      : { html: '<title>found</title>' },
  );
  const { pages } = await crawled(web, {
    parse: {
      'application/x-list': ({ body, mediaType }) => ({
        text: `a ${mediaType}`,
        links: [Buffer.from(body).toString().slice(3)],
        fields: { kind: ['list'] },
      }),
    },
  });
  assert.deepEqual(
    pages.map(({ text, title, fields }) => text + title + fields.flatMap(({ values }) => values)),
    ['a application/x-listlist', 'found'],
  );
});

test('page changes a page or drops it, and a hook that throws is a failure of that URL alone', async () => {
  const web = fakeWeb((url) => ({ html: url.endsWith('/') ? front : '<title>title</title>' }));
  const { pages, failed } = await crawled(web, {
    page(page) {
      if (page.url.endsWith('/x')) return null;
      if (page.url.endsWith('/z')) throw new Error('unheard of');
      return { ...page, title: `${page.title}!` };
    },
  });
  assert.deepEqual(pages.map(({ title }) => title).toSorted(), ['!', 'title!']);
  assert.deepEqual(
    failed.map(({ url, kind, detail }) => [url, kind, detail]),
    [['http://a.test/z', 'parseFailed', 'plugin crawl, page: unheard of']],
  );
});
