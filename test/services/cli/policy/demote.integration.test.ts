/** A verdict on one page, that it is a copy or thin, has it visited more seldom; `explain` names it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

/** A text of its own for each name. */
const textOf = (name: string) => Array.from({ length: 80 }, (_, n) => `${name}${(n * n) % 79}`).join(' ');

test('a copy and a thin page are revisited less often than their neighbours, and explain names the verdict', {
  timeout: 600_000,
}, async (t) => {
  const texts: Readonly<Record<string, string>> = {
    '/': textOf('home'),
    '/whole': textOf('whole'),
    '/one': textOf('same'),
    // Edited here and there.
    '/two': textOf('same').replace(' same9 ', ' other ').replace(' same42 ', ' another '),
    '/thin': 'nothing here',
  };
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (texts[url] === undefined) return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const links = url === '/' ? Object.keys(texts).map((path) => `<a href="${path}">.</a>`) : [];
    return response.end(`<title>${texts[url].slice(0, 4)}</title><p>${texts[url]}</p>${links.join(' ')}`);
  });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const seed = `http://127.0.0.1:${site.port}`;
  const flags = [
    '--allow-private',
    '--delay',
    '0',
    '--with',
    'dedup',
    '--dedup-by',
    'minhash',
    '--recrawl',
    'fixed',
    '--recrawl-every',
    '1s',
  ];
  const crawl = startCommand(['crawl', `${seed}/`, ...data, ...flags], { patienceMs: 170_000 });
  t.after(() => crawl.child.kill('SIGKILL'));
  const visits = (path: string) => site.hits.filter((hit) => hit.path === path).length;
  await until(() => visits('/thin') > 0);
  const demote = { waitFactor: 5, frontQueue: 7, thin: true };
  const recrawl = { ...defaultRecrawl, schedule: 'fixed', intervalMs: 1_000, minMs: 1_000, demote };
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify({ recrawl }));
  const set = await runCommand(['policy', 'set', file, ...data]);
  assert.equal(set.code, 0, set.stderr);
  const before = Object.fromEntries(Object.keys(texts).map((path) => [path, visits(path)]));
  const since = (path: string) => visits(path) - before[path]!;
  await until(() => since('/whole') >= 12);
  const [fewer, more] = [since('/one'), since('/two')].sort((a, b) => a - b);
  assert.ok(fewer! + 2 < more!, `${fewer} and ${more} visits to two copies`);
  assert.ok(since('/thin') + 2 < since('/whole'), `${since('/thin')} visits to the thin page`);

  const copy = since('/one') < since('/two') ? '/one' : '/two';
  const original = copy === '/one' ? '/two' : '/one';
  const explain = async (path: string) => (await runCommand(['explain', seed + path, ...data])).stdout;
  assert.match(
    await explain(copy),
    new RegExp(`demoted +it is a near-duplicate of ${seed}${original}: it is revisited 5 times`),
  );
  assert.match(await explain('/thin'), /demoted +it has too little text/);
  assert.doesNotMatch(await explain('/whole'), /demoted/);

  crawl.child.kill('SIGINT');
  await crawl.ended;
  const verified = await runCommand(['state', 'verify', ...data]);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});
