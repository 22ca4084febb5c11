/** Where on a page a link stands, and how many name it while it waits, decides the order where the policy says so; story tells it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

/** Elements alone say where a link stands: of the two that are marked by role and class, nothing is known. */
const page = `<!doctype html><div role="contentinfo"><a href="/role">x</a></div><div class="footer"><a href="/class">x</a></div><header><a href="/h">home</a></header><nav><a href="/n">x</a><a href="/both">x</a></nav>
<main><p><a href="/c">x</a><a href="/both">x</a></p></main><footer><a href="/f">x</a></footer>`;

test('links in content are fetched before those in navigation, and those in the footer last; roles and classes do not count', async () => {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    if (url !== '/robots.txt') paths.push(url);
    response.setHeader('content-type', url === '/robots.txt' ? 'text/plain' : 'text/html');
    response.end(url === '/robots.txt' ? '' : url === '/' ? page : 'nothing');
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand([...args, ...data]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const reach = ['--allow-private', '--contact', 'me@example.org', '--delay', '0'];
  await run('crawl', `${site}/start`, ...reach);
  const { factors } = defaultScore;
  const none = Object.fromEntries(Object.keys(factors).map((name) => [name, 0])) as unknown as typeof factors;
  const sources = { content: 1, navigation: 0.5, footer: 0, link: 0.75 };
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify({ score: { ...defaultScore, factors: { ...none, source: 1 }, sources } }));
  await run('policy', 'set', file);
  await run('crawl', `${site}/start`, `${site}/`, ...reach);

  assert.deepEqual(paths.slice(0, 2), ['/start', '/']);
  assert.deepEqual(paths.slice(2, 4).sort(), ['/both', '/c']);
  assert.deepEqual(paths.slice(4, 6).sort(), ['/class', '/role']);
  assert.deepEqual(paths.slice(6, 8).sort(), ['/h', '/n']);
  assert.deepEqual(paths.slice(8), ['/f']);
  assert.match(await run('story', `${site}/n`), /found on \S+, in its navigation, depth 1/);
  assert.match(await run('story', `${site}/f`), /in its footer/);
  assert.match(await run('story', `${site}/both`), /in its content/);
  assert.match(await run('story', `${site}/role`), /found on \S+, depth 1/);
  assert.match(await run('explain', `${site}/f`), /front queue +7/);
});

test('a waiting URL moves forward as other pages name it, and none moves back', { timeout: 600_000 }, async (t) => {
  const referrers = Array.from({ length: 12 }, (_, n) => `b${n}.test`);
  const paths = (name: string) => Array.from({ length: 30 }, (_, n) => `/${name}/${n}`);
  const asked = (host: string) => site.hits.filter((hit) => hit.host === host && hit.path !== '/robots.txt');
  const site = await serveSite(t, async ({ url = '/' }, response, host) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    // They wait until the frontier has heard of all that name it: a page is asked for whose link came with that.
    if (url === '/wanted/0') await until(() => referrers.every((one) => asked(one).length > 1));
    const naming = url === '/' && host !== 'a.test' ? ['/next', site.url('a.test', '/star')] : [];
    const links = url === '/all' ? [...paths('plain'), '/star'] : naming;
    return response.end(links.map((link) => `<a href="${link}">x</a>`).join(' '));
  });
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const run = async (...args: string[]) => {
    const { code, stderr } = await runCommand([...args, '--data', file('data')]);
    assert.equal(code, 0, stderr);
  };
  const reach = ['--resolve', `*.test:${site.port}:127.0.0.1`, '--contact', 'me@example.org', '--delay', '100ms'];
  await run('crawl', site.url('a.test', '/start'), ...reach);
  const { factors, scales } = defaultScore;
  const none = Object.fromEntries(Object.keys(factors).map((name) => [name, 0])) as unknown as typeof factors;
  const score = { ...defaultScore, factors: { ...none, inLinks: 1 }, scales: { ...scales, inLinksMost: 3 } };
  await writeFile(file('policy.json'), JSON.stringify({ score, urlsPerLeaseMax: 1 }));
  await run('policy', 'set', file('policy.json'));
  // Nobody links to what is wanted: by its score it would wait behind all others.
  const seeds = [['/all', 0] as const, ...paths('wanted').map((path) => [path, 1] as const)];
  const lines = seeds.map(([path, priority]) => `${site.url('a.test', path)}\tpriority=${priority}\n`);
  await writeFile(file('seeds.tsv'), [...lines, ...referrers.map((host) => `${site.url(host, '/')}\n`)].join(''));
  await run('crawl', site.url('a.test', '/start'), file('seeds.tsv'), ...reach);

  const order = asked('a.test').map(({ path }) => path);
  assert.deepEqual([order.slice(0, 2), order.length], [['/start', '/all'], 63]);
  const [star, lastWanted] = [order.indexOf('/star'), order.findLastIndex((path) => path.startsWith('/wanted/'))];
  assert.ok(star < lastWanted, `named by all, it came as number ${star} of ${order.length}`);
  assert.ok(lastWanted < order.findIndex((path) => path.startsWith('/plain/')), 'what is wanted kept its place');
});

test('an unknown source, or an invalid share, is refused with the field', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'policy.json');
  for (const [sources, says] of [
    [{ sidebar: 1 }, /score\.sources/],
    [{ footer: 2 }, /score\.sources\.footer/],
  ] as const) {
    await writeFile(file, JSON.stringify({ score: { ...defaultScore, sources } }));
    const { code, stderr } = await runCommand(['policy', 'set', file, '--data', join(folder, 'none')]);
    assert.notEqual(code, 0);
    assert.match(stderr, says);
  }
});
