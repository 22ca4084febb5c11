/** Sitemaps for which the lease of a host's last URL had no time, or that failed with it, are read nevertheless. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

/** A page without links. Its sitemap index has a dozen sitemaps: only the last lists a page, and it fails at first. */
async function serveIndex(t: TestContext): Promise<{ readonly origin: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const site = await serveSite(t, ({ url = '', headers }, response) => {
    const origin = `http://${headers.host}`;
    const list = (tag: string, paths: readonly string[]) =>
      `<${tag}>${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('')}</${tag}>`;
    const parts = Array.from({ length: 12 }, (_, n) => `/part-${n}.xml`);
    const isFirst = !asked.includes(url);
    asked.push(url);
    if (url === '/robots.txt') return response.end(`Sitemap: ${origin}/index.xml\n`);
    if (url.endsWith('.xml')) response.setHeader('content-type', 'application/xml');
    else response.setHeader('content-type', 'text/html');
    if (url === '/index.xml') return response.end(list('sitemapindex', parts).replaceAll('url>', 'sitemap>'));
    if (url === '/part-11.xml')
      return isFirst ? response.writeHead(503).end() : response.end(list('urlset', ['/from-the-last']));
    return response.end(url.endsWith('.xml') ? list('urlset', []) : '<p>A page without links.</p>');
  });
  return { origin: `http://127.0.0.1:${site.port}`, asked };
}

const options = ['--allow-private', '--contact', 'me@example.org', '--delay', '10ms'];

test('a crawl reads the sitemaps that are left after the last page of a host', async (t) => {
  const { origin, asked } = await serveIndex(t);
  const { code, stderr } = await runCommand([
    'crawl',
    `${origin}/`,
    ...options,
    '--data',
    join(temporaryFolder(), 'd'),
  ]);
  assert.equal(code, 0, stderr);
  assert.ok(asked.includes('/from-the-last'), asked.join(' '));
  assert.equal(asked.filter((path) => path === '/part-11.xml').length, 2);
  assert.equal(asked.filter((path) => path === '/part-3.xml').length, 1);
});

for (const limit of ['--max-pages', '--max-pages-per-host', '--max-pages-per-domain']) {
  test(`a crawl that has reached ${limit} ends with sitemaps unread`, async (t) => {
    const { origin, asked } = await serveIndex(t);
    const data = ['--data', join(temporaryFolder(), 'd')];
    const { code, stderr } = await runCommand(['crawl', `${origin}/`, ...options, limit, '1', ...data]);
    assert.equal(code, 0, stderr);
    assert.ok(!asked.includes('/from-the-last'), asked.join(' '));
  });
}
