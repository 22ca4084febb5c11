/** The package as others import it, by its name, from what `npm pack` packs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type CrawledPage, crawl, createFrontier } from '../../../services/library/index.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

const pages: Readonly<Record<string, string | { status: number; location?: string }>> = {
  'http://a.test/robots.txt': 'User-agent: *\nDisallow: /private\nCrawl-delay: 0.3',
  'http://a.test/': '<title>Home</title><a href="/1">1</a><a href="/private/x">p</a><a href="/old">o</a>',
  'http://a.test/1':
    '<title>One</title><a href="/">home</a><a href="http://b.a.test/">b</a><a href="http://c.test/">c</a>',
  'http://a.test/old': { status: 301, location: '/new' },
  'http://a.test/new': '<title>New</title>',
  'http://b.a.test/robots.txt': { status: 404 },
  'http://b.a.test/': '<title>B</title><a href="/gone">g</a>',
  'http://b.a.test/gone': { status: 410 },
};

test('a crawl with a custom fetch is polite, in scope, obeys robots.txt and fetches each page once', async () => {
  const asked: { url: string; startMs: number; endMs: number }[] = [];
  const reported: CrawledPage[] = [];
  const counters = await crawl({
    seeds: ['http://a.test/'],
    userAgent: 'tester/1 (+me@example.org)',
    policy: { delayMs: 20, delayFactor: 0, retriesMs: [] },
    fetch: async (url, { headers, redirect }) => {
      assert.deepEqual([headers['user-agent'], redirect], ['tester/1 (+me@example.org)', 'manual']);
      const startMs = performance.now();
      await sleep(5);
      asked.push({ url, startMs, endMs: performance.now() });
      const page = pages[url];
      if (page === undefined) throw new Error('no such host');
      if (typeof page === 'string') return new Response(page, { headers: { 'content-type': 'text/html' } });
      const { status, location } = page;
      return new Response(null, { status, ...(location !== undefined && { headers: { location } }) });
    },
    onPage: (page) => void reported.push(page),
  });
  assert.deepEqual(reported.map(({ title }) => title).sort(), ['B', 'Home', 'New', 'One']);
  assert.deepEqual(asked.map(({ url }) => url).sort(), Object.keys(pages).sort(), 'each once, and nothing else');
  const ofA = asked.filter(({ url }) => url.startsWith('http://a.test/'));
  const gaps = ofA.slice(1).map(({ startMs }, i) => startMs - ofA[i]!.endMs);
  // Before the first page, nobody knows of the Crawl-delay but by its robots.txt; a timer may be a millisecond early.
  assert.ok(Math.min(...gaps.slice(1)) >= 298, `${gaps}`);
  const { admitted, pages: page, redirected, denied, failed, outOfScope } = counters;
  assert.deepEqual(
    { admitted, page, redirected, denied, failed },
    { admitted: 7, page: 4, redirected: 1, denied: 1, failed: 1 },
  );
  assert.equal(outOfScope, 1);
});

test('a frontier alone gives one lease per host, with its delay from completion, and unreported URLs return', () => {
  let nowMs = 5_000;
  const frontier = createFrontier({ clock: { nowMs: () => nowMs }, policy: { delayMs: 1_000, urlsPerLeaseMax: 2 } });
  frontier.add(['http://a.test/1', 'http://a.test/2', 'http://a.test/3', 'http://b.test/', 'http://a.test/1']);
  assert.equal(frontier.counters.admitted, 4);
  const leases = [frontier.next()!, frontier.next()!];
  assert.equal(frontier.next(), null);
  const a = leases.find(({ hostKey }) => hostKey === 'a.test')!;
  assert.equal(a.urls.length, 2);
  nowMs += 500;
  frontier.done(a, [{ index: 0, kind: 'fetched', status: 200 }]);
  assert.equal(frontier.next(), null);
  assert.ok(frontier.waitMs()! >= 500 && frontier.waitMs()! <= 60_000);
  for (let waits = 0; frontier.counters.page < 3; waits++) {
    assert.ok(waits < 20);
    nowMs += frontier.waitMs() ?? 0;
    const lease = frontier.next();
    if (lease?.hostKey !== 'a.test') continue;
    frontier.done(
      lease,
      lease.urls.map((_, index) => ({ index, kind: 'fetched', status: 200 })),
    );
  }
  assert.deepEqual([frontier.counters.page, frontier.counters.queued], [3, 0]);
  assert.throws(() => frontier.add(['mailto:me']), { code: 'INVALID_SEED' });
  assert.throws(() => createFrontier({ policy: { delayMs: -1 } }), { code: 'INVALID_ARGUMENT' });
});

test('the packed package can be imported by name, with its types, from another folder', {
  timeout: 600_000,
}, async () => {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  await mkdir(modules, { recursive: true });
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: root });
  const [packed] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['xzf', packed!], { cwd: folder });
  await rename(join(folder, 'package'), join(modules, 'crawlstream'));
  // What it depends on is what is installed here; the package itself comes from the archive alone.
  for (const name of await readdir(join(root, 'node_modules')))
    if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name));
  const program = `
import { crawl, createFrontier, defaultPolicy, type CrawledPage } from 'crawlstream';
const titles: string[] = [];
const counters = await crawl({
  seeds: ['http://a.test/'],
  userAgent: 'tester/1 (+me@example.org)',
  policy: { ...defaultPolicy(), delayMs: 0, delayFactor: 0, maxDepth: 0 },
  fetch: async (url) => url.endsWith('robots.txt') ? new Response('', { status: 404 })
    : new Response('<title>Home</title>', { headers: { 'content-type': 'text/html' } }),
  onPage: (page: CrawledPage) => { titles.push(page.title); },
});
createFrontier().add(['http://a.test/']);
console.log(titles.join(), counters.pages);
`;
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'program.ts'), program);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--skipLibCheck'];
  await run(process.execPath, [tsc, ...options, 'program.ts'], { cwd: folder });
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder });
  assert.equal(stdout, 'Home 1\n');
});
