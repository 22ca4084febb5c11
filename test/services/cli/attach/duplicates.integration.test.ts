/** Articles on two domains, with other menus on each: summary, `stats`, `export` and `duplicates` show the copies. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { proseOf } from '../../../../lab/pages/prose.ts';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const articles = 12;

test('a crawl with dedup shows the articles that two domains share, whatever their menus', async (t) => {
  const site = await serveSite(t, ({ url = '/', headers }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const host = headers.host ?? '';
    const isFirst = host.startsWith('one.');
    const menu = proseOf(isFirst ? 1 : 2, 40);
    const [, number = ''] = url.split('/');
    const links = Array.from({ length: articles }, (_, n) => `<a href="/${n + 1}">more</a>`).join(' ');
    const own = number === '' ? proseOf(isFirst ? 3 : 4, 100) : proseOf(100 + Number(number), 300);
    const title = number === '' ? `Home of ${host}` : `Story ${number}`;
    return response.end(
      `<title>${title}</title><nav><p>${menu}</p>${links}</nav><article><h1>${title}</h1><p>${own}</p></article>`,
    );
  });
  const at = ['--data', join(temporaryFolder(), 'data')];
  const seeds = ['one', 'two'].map((name) => `http://${name}.test:${site.port}/`);
  const resolve = ['--resolve', `*.test:${site.port}:127.0.0.1`, '--allow-private'];
  const fast = ['--delay', '20ms', '--address-delay', '0', '--with', 'dedup'];
  const crawled = await runCommand(['crawl', ...seeds, '--json', ...resolve, ...fast, ...at]);
  assert.equal(crawled.code, 0, crawled.stderr);
  const copies = { exact: 0, near: 0, syndicated: articles };
  assert.deepEqual(lastJson(crawled)['duplicatePages'], copies, crawled.stdout);
  assert.match(
    crawled.stderr,
    new RegExp(`${articles} duplicate pages: ${articles} syndicated; to list them: .+ duplicates `),
  );
  const stats = await runCommand(['stats', ...at]);
  assert.match(stats.stdout, new RegExp(`^ {2}${articles} duplicate pages: ${articles} syndicated$`, 'm'));
  const listed = await runCommand(['duplicates', '--limit', '3', ...at]);
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, new RegExp(`${articles} clusters, 3 listed; ${articles} duplicate pages`));
  assert.equal(listed.stdout.match(/^ {2}syndicated {2}http/gm)?.length, 3, listed.stdout);
  const typo = await runCommand(['duplicates', '--host', `onee.test:${site.port}`, ...at]);
  assert.match(typo.stdout, new RegExp(`did you mean --host one\\.test:${site.port}\\?`));
  const exported = await runCommand(['export', 'duplicates', ...at]);
  const rows = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(rows.length, articles);
  for (const { url, duplicateOf, kind } of rows) {
    assert.equal(kind, 'syndicated');
    assert.equal(new URL(String(url)).pathname, new URL(String(duplicateOf)).pathname);
  }
});
