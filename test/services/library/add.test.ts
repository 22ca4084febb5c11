/** URLs that are added to a crawl that runs: when they are taken, when they wait, and how that ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CrawlOptions, crawl } from '../../../services/library/index.ts';
import { fakeWeb } from './fake-web.ts';

const options = {
  userAgent: 'tester/1 (+me@example.org)',
  policy: { delayMs: 0, delayFactor: 0, retriesMs: [] },
} satisfies Partial<CrawlOptions>;

const many = (count: number) => Array.from({ length: count }, (_, n) => `http://a.test/${n}`);

test('100,000 URLs wait at a limit of 10, and an abort says why they were not added', async () => {
  const stop = new AbortController();
  // The host never answers: nothing leaves the queue.
  const web = fakeWeb(() => new Promise(() => {}));
  const running = crawl({
    ...options,
    seeds: ['http://a.test/'],
    fetch: web.fetch,
    queueMax: 10,
    signal: stop.signal,
  });
  let isDone = false;
  const added = running.add(many(100_000)).finally(() => {
    isDone = true;
  });
  added.catch(() => {});
  await sleep(1_000);
  assert.equal(isDone, false);
  stop.abort();
  await assert.rejects(added, /^CrawlstreamError: add: the crawl was stopped, so it accepts no more URLs/);
  const { admitted } = await running;
  assert.ok(admitted <= 10, `${admitted} were taken`);
});

test('waiting URLs are added as pages are fetched, and add resolves when all are', async () => {
  // Pages that are alike in their dozens would be a trap.
  const web = fakeWeb((url) => ({ html: `<title>${url}</title>` }));
  const onPage = () => {};
  const running = crawl({ ...options, seeds: ['http://a.test/'], fetch: web.fetch, queueMax: 20, onPage });
  await running.add(many(100));
  assert.ok(web.asked.length > 70, `${web.asked.length} asked for by then`);
  assert.equal((await running).pages, 101);
});

test('a crawl that is kept open stays idle without work, and ends when asked', async () => {
  const web = fakeWeb(() => ({ html: '<title>here</title>' }));
  const scope = { kind: 'all', names: [] } as const;
  const running = crawl({
    ...options,
    policy: { ...options.policy, scope },
    seeds: [],
    fetch: web.fetch,
    keepOpen: true,
  });
  const pages: string[] = [];
  const loop = (async () => {
    for await (const { url } of running) pages.push(url);
  })();
  await sleep(400);
  await running.add(['http://a.test/', 'http://b.test/']);
  await sleep(400);
  await running.add(['http://c.test/', 'http://a.test/']);
  running.end();
  await loop;
  assert.deepEqual(pages.toSorted(), ['http://a.test/', 'http://b.test/', 'http://c.test/']);
  await assert.rejects(
    running.add(['http://d.test/']),
    /^CrawlstreamError: add: .* accepts no more URLs: start another/,
  );
  assert.equal((await running).admitted, 3);
});

test('a URL that the policy refuses is reported by rule, and nothing of its list is added', async () => {
  const web = fakeWeb(() => ({ html: '' }));
  const running = crawl({ ...options, seeds: ['http://a.test/'], fetch: web.fetch, keepOpen: true });
  await assert.rejects(running.add(['http://a.test/1', 'http://elsewhere.test/']), {
    code: 'INVALID_SEED',
    message: /elsewhere\.test\/ is refused by rule scope/,
  });
  await assert.rejects(running.add(['mailto:me']), { code: 'INVALID_SEED' });
  await assert.rejects(running.add('http://a.test/2' as never), { code: 'INVALID_ARGUMENT' });
  running.end();
  assert.equal((await running).admitted, 1);
});

test('a spent page limit ends a crawl that is kept open', async () => {
  const web = fakeWeb(() => ({ html: '' }));
  const policy = { ...options.policy, pageQuota: 2 };
  const running = crawl({ ...options, policy, seeds: many(5), fetch: web.fetch, keepOpen: true });
  assert.equal((await running).pages, 2);
});
