/** `policy set` in a running crawl: the delay and the schedule in force apply to hosts and pages that wait already. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

const pages = 6;

async function runningCrawl(t: Parameters<typeof serveSite>[0], options: readonly string[]) {
  const times: number[] = [];
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    times.push(performance.now());
    response.setHeader('content-type', 'text/html');
    const links = Array.from({ length: pages }, (_, n) => `<a href="/p/${n}">page ${n}</a>`);
    return response.end(`<title>${url}</title>${url === '/' ? links.join(' ') : `Page ${url}.`}`);
  });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const seed = `http://127.0.0.1:${site.port}/`;
  const crawl = startCommand(['crawl', seed, ...data, '--allow-private', ...options], { patienceMs: 170_000 });
  t.after(() => crawl.child.kill('SIGKILL'));
  const set = async (policy: object) => {
    const file = join(folder, 'policy.json');
    await writeFile(file, JSON.stringify(policy));
    const done = await runCommand(['policy', 'set', file, ...data]);
    assert.equal(done.code, 0, done.stderr);
  };
  return { times, set, crawl, data };
}

async function isReplayed(data: readonly string[]): Promise<void> {
  const replayed = await runCommand(['state', 'verify', ...data]);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
}

test('a host that waits half a minute goes on at once under a policy with a delay of a tenth of a second', {
  timeout: 300_000,
}, async (t) => {
  // The first request is for robots.txt, on the same lease.
  const { times, set, crawl, data } = await runningCrawl(t, ['--delay', '30s']);
  await until(() => times.length === 1);
  await set({ delayMs: 100, delayFactor: 0 });
  await until(() => times.length === pages + 1);
  const tookMs = times[pages]! - times[0]!;
  assert.ok(tookMs < 29_000, `${tookMs} ms for six pages`);
  await crawl.ended;
  await isReplayed(data);
});

test('a host makes no further request within a longer delay, from the completion of the last one on', {
  timeout: 300_000,
}, async (t) => {
  const { times, set, crawl, data } = await runningCrawl(t, ['--delay', '12s']);
  await until(() => times.length === 2);
  await set({ delayMs: 25_000, delayFactor: 0 });
  await until(() => times.length === 3);
  const gapMs = times[2]! - times[1]!;
  assert.ok(gapMs >= 24_990, `${gapMs}`);
  crawl.child.kill('SIGINT');
  await crawl.ended;
  await isReplayed(data);
});

test('pages that wait a month for their next visit are visited again at once under a policy with an interval of a second', {
  timeout: 300_000,
}, async (t) => {
  const options = ['--delay', '50ms', '--recrawl', 'fixed', '--recrawl-every', '30d'];
  const { times, set, crawl, data } = await runningCrawl(t, options);
  await until(() => times.length === pages + 1);
  await set({ recrawl: { ...defaultRecrawl, schedule: 'fixed', intervalMs: 1_000, minMs: 1_000 } });
  await until(() => times.length >= 2 * (pages + 1));
  crawl.child.kill('SIGINT');
  await crawl.ended;
  await isReplayed(data);
});
