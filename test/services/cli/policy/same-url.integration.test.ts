/** What counts as one URL, by the policy: it is asked for once, known by any spelling, and does not change while the crawl lives. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const links = ['/a', '/a/', '/b', '/b?x=', '/c/index.html', '/c/', '/d?ref=home', '/d?source=x', '/d'];

test('spellings in --same-url are one URL to fetcher, frontier, exports and explain, and stay so', async () => {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    if (url !== '/robots.txt') paths.push(url);
    response.setHeader('content-type', url === '/robots.txt' ? 'text/plain' : 'text/html');
    // It insists on a slash.
    if (url === '/a') response.writeHead(301, { location: '/a/' }).end();
    else if (url === '/robots.txt') response.end('');
    else response.end(url === '/' ? links.map((to) => `<a href="${to}">x</a>`).join('') : `page ${url}`);
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const crawl = ['crawl', `${site}/`, '--allow-private', '--contact', 'me@example.org', '--delay', '0', ...data];
  const first = await runCommand([...crawl, '--same-url', 'slash,empty,index,ref', '--json']);
  assert.equal(first.code, 0, first.stderr);
  assert.equal(lastJson(first)['pages'], 5);
  assert.deepEqual(paths.toSorted(), ['/', '/a', '/a/', '/b', '/c', '/d']);

  const exported = await runCommand(['export', 'pages', '--format', 'jsonl', ...data]);
  const urls = exported.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { url: string }).url);
  assert.deepEqual(
    urls.toSorted(),
    ['/', '/a', '/b', '/c', '/d'].map((path) => site + path),
  );
  for (const path of ['/a/', '/b?x=', '/c/index.html', '/d?ref=home']) {
    const { stdout } = await runCommand(['explain', site + path, ...data]);
    assert.match(stdout, /done: page/, `${path}: ${stdout}`);
  }
  assert.match((await runCommand(['explain', `${site}/a/`, ...data])).stdout, /trailingSlash/);

  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify({ normalize: { indexPages: false } }));
  const set = await runCommand(['policy', 'set', file, ...data]);
  assert.equal(set.code, 2, set.stdout);
  assert.match(
    set.stderr,
    /policy\.normalize\.indexPages: this field decides which URLs count as the same.*start a new crawl/,
  );
  const other = await runCommand([...crawl, '--same-url', 'www']);
  assert.equal(other.code, 2, other.stdout);
  assert.match(other.stderr, /policy\.normalize\.www/);
  assert.match(
    (await runCommand([...crawl, '--same-url', 'http,https'])).stderr,
    /give the scheme to use for requests/,
  );

  const purged = await runCommand(['purge', `${site}/c/index.html`, ...data, '--json']);
  assert.equal(purged.code, 0, purged.stderr);
  assert.equal((lastJson(purged)['purged'] as { url: string }).url, `${site}/c`);
});
