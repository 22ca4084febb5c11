/** Scrapy crawls a synthetic web by leases of ours, over real sockets, judged by the servers. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LeaseClient } from '../../clients/typescript/lease-client.ts';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import type { WebOptions } from '../../lab/web/options.ts';
import { pagePath } from '../../lab/web/resources.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { assertFlawless, printedPages, startSmallWeb } from '../services/cli/small-web.ts';
import { fetcherOf } from '../services/extras/lending/fetcher-of.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { calledIn, runSpider, scrapyPython } from './scrapy-run.ts';

const spider = fileURLToPath(new URL('crawl-spider.py', import.meta.url));
const delayMs = 40;
// Its making takes a minute, and holds up everything here.
scrapyPython();

async function startCrawl(how: 'only' | 'beside', pagesPerHost = 12, web: Partial<WebOptions> = {}) {
  const folder = temporaryFolder();
  const options = {
    preset: 'plain',
    naming: 'addresses',
    hosts: 6,
    pagesPerHost,
    domains: 3,
    seed: 9,
    ...web,
  } as const;
  const small = await startSmallWeb(options);
  const data = join(folder, 'data');
  const flags = ['--delay', `${delayMs}ms`, '--retries', '0.1s,0.1s,0.1s', '--address-delay', '0', '--allow-private'];
  const asked = ['--clients', how, '--http', '0', '--data', data, '--contact', 'me@example.org', ...flags];
  const crawl = startCommand(['crawl', ...asked]);
  const base = await listening(crawl);
  await untilReady(base);
  const called = join(folder, 'called');
  const env = { SEEDS: JSON.stringify(small.seeds), CALLED: called };
  const stop = async () => {
    crawl.child.kill('SIGINT');
    const { code, stderr } = await crawl.ended;
    assert.equal(code, 130, stderr);
    const audit = await runCommand(['audit', '--data', data]);
    assert.equal(audit.code, 0, audit.stdout + audit.stderr);
  };
  return { small, data, base, env, called, stop };
}

test('a spider’s callbacks, meta, cookies and depths equal those of Scrapy alone; each page is called back once, politely', async () => {
  const { small, data, base, env, called, stop } = await startCrawl('only');
  const run = runSpider(spider, env, { CRAWLSTREAM_URL: base });
  assert.equal(await run.ended, 0, run.output());
  assert.match(run.output(), /'finish_reason': 'finished'/);
  await stop();
  assertFlawless(small.check({ delayMs, sitemaps: false }));
  const callbacks = calledIn(called);
  const urls = callbacks.map(({ url }) => url).sort();
  assert.deepEqual(urls, await printedPages(data));
  for (const { url, parent } of callbacks) assert.equal(parent === 'seed', small.seeds.includes(url), url);
});

test('a spider that is killed continues: every callback once, except those that died with it', async () => {
  const { small, data, base, env, called, stop } = await startCrawl('only');
  const settings = { CRAWLSTREAM_URL: base, CRAWLSTREAM_LEASE_SECONDS: '2' };
  const kills = [4, 16, 30];
  for (const callbacks of kills) {
    const run = runSpider(spider, env, settings);
    while (calledIn(called).length < callbacks) {
      assert.equal(run.child.exitCode, null, run.output());
      await sleep(10);
    }
    run.child.kill('SIGKILL');
    await run.ended;
  }
  const last = runSpider(spider, env, settings);
  assert.equal(await last.ended, 0, last.output());
  await stop();
  const report = small.check({ delayMs, sitemaps: false, abortToleranceMs: 25 });
  const { shortGaps, concurrency, missing, unexpected, robotsViolations } = report;
  for (const { count, details } of [shortGaps, concurrency, missing, unexpected, robotsViolations])
    assert.equal(count, 0, details.join('; '));
  const urls = calledIn(called).map(({ url }) => url);
  // A callback that was over when its spider was killed may not have been told yet: at most what was in work then.
  const again = urls.length - new Set(urls).size;
  assert.ok(again <= kills.length * small.plan.hosts.length, `${again} callbacks twice`);
  assert.deepEqual([...new Set(urls)].sort(), await printedPages(data));
});

test('two spiders, a client and our own fetcher share one crawl: no page twice, no gap under the delay', async (t) => {
  const { small, data, base, env, called, stop } = await startCrawl('beside', 40);
  const [first, second] = [1, 2].map(() => runSpider(spider, env, { CRAWLSTREAM_URL: base, CONCURRENT_REQUESTS: '2' }));
  const client = new LeaseClient(base);
  const fetched: string[] = [];
  const fetchUrl = fetcherOf(small.port);
  while (calledIn(called).length < 4) await sleep(10);
  const seeded = runCommand(['inject', ...small.seeds.map((url) => new URL(pagePath(30), url).href), '--data', data]);
  await Promise.all([
    first!.ended,
    second!.ended,
    seeded,
    client.work(
      (leased) => {
        fetched.push(leased.url);
        return fetchUrl(leased);
      },
      { concurrency: 1 },
    ),
  ]);
  await stop();
  assertFlawless(small.check({ delayMs, sitemaps: false }));
  const urls = calledIn(called).map(({ url }) => url);
  assert.equal(new Set([...urls, ...fetched]).size, urls.length + fetched.length, 'each by one of them');
  const pages = await printedPages(data);
  const ours = pages.length - urls.length - fetched.length;
  t.diagnostic(
    `${pages.length} pages: ${urls.length} by spiders, ${fetched.length} by a client, ${ours} by our own fetcher`,
  );
  assert.ok(urls.length > 0 && ours > 0);
});

test('redirects, failures, robots.txt and Crawl-delays follow the frontier', async () => {
  const web = { preset: 'full', sitemaps: 0, crawlDelays: 0.3, crawlDelayMs: 120, slowMs: 40, hosts: 8 } as const;
  const { small, data, base, env, called, stop } = await startCrawl('only', 14, web);
  const run = runSpider(spider, env, { CRAWLSTREAM_URL: base, CRAWLSTREAM_LEASE_SECONDS: '5' });
  assert.equal(await run.ended, 0, run.output());
  await stop();
  const report = small.check({ delayMs, sitemaps: false });
  const { shortGaps, concurrency, robotsViolations, duplicates, unexpected } = report;
  for (const { count, details } of [shortGaps, concurrency, robotsViolations, duplicates, unexpected])
    assert.equal(count, 0, details.join('; '));
  const urls = calledIn(called).map(({ url }) => url);
  assert.equal(new Set(urls).size, urls.length);
  const pages = await printedPages(data);
  // Scrapy calls nobody back for what is no text, or has no links in its way.
  assert.deepEqual(
    urls.filter((url) => !pages.includes(url)),
    [],
  );
  assert.ok(
    Object.keys(report.statuses).some((status) => status.startsWith('3')),
    'there were redirects',
  );
  assert.ok(
    Object.keys(report.statuses).some((status) => status.startsWith('5')),
    'there were failures',
  );
});
