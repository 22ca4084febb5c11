/** Where on a page a link stands, and whether a sitemap named it, decides the order where the policy says so; story tells it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const page = `<!doctype html><header><a href="/h">home</a></header><nav><a href="/n">x</a><a href="/both">x</a></nav>
<main><p><a href="/c">x</a><a href="/both">x</a></p></main><footer><a href="/f">x</a></footer>`;

test('links of content are fetched before those of navigation, and those of the footer last, by the policy’s sources', async () => {
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
  const sources = { content: 1, navigation: 0.5, footer: 0 };
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify({ score: { ...defaultScore, factors: { ...none, source: 1 }, sources } }));
  await run('policy', 'set', file);
  await run('crawl', `${site}/start`, `${site}/`, ...reach);

  assert.deepEqual(paths.slice(0, 2), ['/start', '/']);
  assert.deepEqual(paths.slice(2, 4).sort(), ['/both', '/c']);
  assert.deepEqual(paths.slice(4, 6).sort(), ['/h', '/n']);
  assert.deepEqual(paths.slice(6), ['/f']);
  assert.match(await run('story', `${site}/n`), /found on \S+, in its navigation, depth 1/);
  assert.match(await run('story', `${site}/f`), /in its footer/);
  assert.match(await run('story', `${site}/both`), /in its content/);
  assert.match(await run('explain', `${site}/f`), /front queue +7/);
});

test('an unknown source, or a share that is none, is refused with the field', async () => {
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
