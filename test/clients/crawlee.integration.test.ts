/** Crawlee crawls a synthetic web by leases of ours, over real sockets, judged by the servers. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import type { WebOptions } from '../../lab/web/options.ts';
import { type Death, fetchedAgain, tasksIn } from '../services/cli/fetched-again.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { assertFlawless, printedPages, startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { crawleeModules, crawleeProject, runCrawler } from './crawlee-run.ts';

const crawler = fileURLToPath(new URL('site-crawler.mjs', import.meta.url));
const delayMs = 40;
/** Below those that the system gives to anybody: it is stopped, and started again. */
const port = 23_719;
crawleeModules();

interface Called {
  readonly url: string;
  readonly parent: string;
  readonly crawlDepth: number;
  readonly retryCount: number;
  readonly status: number;
  readonly session: string;
}

function linesOf<T>(file: string): T[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

async function startCrawl(web: Partial<WebOptions> = {}) {
  const folder = temporaryFolder();
  const usual = { preset: 'plain', naming: 'addresses', hosts: 6, pagesPerHost: 12, domains: 3, seed: 9 } as const;
  const small = await startSmallWeb({ ...usual, ...web });
  const data = join(folder, 'data');
  const flags = ['--delay', `${delayMs}ms`, '--retries', '0.1s,0.1s,0.1s', '--address-delay', '0', '--allow-private'];
  const asked = ['--clients', 'only', '--http', `127.0.0.1:${port}`, '--data', data, '--contact', 'me@example.org'];
  let crawl: Running;
  const start = async () => {
    crawl = startCommand(['crawl', ...asked, ...flags]);
    await untilReady(await listening(crawl));
  };
  await start();
  const [called, failed] = [join(folder, 'called'), join(folder, 'failed')];
  const env = {
    SEEDS: JSON.stringify(small.seeds),
    CALLED: called,
    FAILED: failed,
    CRAWLSTREAM_URL: `http://127.0.0.1:${port}`,
  };
  return {
    ...{ small, data, env, start },
    called: () => linesOf<Called>(called),
    failed: () => linesOf<{ url: string; why: string }>(failed),
    kill: async () => {
      crawl.child.kill('SIGKILL');
      await crawl.ended;
    },
    stop: async () => {
      crawl.child.kill('SIGINT');
      const { code, stderr } = await crawl.ended;
      assert.equal(code, 130, stderr);
      const audit = await runCommand(['audit', '--data', data]);
      assert.equal(audit.code, 0, audit.stdout + audit.stderr);
    },
  };
}

test('an unchanged Crawlee crawler works: labels, userData, depths and sessions are Crawlee’s; each page once, politely', async () => {
  const { small, data, env, called, failed, stop } = await startCrawl();
  const run = runCrawler(crawleeProject(), crawler, env);
  assert.equal(await run.ended, 0, run.output());
  await stop();
  assertFlawless(small.check({ delayMs, sitemaps: false }));
  const handled = called();
  assert.deepEqual(handled.map(({ url }) => url).sort(), await printedPages(data), run.output());
  for (const { url, parent, crawlDepth } of handled) {
    assert.equal(parent === 'seed', small.seeds.includes(url), url);
    assert.equal(parent === 'seed', crawlDepth === 0, url);
  }
  assert.ok(new Set(handled.map(({ session }) => session)).size > 1, 'sessions are rotated');
  assert.deepEqual(failed(), []);
});

test('crawler and crawl survive kill -9: nothing is lost, and no page is repeated except those that died with one of them', async (t) => {
  const { small, data, env, called, failed, start, kill, stop } = await startCrawl({ pagesPerHost: 24 });
  const project = crawleeProject();
  // A killed crawler's hosts wait so long. On a busy machine, a shorter lease runs out beside a crawler that lives.
  const killed = { ...env, LEASE_SECONDS: '6' };
  let run = runCrawler(project, crawler, killed);
  const until = async (handlers: number) => {
    while (called().length < handlers) {
      assert.equal(run.child.exitCode, null, run.output());
      await sleep(10);
    }
  };
  const deaths: Death[] = [];
  for (const [handlers, whom] of [
    [5, 'crawler'],
    [20, 'crawl'],
    [40, 'crawler'],
    [60, 'crawl'],
    [80, 'crawler'],
  ] as const) {
    await until(handlers);
    if (whom === 'crawl') {
      await kill();
      const deadMs = Date.now();
      await start();
      deaths.push({ deadMs, backMs: Date.now() });
      continue;
    }
    run.child.kill('SIGKILL');
    await run.ended;
    deaths.push({ deadMs: Date.now() });
    run = runCrawler(project, crawler, killed);
  }
  assert.equal(await run.ended, 0, run.output());
  await stop();
  const report = small.check({ delayMs, sitemaps: false, abortToleranceMs: 25 });
  const { shortGaps, concurrency, missing, unexpected, robotsViolations } = report;
  for (const { count, details } of [shortGaps, concurrency, missing, unexpected, robotsViolations])
    assert.equal(count, 0, details.join('; '));
  const again = fetchedAgain(small.plan, [...small.web.requests()], await tasksIn(data), deaths);
  assert.deepEqual(again.wrong, [], 'a kill costs what was in work, of each host a lease at most');
  const urls = new Set(called().map(({ url }) => url));
  assert.deepEqual([...urls].sort(), await printedPages(data));
  assert.deepEqual(failed(), []);
  t.diagnostic(`${urls.size} pages, fetched again ${again.pages.join(', ')}, of one host ${again.mostOfOneHost}`);
});

test('redirects, failures, robots.txt and Crawl-delays follow the frontier', async () => {
  const web = { preset: 'full', sitemaps: 0, crawlDelays: 0.3, crawlDelayMs: 120, slowMs: 40, hosts: 8 } as const;
  const { small, data, env, called, stop } = await startCrawl({ ...web, pagesPerHost: 14 });
  const run = runCrawler(crawleeProject(), crawler, { ...env, LEASE_SECONDS: '5' });
  assert.equal(await run.ended, 0, run.output());
  await stop();
  const report = small.check({ delayMs, sitemaps: false });
  const { shortGaps, concurrency, robotsViolations, duplicates, unexpected } = report;
  for (const { count, details } of [shortGaps, concurrency, robotsViolations, duplicates, unexpected])
    assert.equal(count, 0, details.join('; '));
  const fetched = called().filter(({ status }) => status === 200);
  const urls = fetched.map(({ url }) => url);
  assert.equal(new Set(urls).size, urls.length);
  const pages = await printedPages(data);
  assert.deepEqual(
    urls.filter((url) => !pages.includes(url)),
    [],
  );
  for (const kind of ['3', '4', '5'])
    assert.ok(
      Object.keys(report.statuses).some((status) => status.startsWith(kind)),
      `there were ${kind}xx`,
    );
  assert.ok(
    called().some(({ status }) => status === 404),
    'handlers are called for what is not there',
  );
});
