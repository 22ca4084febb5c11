/** Tags of seeds: links inherit them over hosts; pages, exports and search keep them; `stats --by tag` counts by them. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('pages carry the tags of their seeds, in exports and over a restart', async () => {
  const server = createServer(({ url = '', headers }, response) => {
    const port = headers.host!.split(':')[1];
    const at = (host: string, path: string) => `<a href="http://${host}.localhost:${port}${path}">x</a>`;
    const links: Record<string, string> = {
      '/a': at('one', '/a1') + at('two', '/two') + at('one', '/moved'),
      '/b': at('one', '/missing'),
      '/c': at('one', '/c1'),
    };
    response.setHeader('content-type', url === '/robots.txt' ? 'text/plain' : 'text/html');
    if (url === '/robots.txt') response.end('');
    else if (url === '/moved') response.writeHead(301, { location: '/moved-to' }).end();
    else if (url === '/missing') response.writeHead(404).end();
    else response.end(`<title>${url.slice(1)} walnut</title>${links[url] ?? ''}`);
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const one = `http://one.localhost:${port}`;
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  await writeFile(file('a.csv'), `url,tags,customer,notes\n${one}/a,"news,legal",acme,\n`);
  await writeFile(file('b.jsonl'), `{"url":"${one}/b","tags":["sport"]}\n`);
  await writeFile(file('c.txt'), `${one}/c\n`);
  const data = ['--data', file('data')];
  const options = [
    '--resolve',
    '*.localhost:127.0.0.1',
    '--allow-private',
    '--contact',
    'me@example.org',
    '--delay',
    '0',
  ];
  const seeds = ['a.csv', 'b.jsonl', 'c.txt'].map(file);
  const more = ['--scope', 'all', '--with', 'index', '--seed-keys', 'customer,notes'];
  const first = await runCommand(['crawl', ...seeds, ...options, ...data, ...more]);
  assert.equal(first.code, 0, first.stderr);

  const acme = ['customer=acme', 'legal', 'news'];
  const pages = await runCommand(['export', 'pages', ...data]);
  const tagsOf = Object.fromEntries(
    linesOf(pages.stdout).map(({ url, tags }) => [new URL(`${url}`).pathname, tags ?? null]),
  );
  assert.deepEqual(tagsOf, {
    '/a': acme,
    '/a1': acme,
    '/b': ['sport'],
    '/c': null,
    '/c1': null,
    '/moved-to': acme,
    '/two': acme,
  });
  const stats = lastJson(await runCommand(['stats', '--by', 'tag', '--json', ...data]));
  assert.deepEqual(
    (stats['groups'] as { tag: string; urls: number; pages: number; outcomes: object }[]).map(
      ({ tag, urls, pages, outcomes }) => [tag, urls, pages, outcomes],
    ),
    [
      ...acme.map((tag) => [tag, 5, 4, { fetched: 4, redirect: 1 }]),
      ['sport', 2, 1, { fetched: 1, gone: 1 }],
      ['', 2, 2, { fetched: 2 }],
    ],
  );
  const hits = await runCommand(['search', 'walnut', '--tag', 'sport', '--json', ...data]);
  assert.deepEqual(
    linesOf(hits.stdout).map(({ url, tags }) => [url, tags]),
    [[`${one}/b`, ['sport']]],
  );
  const { stdout } = await runCommand(['explain', `${one}/a1`, ...data]);
  assert.match(stdout, new RegExp(`^tags +customer=acme, legal, news: inherited from ${one}/a$`, 'm'));

  // A URL that is fetched again has them still.
  const requeued = await runCommand(['requeue', '--prefix', `${one}/missing`, ...data]);
  assert.equal(requeued.code, 0, requeued.stderr);
  const third = await runCommand(['crawl', ...options, ...data]);
  assert.equal(third.code, 0, third.stderr);
  const urls = await runCommand(['export', 'urls', ...data]);
  const missing = linesOf(urls.stdout).find(({ url }) => url === `${one}/missing`);
  assert.deepEqual([missing?.['outcome'], missing?.['tags']], ['gone', ['sport']]);
});
