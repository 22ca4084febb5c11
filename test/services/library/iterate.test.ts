/** The pages of a crawl, taken one by one: how they come, what waits for them, and how it ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CrawlOptions, crawl } from '../../../services/library/index.ts';
import { fakeWeb } from './fake-web.ts';

const options = {
  userAgent: 'tester/1 (+me@example.org)',
  policy: { delayMs: 0, delayFactor: 0, retriesMs: [] },
} satisfies Partial<CrawlOptions>;

/** A front page that leads to so many others. */
function wide(pages: number) {
  const paths = Array.from({ length: pages }, (_, n) => `/${n}`);
  return fakeWeb((url) => ({
    html: url.endsWith('/') ? paths.map((path) => `<a href="${path}">p</a>`).join('') : `<title>${url}</title>`,
  }));
}

test('each page comes once, with its record, its links and its body, and the promise resolves to the counts', async () => {
  const web = wide(20);
  const running = crawl({ ...options, seeds: ['http://a.test/'], fetch: web.fetch });
  const urls: string[] = [];
  for await (const page of running) {
    urls.push(page.url);
    if (page.depth === 0) assert.equal(page.links.length, 20);
    else assert.deepEqual([page.title, page.links, page.contentType], [page.url, [], 'text/html']);
    assert.ok(page.body.length > 0 && page.bytes === page.body.length);
  }
  assert.equal(new Set(urls).size, 21);
  assert.equal(urls.length, 21);
  assert.equal((await running).pages, 21);
});

test('an unread page holds its host back: a few wait, and the others come when they are read', async () => {
  const web = wide(60);
  const running = crawl({ ...options, seeds: ['http://a.test/'], fetch: web.fetch, concurrency: 3 });
  const pages = running[Symbol.asyncIterator]();
  await pages.next();
  await sleep(700);
  // Three wait, and one was under way; robots.txt and the first page went before.
  assert.ok(web.asked.length <= 2 + 4, `${web.asked.length} were asked for`);
  let taken = 1;
  while ((await pages.next()).done !== true) taken += 1;
  assert.equal(taken, 61);
  assert.equal(web.asked.length, 62);
});

test('a slow callback slows the crawl as well, and gets each page once', async () => {
  const web = wide(12);
  let [atOnce, most, reported] = [0, 0, 0];
  const counters = await crawl({
    ...options,
    seeds: ['http://a.test/'],
    fetch: web.fetch,
    concurrency: 2,
    async onPage() {
      most = Math.max(most, ++atOnce);
      await sleep(40);
      reported += 1;
      atOnce -= 1;
    },
  });
  assert.deepEqual([reported, counters.pages], [13, 13]);
  assert.ok(most <= 2 + 1, `${most} at once`);
});

test('a caller that only awaits the end need not read pages', async () => {
  const web = wide(60);
  const counters = await crawl({ ...options, seeds: ['http://a.test/'], fetch: web.fetch, concurrency: 2 });
  assert.equal(counters.pages, 61);
});

test('leaving the loop ends the crawl', async () => {
  const web = wide(60);
  const running = crawl({ ...options, seeds: ['http://a.test/'], fetch: web.fetch, concurrency: 2 });
  for await (const { depth } of running) if (depth === 1) break;
  const { pages } = await running;
  assert.ok(pages < 20, `${pages} pages`);
});

test('an error of a callback ends the crawl: the loop throws it and the promise rejects with it', async () => {
  const web = wide(60);
  const running = crawl({
    ...options,
    seeds: ['http://a.test/'],
    fetch: web.fetch,
    onPage({ depth }) {
      if (depth === 1) throw new Error('that was enough');
    },
  });
  const loop = async () => {
    for await (const _ of running);
  };
  await assert.rejects(loop, /that was enough/);
  await assert.rejects(running, /that was enough/);
  assert.ok(web.asked.length < 61);
});

test('an abort ends the loop, and the promise resolves to the counts so far', async () => {
  const web = wide(60);
  const stop = new AbortController();
  const { signal } = stop;
  const running = crawl({ ...options, seeds: ['http://a.test/'], fetch: web.fetch, concurrency: 1, signal });
  let taken = 0;
  for await (const _ of running) if (++taken === 3) stop.abort();
  assert.equal(taken, 3);
  assert.ok((await running).pages < 20);
});
