import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, type Running, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { assertFlawless, printedPages, type SmallWeb, startSmallWeb } from '../small-web.ts';
import { reachable } from './reachable.ts';

const newFolder = () => join(temporaryFolder(), 'data');
const expectedPages = ({ plan, port }: SmallWeb) => [...plan.expected(port).fetch].sort();

/** Where an admitted URL can be; together they are all admitted ones. */
const places = ['pages', 'queued', 'leased', 'deferred', 'redirected', 'denied', 'failed', 'deadLettered'] as const;

function assertAddsUp(counts: Record<string, unknown>): void {
  const sum = places.reduce((total, place) => total + (counts[place] as number), 0);
  assert.equal(counts['admitted'], sum, JSON.stringify(counts));
  const refused = ['duplicates', 'outOfScope', 'tooDeep', 'filtered', 'invalid'].map((name) => counts[name] as number);
  assert.equal(
    counts['discovered'],
    refused.reduce((a, b) => a + b, counts['admitted'] as number),
  );
}

/** Polls `stats` of a running crawl until it shows so many pages. */
async function untilPages(running: Running, data: string, pages: number): Promise<Record<string, unknown>> {
  for (;;) {
    assert.equal(running.child.exitCode, null, `ended too early: ${running.output()}`);
    const ended = await runCommand(['stats', '--data', data, '--json']);
    if (ended.code === 0 && (lastJson(ended)['pages'] as number) >= pages) return lastJson(ended);
    await sleep(50);
  }
}

test('a whole crawl fetches every linked or listed, allowed page once, keeps every delay, and reports consistent counts', async () => {
  const web = { hosts: 24, pagesPerHost: 15, crawlDelayMs: 60, slowMs: 40, sitemapOnly: 0.2 };
  const small = await startSmallWeb({ preset: 'full', ...web });
  const data = newFolder();
  const args = [...small.crawlArguments, '--delay', '20ms', '--retries', '0.2s,0.5s,1s', '--data', data, '--json'];
  const ended = await runCommand(args);
  assert.equal(ended.code, 0, ended.stderr);
  assertFlawless(small.check({ delayMs: 20 }));

  const { seconds, ...counts } = lastJson(ended);
  assertAddsUp(counts);
  const { redirects, failures } = small.plan.expected(small.port);
  assert.equal(counts['pages'], expectedPages(small).length);
  assert.equal(counts['queued'], 0);
  assert.equal(counts['hosts'], 24);
  assert.ok((counts['redirected'] as number) >= redirects.size);
  assert.ok((counts['failed'] as number) + (counts['deadLettered'] as number) >= failures.size / 2);
  assert.equal(counts['fetches'], small.web.requests().length);
  assert.equal(counts['end'], 'done');
  assert.ok((seconds as number) > 0);
  assert.match(ended.stderr, /The crawl is done/);

  assert.deepEqual(await printedPages(data), expectedPages(small));
  assert.deepEqual(lastJson(await runCommand(['stats', '--data', data, '--json'])), counts);
  assert.match((await runCommand(['stats', '--data', data])).stdout, /the crawl is done/);

  const requests = small.web.requests().length;
  const again = await runCommand(args);
  assert.equal(again.code, 0, again.stderr);
  const { seconds: secondsAgain, ...countsAgain } = lastJson(again);
  assert.deepEqual(countsAgain, counts, 'the same command after the end changes nothing');
  assert.ok((secondsAgain as number) < 2, `and ends at once, not after ${secondsAgain} s`);
  assert.equal(small.web.requests().length, requests);
});

test('without --json the report is printed, and says how to read the pages', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 3, domains: 1 });
  const data = newFolder();
  const { code, stdout, stderr } = await runCommand([...small.crawlArguments, '--delay', '0', '--data', data]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^The crawl is done after 00:00:\d\d .*\n {2}pages fetched +3\n/);
  assert.ok(stdout.includes(` pages --data ${data}\n`));
});

test('pages and stats can be read while the crawl runs', async (t) => {
  // Each page leads to one more of its chain, until all has been asked: however fast it is, the crawl doesn't end before.
  const chains = 20;
  let isEndless = true;
  const { port } = await serveSite(t, ({ url }, response) => {
    const [, page] = /^\/(\d*)$/.exec(url!) ?? [];
    const next = page === '' ? Array.from({ length: chains }, (_, i) => i) : [Number(page) + chains];
    const links = isEndless ? next.map((one) => `<a href="/${one}">${one}</a>`) : [];
    response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': 'text/html' }).end(links.join(''));
  });
  const data = newFolder();
  const flags = ['--allow-private', '--no-traps', '--delay', '20ms', '--data', data, '--json'];
  const running = startCommand(['crawl', `http://127.0.0.1:${port}/`, ...flags], { patienceMs: 300_000 });
  const counts = await untilPages(running, data, 10);
  assertAddsUp(counts);
  assert.equal(counts['end'], null);
  const printed = await printedPages(data);
  assert.equal(running.child.exitCode, null, 'the crawl was still running');
  assert.ok(printed.length >= 10, `${printed.length} pages`);
  isEndless = false;
  const ended = await running.ended;
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(lastJson(ended)['end'], 'done');
  const all = new Set(await printedPages(data));
  assert.equal(all.size, lastJson(ended)['pages']);
  assert.ok(printed.every((url) => all.has(url)));
});

test('--max-pages ends with exactly that many pages, and a larger number continues from there', async () => {
  const small = await startSmallWeb({ hosts: 8, pagesPerHost: 20, domains: 2 });
  const data = newFolder();
  for (const [partitions, pages] of [
    [3, 37],
    [3, 90],
    [3, 1000],
  ] as const) {
    const wanted = ['--delay', '0', '--partitions', `${partitions}`, '--max-pages', `${pages}`, '--data', data];
    const ended = await runCommand([...small.crawlArguments, ...wanted, '--json']);
    assert.equal(ended.code, 0, ended.stderr);
    const counts = lastJson(ended);
    assertAddsUp(counts);
    assert.equal(counts['pages'], Math.min(pages, 160));
    assert.equal(counts['end'], pages < 160 ? 'quotaSpent' : 'done');
    assert.equal((await printedPages(data)).length, Math.min(pages, 160));
  }
  assertFlawless(small.check({ delayMs: 0 }));
});

test('--max-depth, --scope, --include and --exclude fetch only what they allow and count the rest', async () => {
  const small = await startSmallWeb({ hosts: 9, pagesPerHost: 25, domains: 3 });
  const { plan, port } = small;
  const site = (url: string) => new URL(url).hostname.split('.').slice(-2).join('.');
  const cases = [
    { flags: ['--max-depth', '0', '--scope', 'all'], limits: { maxDepth: 0 }, refused: 'tooDeep' },
    { flags: ['--max-depth', '2', '--scope', 'all'], limits: { maxDepth: 2 }, refused: 'tooDeep' },
    { flags: [], limits: { admits: (url: string) => site(url) === 'site0.test' }, refused: 'outOfScope' },
    { flags: ['--scope', 'host'], limits: { admits: (url: string) => url.includes('h000.') }, refused: 'outOfScope' },
    {
      flags: ['--scope', 'all', '--include', '/$', '--include', '/p/'],
      limits: { admits: (url: string) => /\/$|\/p\//.test(url) },
      refused: 'filtered',
    },
    {
      flags: ['--scope', 'all', '--exclude', 'item', '--exclude', '~docs'],
      limits: { admits: (url: string) => !/item|~docs/.test(url) },
      refused: 'filtered',
    },
  ];
  const oneCase = async ({ flags, limits, refused }: (typeof cases)[number]) => {
    const data = newFolder();
    const resolve = ['--resolve', `*.test:${port}:127.0.0.1`, '--delay', '0'];
    const ended = await runCommand(['crawl', small.seeds[0]!, ...resolve, ...flags, '--data', data, '--json']);
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(await printedPages(data), reachable(plan, port, limits), flags.join(' '));
    const counts = lastJson(ended);
    assertAddsUp(counts);
    for (const rule of ['tooDeep', 'outOfScope', 'filtered']) {
      assert.equal((counts[rule] as number) > 0, rule === refused, `${flags.join(' ')}: ${rule} ${counts[rule]}`);
    }
  };
  await Promise.all(cases.map(oneCase));
});

test('four partitions fetch the same pages as one', async () => {
  const small = await startSmallWeb({
    preset: 'full',
    hosts: 24,
    pagesPerHost: 12,
    crawlDelayMs: 40,
    slowMs: 20,
    seed: 3,
  });
  const data = newFolder();
  const flags = ['--delay', '10ms', '--retries', '0.1s,0.2s', '--partitions', '4', '--data', data, '--json'];
  const ended = await runCommand([...small.crawlArguments, ...flags]);
  assert.equal(ended.code, 0, ended.stderr);
  assertAddsUp(lastJson(ended));
  assertFlawless(small.check({ delayMs: 10 }));
  assert.deepEqual(await printedPages(data), expectedPages(small));
  // The folder knows how many it has.
  assert.deepEqual(
    lastJson(await runCommand(['stats', '--data', data, '--json']))['pages'],
    expectedPages(small).length,
  );
});

test('Ctrl-C drains, says how to resume, and the same command completes without fetching a page twice', async () => {
  const small = await startSmallWeb({ hosts: 8, pagesPerHost: 20, domains: 2, slow: 0.3, slowMs: 100 });
  const data = newFolder();
  const args = [...small.crawlArguments, '--delay', '25ms', '--partitions', '2', '--data', data, '--json'];
  const running = startCommand(args);
  while (small.web.requests().length < 50) await sleep(10);
  running.child.kill('SIGINT');
  const ended = await running.ended;
  assert.equal(ended.code, 130, ended.stderr);
  assert.match(ended.stderr, /stopping: finishing requests under way/);
  assert.match(ended.stderr, /resume: +node \S+ crawl --data \S+$/m);
  const counts = lastJson(ended);
  assert.equal(counts['end'], 'stopped');
  assertAddsUp(counts);
  assert.ok((counts['pages'] as number) < 160);
  assert.equal((await printedPages(data)).length, counts['pages']);

  const resumed = await runCommand(args);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(lastJson(resumed)['pages'], 160);
  assertFlawless(small.check({ delayMs: 25 }));
  assert.deepEqual(await printedPages(data), expectedPages(small));
});

test('a Bloom filter that is too small misses pages, estimates how many, and a later start does not find them', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 20, pagesPerHost: 100 });
  const data = newFolder();
  const args = [...small.crawlArguments, '--delay', '0', '--data', data, '--json'];
  const bloom = await runCommand([...args, '--seen', 'bloom', '--seen-urls', '400', '--seen-errors', '0.2']);
  assert.equal(bloom.code, 0, bloom.stderr);
  const counts = lastJson(bloom);
  assertAddsUp(counts);
  assert.ok((counts['pages'] as number) < expectedPages(small).length);
  // Measured on every 16th new URL.
  assert.ok((counts['seenErrors'] as number) > 0);
  const again = await runCommand(args);
  assert.equal(lastJson(again)['pages'], counts['pages']);
});
