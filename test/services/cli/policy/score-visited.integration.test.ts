/** A page is scored again at each visit: freshness has its inputs then, and what changes comes to a better front queue than what does not. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, startCommand } from '../../../../lab/process/command.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

test('a changing page gets a better front queue than its unchanging neighbour, and a dump shows that', {
  timeout: 600_000,
}, async (t) => {
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const links = url === '/' ? '<a href="/news">n</a> <a href="/law">l</a>' : '';
    return response.end(`<title>${url}</title>${links} ${url === '/news' ? performance.now() : 'as ever'}`);
  });
  const folder = temporaryFolder();
  const data = ['--data', join(folder, 'data')];
  const seed = `http://127.0.0.1:${site.port}/`;
  const flags = ['--allow-private', '--delay', '0', '--recrawl', 'fixed', '--recrawl-every', '1s'];
  const crawl = startCommand(['crawl', seed, ...data, ...flags], { patienceMs: 170_000 });
  t.after(() => crawl.child.kill('SIGKILL'));
  const visits = (path: string) => site.hits.filter((hit) => hit.path === path).length;
  await until(() => visits('/law') > 0);
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify({ score: { ...defaultScore, domain: 0, page: 0.2, freshness: 0.8 } }));
  const set = await runCommand(['policy', 'set', file, ...data]);
  assert.equal(set.code, 0, set.stderr);
  const before = Math.max(visits('/law'), visits('/news'));
  await until(() => Math.min(visits('/law'), visits('/news')) >= before + 5);
  crawl.child.kill('SIGINT');
  await crawl.ended;

  const dumped = await runCommand(['dump', '-', ...data]);
  assert.equal(dumped.code, 0, dumped.stderr);
  const lines = dumped.stdout.trim().split('\n');
  const queueOf = (path: string) => {
    const line = lines.map((one) => JSON.parse(one) as DumpedUrl).find(({ url }) => url === seed + path);
    return line!.visits.frontQueue;
  };
  assert.ok(queueOf('news') < queueOf('law'), `${queueOf('news')} and ${queueOf('law')}`);
});

interface DumpedUrl {
  readonly url?: string;
  readonly visits: { readonly frontQueue: number };
}
