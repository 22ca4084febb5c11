/** `fetchAs: firstSpelling`: a site is asked for its pages as its links spell them; what they are known by stays the normal form. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

/** Each spelling is the only one that the site answers. */
const first = ['/item?b=2&a=1', '/twice//slashed', '/e?utm_source=x', '/empty?'];
const normal = ['/item?a=1&b=2', '/twice/slashed', '/e', '/empty'];

test('a site that answers one spelling only is crawled whole, each page once, and named by its normal form', async () => {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    paths.push(url);
    response.setHeader('content-type', url === '/robots.txt' ? 'text/plain' : 'text/html');
    const links = [...first, ...normal].map((to) => `<a href="${to}">x</a>`);
    if (url === '/robots.txt') response.end('User-agent: *\nDisallow: /*utm_source');
    else if (url === '/start?z=1&y=2') response.end(links.join(''));
    else if (first.includes(url)) response.end(`page ${url} <a href="/missing?d&c">x</a>`);
    else response.writeHead(404).end();
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const data = ['--data', file('data')];
  const crawl = ['crawl', `${site}/start?z=1&y=2`, '--allow-private', '--contact', 'me@example.org', '--delay', '0'];
  const done = await runCommand([...crawl, ...data, '--fetch-as', 'firstSpelling']);
  assert.equal(done.code, 0, done.stderr);
  // robots.txt is asked about what would be sent.
  const asked = ['/start?z=1&y=2', '/item?b=2&a=1', '/twice//slashed', '/empty?', '/missing?d&c'];
  assert.deepEqual(paths.filter((path) => path !== '/robots.txt').toSorted(), asked.toSorted());

  const exported = await runCommand(['export', 'urls', ...data]);
  const outcomes = Object.fromEntries(
    exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { url: string; outcome: string })
      .map(({ url, outcome }) => [url.slice(site.length), outcome]),
  );
  assert.deepEqual(outcomes, {
    '/e': 'robotsDenied',
    '/empty': 'fetched',
    '/item?a=1&b=2': 'fetched',
    '/missing?c&d': 'gone',
    '/start?y=2&z=1': 'fetched',
    '/twice/slashed': 'fetched',
  });
  const explained = await runCommand(['explain', `${site}/item?a=1&b=2`, ...data]);
  assert.match(explained.stdout, /^requested as +\S+\/item\?b=2&a=1 \(fetchAs: firstSpelling\)$/m);
  assert.match(explained.stdout, /done: page/);

  // Under another policy it is answered as was recorded, by the normal form.
  await writeFile(file('what.json'), JSON.stringify({ urlsPerLeaseMax: 1 }));
  const other = await runCommand(['what-if', '--policy', file('what.json'), ...data]);
  assert.equal(other.code, 0, other.stderr);
  assert.match(other.stdout, /[1-9]\d* answers as recorded, 0 modelled/);

  // What is asked for once more is asked for in that spelling, and an overlay decides for a part of the web.
  const again = await runCommand(['requeue', '--prefix', `${site}/missing`, ...data]);
  assert.equal(again.code, 0, again.stderr);
  paths.splice(0);
  assert.equal((await runCommand(['crawl', ...crawl.slice(2), ...data])).code, 0);
  assert.deepEqual(
    paths.filter((path) => path !== '/robots.txt'),
    ['/missing?d&c'],
  );
  const overlays = file('overlays.json');
  const overlay = { name: 'items', match: { patterns: ['/item'] }, set: { fetchAs: 'firstSpelling' } };
  await writeFile(overlays, JSON.stringify([overlay]));
  paths.splice(0);
  const seeds = [`${site}/item?b=2&a=1`, `${site}/twice//slashed`];
  const options = [...crawl.slice(2), '--overlays', overlays, '--max-depth', '0'];
  const partly = await runCommand(['crawl', ...seeds, ...options, '--data', file('other')]);
  assert.equal(partly.code, 0, partly.stderr);
  assert.deepEqual(paths.filter((path) => path !== '/robots.txt').toSorted(), ['/item?b=2&a=1', '/twice/slashed']);
});
