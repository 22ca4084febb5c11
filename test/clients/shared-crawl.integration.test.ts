/** Scrapy, Crawlee, a client by HTTP, one by gRPC and our own fetcher share a frontier: over real sockets, judged by the servers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFlawless, printedPages, startSmallWeb } from '../services/cli/small-web.ts';
import { crawlTogether } from './shared-crawl.ts';

test('five crawlers share one web: no host is contacted before its delay, no page is fetched twice, the audit is clean', async (t) => {
  const delayMs = 40;
  const web = { preset: 'plain', naming: 'addresses', hosts: 12, pagesPerHost: 30, domains: 4, seed: 9 } as const;
  const small = await startSmallWeb(web);
  const { data, by } = await crawlTogether(small.seeds, small.seeds, ['--delay', `${delayMs}ms`]);
  assertFlawless(small.check({ delayMs, sitemaps: false }));
  const theirs = Object.values(by).flat();
  assert.equal(new Set(theirs).size, theirs.length, 'each by one of them');
  const pages = await printedPages(data);
  assert.deepEqual(
    theirs.filter((url) => !pages.includes(url)),
    [],
  );
  const counts = Object.entries(by).map(([who, urls]) => [who, urls.length] as const);
  t.diagnostic(`${pages.length} pages: ${counts.join('; ')}; ${pages.length - theirs.length} by our own fetcher`);
  for (const [who, count] of counts) assert.ok(count > 0, `${who} fetched none`);
  assert.ok(pages.length > theirs.length, 'our own fetcher fetched none');
});
