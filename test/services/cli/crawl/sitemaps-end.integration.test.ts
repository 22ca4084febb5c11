/** A crawl ends although sitemaps that it was given cannot be read: their host is down, or has reached its limit. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const options = ['--allow-private', '--contact', 'me@example.org', '--delay', '10ms', '--retries', '100ms'];

function crawl(origin: string, ...more: readonly string[]) {
  const words = ['crawl', `${origin}/`, '--sitemap', `${origin}/map.xml`, ...options, ...more];
  return runCommand([...words, '--data', join(temporaryFolder(), 'data')], { patienceMs: 60_000 });
}

/** A port that refuses connections. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a crawl of a site that is down ends, also if it was given a sitemap of it', async () => {
  const { code, signal, stdout } = await crawl(`http://127.0.0.1:${await freePort()}`);
  assert.deepEqual([code, signal], [1, null], stdout);
});

test('a crawl that has fetched as many pages of a site as it may ends, also if it was given sitemaps of it', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', request.url === '/map.xml' ? 'application/xml' : 'text/html');
    return response.end(request.url === '/map.xml' ? '<urlset></urlset>' : '<title>A page</title><p>Some words.</p>');
  });
  const { code, signal, stdout } = await crawl(`http://127.0.0.1:${site.port}`, '--max-pages-per-host', '1');
  assert.deepEqual([code, signal], [0, null], stdout);
});
