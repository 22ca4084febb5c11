/** `--score` turns the formula of ten factors on, and a policy may name some of its numbers. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

async function run(...args: string[]) {
  const ended = await runCommand(args);
  assert.equal(ended.code, 0, ended.stderr);
  return ended;
}

test('with --score, links in the content of a page are fetched before those in its footer', async (t) => {
  const links = (name: string) => Array.from({ length: 4 }, (_, n) => `<a href="/${name}/${n}">x</a>`).join(' ');
  const words = 'Words of a page that is about something. '.repeat(30);
  const start = `<footer>${links('footer')}</footer><main><p>${words}${links('content')}</p></main>`;
  const order = async (...options: string[]) => {
    const site = await serveSite(t, ({ url = '' }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      response.setHeader('content-type', 'text/html');
      return response.end(url === '/' ? start : 'x');
    });
    const data = ['--data', join(temporaryFolder(), 'data')];
    const reach = [
      '--delay',
      '0',
      '--allow-private',
      '--resolve',
      `*.test:${site.port}:127.0.0.1`,
      '--contact',
      'me@example.org',
    ];
    await run('crawl', site.url('a.test', '/'), ...reach, ...options, ...data);
    const paths = site.hits.map(({ path }) => path).filter((path) => /\d$/.test(path));
    return { paths, policy: lastJson(await run('policy', 'show', '--json', ...data)) };
  };
  const [plain, scored] = [await order(), await order('--score')];
  const first = (paths: readonly string[]) => paths.slice(0, 4).every((path) => path.startsWith('/content/'));
  assert.deepEqual([plain.paths.length, first(plain.paths)], [8, false]);
  assert.deepEqual([scored.paths.length, first(scored.paths)], [8, true]);
  assert.deepEqual([plain.policy['score'], scored.policy['score']], [undefined, defaultScore]);
});

test('a policy may name some numbers of the score, and a wrong one is refused by its name', async () => {
  const file = join(temporaryFolder(), 'policy.json');
  const scoreBy = async (score: unknown) => {
    await writeFile(file, JSON.stringify({ score }));
    return runCommand(['check', 'score', 'https://a.test/x', '--depth', '3', '--policy', file, '--json']);
  };
  const found = await scoreBy({ page: 1, factors: { depth: 0.5 } });
  assert.equal(found.code, 0, found.stderr);
  const { factors, groups } = lastJson(found) as {
    factors: { factor: string; weight: number }[];
    groups: { weight: number }[];
  };
  const weights = Object.fromEntries(factors.map(({ factor, weight }) => [factor, weight]));
  assert.deepEqual(weights, { ...defaultScore.factors, depth: 0.5, cash: 0 });
  assert.deepEqual(
    groups.map(({ weight }) => weight),
    [0.3, 1, 0.3],
  );
  const wrong = await scoreBy({ factors: { depht: 1 } });
  assert.equal(wrong.code, 2, wrong.stdout);
  assert.match(wrong.stderr, /score\.factors.*depht/);
});

test('explain shows every factor of a score with its value, weight and facts; check score shows the same factors', async (t) => {
  const site = await serveSite(t, ({ url = '', headers }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const others = ['b', 'c'].map((name) => `<a href="${site.url(`${name}.test`, '/')}">x</a>`).join(' ');
    const story = `<a href="${site.url('a.test', '/news/rivers')}">x</a>`;
    const isFirst = (headers.host ?? '').startsWith('a.');
    return response.end(isFirst && url !== '/' ? 'x' : `<main>${'Words of it. '.repeat(40)}${others}${story}</main>`);
  });
  const data = ['--data', join(temporaryFolder(), 'data')];
  const reach = ['--delay', '0', '--allow-private', '--resolve', `*.test:${site.port}:127.0.0.1`];
  await run('crawl', site.url('a.test', '/'), ...reach, '--scope', 'all', '--score', '--contact', 'me@a.test', ...data);
  const explained = (await run('explain', site.url('a.test', '/news/rivers'), ...data)).stdout;
  for (const [factor, fact] of [
    ['authority', '2 domains that link to its host'],
    ['traffic', 'not known'],
    ['quality', '2 good of \\d requests to its host'],
    ['inLinks', '3 links found'],
    ['depth', 'depth 1, and the spelling of its URL'],
    ['type', 'page kind: article'],
    ['source', 'not known'],
    ['timeSince', 'not known'],
    ['changeRate', 'not known'],
    ['volatility', 'not known'],
  ] as const)
    assert.match(explained, new RegExp(`${factor} +(?:\\d\\.\\d+|unknown) +weight \\d[\\d.]* +${fact}$`, 'm'));
  assert.match(explained, /score +0\.\d{3} by what is known now: front queue \d/);
  const checked = (await run('check', 'score', 'https://a.test/news/rivers')).stdout;
  assert.match(checked, /type +1\.000 +weight 0\.04 +page kind: article/);
});
