/** A crawl whose code of the user's never answers, and which is aborted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrawlOptions, crawl } from '../../../services/library/index.ts';
import { fakeWeb } from './fake-web.ts';

const never = () => new Promise<never>(() => {});
const web = fakeWeb((url) => (url.endsWith('/') ? { html: '<a href="/a">a</a>' } : { html: 'a' }));
const hanging: Readonly<Record<string, Partial<CrawlOptions>>> = {
  onPage: { onPage: never },
  onFailed: { onFailed: never, fetch: async () => new Response('', { status: 404 }) },
  fetch: { fetch: never },
  request: { request: never },
  response: { response: never },
  parse: { parse: { 'text/html': never } },
  page: { page: never },
};

for (const [name, options] of Object.entries(hanging)) {
  test(`a crawl whose ${name} never answers ends within ten seconds of its abort`, { timeout: 30_000 }, async () => {
    const stop = new AbortController();
    const running = crawl({
      userAgent: 'tester/1 (+me@example.org)',
      policy: { delayMs: 0, delayFactor: 0, retriesMs: [] },
      seeds: ['http://a.test/'],
      fetch: web.fetch,
      ...options,
      signal: stop.signal,
    });
    setTimeout(() => stop.abort(), 1_000);
    const late = setTimeout(() => assert.fail('it goes on'), 11_000);
    const counters = await running;
    clearTimeout(late);
    assert.equal(typeof counters.pages, 'number');
  });
}

test('a callback that throws a non-error ends the crawl with an error that says so', async () => {
  for (const thrown of [undefined, null, 'away', Object.create(null)]) {
    const running = crawl({
      userAgent: 'tester/1 (+me@example.org)',
      seeds: ['http://a.test/'],
      fetch: web.fetch,
      onPage() {
        throw thrown;
      },
    });
    await assert.rejects(
      async () => running,
      (error) => error instanceof Error && /which is not an Error/.test(error.message),
    );
  }
});
