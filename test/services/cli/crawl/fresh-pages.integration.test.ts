/** A page that says how long it is good for is not asked for again before, whatever the schedule. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

test('a page that its site lets caches keep is left alone while its neighbours are revisited', {
  timeout: 600_000,
}, async (t) => {
  const cached: Readonly<Record<string, string>> = {
    '/good': 'public, max-age=3600',
    '/aged': 'max-age=3600',
    '/each-time': 'no-cache, max-age=3600',
  };
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    if (cached[url] !== undefined) response.setHeader('cache-control', cached[url]);
    if (url === '/aged') response.setHeader('age', '3600');
    response.setHeader('content-type', 'text/html');
    const links = Object.keys(cached).map((path) => `<a href="${path}">${path}</a>`);
    return response.end(`<title>${url}</title>${links.join(' ')}`);
  });
  const data = join(temporaryFolder(), 'data');
  const flags = ['--allow-private', '--delay', '0', '--recrawl', 'fixed', '--recrawl-every', '1s'];
  const crawl = startCommand(['crawl', `http://127.0.0.1:${site.port}/`, '--data', data, ...flags]);
  t.after(() => crawl.child.kill('SIGKILL'));
  const visits = (path: string) => site.hits.filter((hit) => hit.path === path).length;
  await until(() => ['/', '/aged', '/each-time'].every((path) => visits(path) >= 4));
  assert.equal(visits('/good'), 1);
});
