/** A host that answers on one of its two schemes alone: what fails on the other is no reason to leave it. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const pages = Array.from({ length: 40 }, (_, n) => `/p/${n}`);

test('https links to a port that speaks only http are given up; all http pages are fetched', async (t) => {
  const { port, hits } = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const broken = ['/', '/s/1', '/s/2'].map((path) => `<a href="https://127.0.0.1:${port}${path}">x</a>`).join('');
    const links = pages.map((path) => `<a href="${path}">x</a>`).join('');
    return response.end(request.url === '/' ? broken + links : 'x');
  });
  const data = join(temporaryFolder(), 'data');
  // Without retries a host that fails once is dead, and its queue with it.
  const how = ['--allow-private', '--delay', '0', '--retries', 'none', '--data', data, '--json'];
  const ended = await runCommand(['crawl', `http://127.0.0.1:${port}/`, ...how]);
  assert.equal(ended.code, 0, ended.stdout + ended.stderr);
  assert.equal(lastJson(ended)['pages'], 1 + pages.length);
  const fetched = new Set(hits.map(({ path }) => path).filter((path) => path.startsWith('/p/')));
  assert.deepEqual([...fetched].sort(), [...pages].sort());
  const { stdout } = await runCommand(['dlq', 'list', '--data', data]);
  for (const path of ['/', '/s/1', '/s/2']) assert.ok(stdout.includes(`https://127.0.0.1:${port}${path}`), stdout);
  assert.equal(stdout.match(/https?:\/\/127/g)?.length, 3, stdout);
  const audit = await runCommand(['audit', '--data', data]);
  assert.equal(audit.code, 0, audit.stdout);
});
