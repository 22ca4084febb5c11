/** What pages may be used for now, by what the crawl has read since they were fetched, and without a request. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

test('a newer robots.txt withdraws pages fetched before it; without expired copies nothing is requested', async (t) => {
  let robots = 'User-agent: *\nAllow: /\n';
  let soon = '';
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.setHeader('content-type', 'text/plain').end(robots);
    if (url === '/tdmrep.json' || url.startsWith('/.well-known/')) return response.writeHead(404).end();
    if (url === '/brief') {
      soon = new Date(Date.now() + 3_000).toUTCString();
      response.setHeader('x-robots-tag', `unavailable_after: ${soon}`);
    }
    response.setHeader('content-type', 'text/html');
    return response.end(
      `<title>${url}</title><p>words</p><a href="/a">a</a> <a href="/b">b</a> <a href="/brief">c</a>`,
    );
  });
  const origin = `http://127.0.0.1:${site.port}`;
  const data = join(temporaryFolder(), 'data');
  const crawled = await runCommand(['crawl', `${origin}/`, '--data', data, '--allow-private', '--delay', '0']);
  assert.equal(crawled.code, 0, crawled.stderr);
  robots = 'User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n';
  const requeued = await runCommand(['requeue', '--prefix', `${origin}/a`, '--data', data]);
  assert.equal(requeued.code, 0, requeued.stderr);
  const again = await runCommand(['crawl', '--data', data]);
  assert.equal(again.code, 0, again.stderr);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, Date.parse(soon) + 1_000 - Date.now())));

  const hits = site.hits.length;
  const list = join(data, 'recheck.jsonl');
  const uses = ['recheck', '--data', data, '--uses', 'ai-train,search'];
  const fresh = await runCommand([...uses, '--list', list, '--json']);
  assert.equal(fresh.code, 0, fresh.stderr);
  const { pages, withdrawn, byUse, robotsToAsk, pagesToAsk } = lastJson(fresh) as Record<string, unknown>;
  assert.deepEqual(
    { pages, withdrawn, robotsToAsk, pagesToAsk },
    { pages: 4, withdrawn: 3, robotsToAsk: [], pagesToAsk: 0 },
  );
  assert.deepEqual(byUse, {
    'ai-train': { allow: 0, deny: 4, unknown: 0 },
    search: { allow: 0, deny: 1, unknown: 3 },
  });
  const lines = readFileSync(list, 'utf8').trim().split('\n');
  const line = (path: string) =>
    lines.map((text) => JSON.parse(text)).find(({ url }: { url: string }) => url === `${origin}${path}`);
  assert.deepEqual(line('/brief').withdrawn, ['ai-train', 'search']);
  assert.match(line('/brief').uses.search.by, /unavailable_after/);
  // It was fetched by the robots.txt that bars it.
  assert.deepEqual(line('/a').withdrawn, []);
  assert.match(line('/b').uses['ai-train'].by, /robots\.txt.*Content-Signal: ai-train=no/);

  const old = await runCommand([...uses, '--robots-age', '1ms', '--page-age', '1ms']);
  assert.equal(old.code, 0, old.stderr);
  assert.ok(old.stdout.includes(`refetch  ${origin}/robots.txt  read 20`), old.stdout);
  assert.ok(old.stdout.includes(`refetch  ${origin}/brief\n`), old.stdout);
  assert.match(old.stdout, /to refetch +1 robots\.txt, 4 pages/);
  assert.equal(site.hits.length, hits);
});
