import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandOptions, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { metrics } from '../../../../services/runtime/metrics/metrics.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';
import { listening, scrape, untilReady } from '../listening.ts';
import { startSmallWeb } from '../small-web.ts';

test('a crawl with --http is alive, becomes ready, exports its metrics, and ends as without', async () => {
  const small = await startSmallWeb({ hosts: 2, pagesPerHost: 20, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const crawl = startCommand([...small.crawlArguments, '--delay', '100ms', '--data', data, '--http', '0']);
  const url = await listening(crawl);
  assert.equal((await fetch(`${url}/livez`)).status, 200);
  await untilReady(url);
  while (small.web.requests().length < 12) {
    assert.equal(crawl.child.exitCode, null, crawl.output());
    await sleep(20);
  }
  const series = await scrape(url);
  for (const [name, least] of [
    ['crawlstream_ready', 1],
    ['crawlstream_frontier_urls{partition="0",place="page"}', 1],
    ['crawlstream_frontier_hosts_known{partition="0"}', 2],
    ['crawlstream_fetcher_fetches_total{outcome="fetched"}', 1],
    ['crawlstream_fetcher_host_interval_seconds_count', 1],
    ['crawlstream_frontier_commit_seconds_count', 1],
    ['crawlstream_lag_records{group="crawl.frontier",topic="crawl.discovered",partition="0"}', 0],
    ['crawlstream_store_bytes{store="log"}', 1],
    ['process_cpu_seconds_total', 0],
  ] as const) {
    assert.ok((series.get(name) ?? -1) >= least, `${name}: ${series.get(name)}`);
  }
  const granted = [...series].filter(([name]) => name.startsWith('crawlstream_frontier_granted_urls_total{'));
  assert.ok(granted.reduce((sum, [, count]) => sum + count, 0) >= 10, 'what leases were spent on is told');
  // All that the two roles are said to tell is told; of freshness where pages are visited again, of fetchers elsewhere
  // where there are such, of ages where URLs wait, and no otherwise.
  const ofVisits =
    /_(fresh_ratio|page_age_seconds|within_goal_ratio|sitemap_trust_ratio|frontier_fetchers|tasks_waiting|queued_age_seconds)$/;
  const reported = [...series.keys()].map((name) => name.replace(/(_bucket|_sum|_count)?(\{.*)?$/, ''));
  const missing = Object.keys(metrics).filter(
    (name) => /^crawlstream_(frontier|fetcher)_/.test(name) && !ofVisits.test(name) && !reported.includes(name),
  );
  assert.deepEqual(missing, []);
  const ended = await crawl.ended;
  assert.equal(ended.code, 0, ended.stderr);
});

test('the age of queued URLs is reported after a restart: not more than it is, and not less than since the stop', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 40, domains: 1, linksPerPage: 30 });
  const args = [...small.crawlArguments, '--delay', '1s', '--data', join(temporaryFolder(), 'data'), '--http', '0'];
  const beginMs = Date.now();
  const secondsSince = (ms: number) => (Date.now() - ms) / 1_000;
  const begin = async () => {
    const crawl = startCommand(args);
    const url = await listening(crawl);
    await untilReady(url);
    /** What at least one in twenty URLs has waited for; 0: it is not told yet. */
    const age = async () =>
      [...(await scrape(url))].find(([name]) => /_queued_age_seconds\{.*share="0\.95"/.test(name))?.[1] ?? 0;
    return { crawl, age };
  };
  const before = await begin();
  await until(async () => (await before.age()) >= 2);
  before.crawl.child.kill('SIGINT');
  await before.crawl.ended;
  const stoppedMs = Date.now();

  const { crawl, age } = await begin();
  let [least, reported] = [0, 0];
  await until(async () => {
    least = secondsSince(stoppedMs);
    reported = await age();
    return reported > 0;
  });
  assert.ok(reported >= least && reported <= secondsSince(beginMs), `${reported} s, ${least} s after the stop`);
  crawl.child.kill('SIGINT');
  assert.equal((await crawl.ended).code, 130);
});

test('a crawl that listens beyond this machine shows strangers only what is opened by name, and everything with the token', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 20, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const token = 'a-token-of-some-length';
  const env = { ...process.env, CRAWLSTREAM_HTTP_TOKEN: token };
  const given = ['--data', data, '--http', '0.0.0.0:0', '--http-open', 'metrics', '--delay', '200ms'];
  const crawl = startCommand([...small.crawlArguments, ...given], { env });
  const url = await listening(crawl);
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${url}${path}`, { headers })).status;
  assert.deepEqual([await ask('/livez'), await ask('/metrics')], [200, 200]);
  assert.deepEqual([await ask('/hosts'), await ask('/dashboard/data')], [401, 401]);
  const authorization = `Bearer ${token}`;
  await untilReady(url);
  assert.deepEqual(
    [await ask('/hosts', { authorization }), await ask('/dashboard/data', { authorization })],
    [200, 200],
  );
  assert.match(crawl.output(), /the token is sent unencrypted: add --http-cert and --http-key/);
  const ended = await crawl.ended;
  assert.equal(ended.code, 0, ended.stderr);
});

test('an invalid address, a port in use and a guessable token are refused before anything is created', async () => {
  const cwd = temporaryFolder();
  const seed = 'http://127.0.0.1:8/';
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const refused = async (http: string, says: RegExp, options: CommandOptions = {}) => {
    const ended = await runCommand(['crawl', seed, '--http', http], { cwd, ...options });
    assert.match(ended.stderr, says);
    assert.equal(ended.code, 2);
  };
  await refused('here', /^crawlstream: --http "here": give host:port, as in 127.0.0.1:9464/);
  await refused(`${port}`, /^crawlstream: cannot listen on 127.0.0.1:\d+ .*: choose another address or port$/m);
  const env = { ...process.env, CRAWLSTREAM_HTTP_TOKEN: 'short' };
  await refused('0', /^crawlstream: CRAWLSTREAM_HTTP_TOKEN is too short.*at least 16 characters/, { env });
  const pair = await runCommand(['crawl', seed, '--http', '0', '--http-key', 'tls.key'], { cwd });
  assert.match(pair.stderr, /^crawlstream: --http-key without --http-cert: give both, or neither/);
  const missing = await runCommand(['crawl', seed, '--http', '0', '--http-cert', 'a.crt', '--http-key', 'a.key'], {
    cwd,
  });
  assert.match(missing.stderr, /^crawlstream: --http-cert a\.crt: ENOENT/);
  taken.close();
  assert.deepEqual(readdirSync(cwd), []);
});
