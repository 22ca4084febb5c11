/** A hub that gains links is visited sooner than a page whose text alone changes, and `explain` says by how many new URLs. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

test('a hub that gains links is revisited sooner than a page whose text changes, and explain says why', {
  timeout: 600_000,
}, async (t) => {
  let found = 0;
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const links = url === '/hub' ? Array.from({ length: 12 }, () => `<a href="/n/${found++}">new</a>`) : [];
    if (url === '/') links.push('<a href="/hub">hub</a>', '<a href="/text">text</a>');
    const text = url === '/text' ? `It is now ${performance.now()}.` : '';
    return response.end(`<title>${url}</title>${text}${links.join(' ')}`);
  });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const recrawl = ['--recrawl', 'fixed', '--recrawl-every', '6s', '--recrawl-hubs', '3'];
  const seed = `http://127.0.0.1:${site.port}/`;
  const crawl = startCommand(['crawl', seed, ...data, '--allow-private', '--delay', '0', ...recrawl], {
    patienceMs: 170_000,
  });
  t.after(() => crawl.child.kill('SIGKILL'));
  const visits = (path: string) => site.hits.filter((hit) => hit.path === path).length;
  await until(() => visits('/hub') > 0);
  const hubs = { ...defaultRecrawl, schedule: 'fixed', intervalMs: 6_000, minMs: 1_000, hubs: { newUrls: 3 } };
  // Options bound visits by the interval they name; hubs are to come sooner than that.
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify({ recrawl: hubs }));
  const set = await runCommand(['policy', 'set', file, ...data]);
  assert.equal(set.code, 0, set.stderr);
  // From when both are in force: a busy machine takes its time for that.
  const [hubBefore, textBefore] = [visits('/hub'), visits('/text')];
  await until(() => visits('/hub') >= hubBefore + 12);
  const [hub, text] = [visits('/hub') - hubBefore, visits('/text') - textBefore];
  assert.ok(text + 2 < hub, `${hub} visits to the hub, ${text} to the page that changes`);

  const reported = await runCommand(['explain', `${seed}hub`, ...data]);
  assert.match(
    reported.stdout,
    /hub +its last \d+ visits? found \d+ new URLs in \d+ s: 3 more are expected after \d+ s/,
  );
  assert.doesNotMatch((await runCommand(['explain', `${seed}text`, ...data])).stdout, /new URLs/);

  crawl.child.kill('SIGINT');
  await crawl.ended;
  const replayed = await runCommand(['state', 'verify', ...data]);
  assert.equal(replayed.code, 0, replayed.stdout + replayed.stderr);
});
