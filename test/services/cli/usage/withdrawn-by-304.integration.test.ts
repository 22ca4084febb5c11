/** A site withdraws what it allowed without changing its page: it answers 304, with other words about use. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { searchFolder } from '../../../../services/extras/index/sqlite-index.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

test('a page that a 304, or a newer robots.txt, bars is withdrawn from pages and index', async (t) => {
  let isWithdrawn = false;
  const site = await serveSite(t, ({ url = '/', headers }, response, host) => {
    if (url === '/robots.txt')
      return response.end(isWithdrawn && host === 'b.test' ? 'User-agent: *\nContent-Usage: train-ai=n\n' : '');
    if (isWithdrawn && host === 'a.test') response.setHeader('x-robots-tag', 'noai');
    if (isWithdrawn && host === 'c.test') response.setHeader('x-robots-tag', 'noindex');
    response.setHeader('etag', '"same"').setHeader('content-type', 'text/html');
    if (headers['if-none-match'] === '"same"') return response.writeHead(304).end();
    return response.end('<title>page</title>pagewords');
  });
  const data = join(temporaryFolder(), 'data');
  const hosts = ['a.test', 'b.test', 'c.test', 'd.test'];
  const crawl = async (isEnough: () => boolean) => {
    const running = startCommand([
      ...[
        'crawl',
        ...hosts.map((host) => site.url(host, '/')),
        '--data',
        data,
        '--with',
        'index',
        '--uses',
        'ai-train',
      ],
      ...['--delay', '0', '--recrawl', 'fixed', '--recrawl-every', '1s', '--resolve', `*.test:${site.port}:127.0.0.1`],
    ]);
    t.after(() => running.child.kill('SIGKILL'));
    await until(isEnough);
    running.child.kill('SIGINT');
    await running.ended;
  };
  const published = async () => {
    const { stdout } = await runCommand(['pages', '--data', data, '--fields', 'url']);
    return hosts.filter((host) => stdout.includes(site.url(host, '/')));
  };
  const found = () => {
    const urls = searchFolder(join(data, 'index'), 'pagewords', { limit: 10 }).map(({ url }) => url);
    return hosts.filter((host) => urls.includes(site.url(host, '/')));
  };
  const visits = (host: string, isConditional: boolean) =>
    site.hits.filter((hit) => hit.host === host && hit.path === '/' && 'if-none-match' in hit.headers === isConditional)
      .length;
  await crawl(() => hosts.every((host) => visits(host, true) > 0));
  assert.deepEqual([await published(), found()], [hosts, hosts]);
  isWithdrawn = true;
  const before = hosts.map((host) => visits(host, true));
  await crawl(() => hosts.every((host, at) => visits(host, true) > before[at]! + 1));
  assert.deepEqual(
    hosts.map((host) => visits(host, false)),
    [1, 1, 1, 1],
    'each page was sent once',
  );
  assert.deepEqual([await published(), found()], [['c.test', 'd.test'], ['d.test']]);
});
