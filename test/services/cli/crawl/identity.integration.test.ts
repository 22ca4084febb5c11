/** Who a crawl says it is: what hosts are sent, whose group of robots.txt holds, and what an audit makes of it. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const robots = `User-agent: newsbot
Disallow: /for-alpha

User-agent: alphabot
User-agent: crawlstream
Disallow: /for-news

User-agent: *
Disallow: /
`;
const links = ['for-alpha', 'for-news', 'for-all'].map((path) => `<a href="/${path}">x</a>`).join('');

/** A site that tells what it was asked for, and by whom. */
async function site(t: TestContext) {
  const asked: { readonly path: string; readonly agent: string }[] = [];
  const { port } = await serveSite(t, (request, response) => {
    asked.push({ path: request.url!, agent: request.headers['user-agent'] ?? '' });
    if (request.url === '/robots.txt') return response.end(robots);
    response.setHeader('content-type', 'text/html');
    // The second link of a page that says `noindex` to one crawler alone.
    if (request.url === '/for-all') response.setHeader('x-robots-tag', 'alphabot: nofollow');
    return response.end(request.url === '/for-all' ? '<a href="/beyond">x</a>' : links);
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    paths: () =>
      asked
        .map(({ path }) => path)
        .filter((path) => path !== '/robots.txt')
        .sort(),
  };
}

async function crawlAs(origin: string, ...identity: readonly string[]) {
  const data = join(temporaryFolder(), 'data');
  const reach = ['--allow-private', '--contact', 'me@example.org', '--delay', '0', '--data', data];
  const ended = await runCommand(['crawl', `${origin}/`, ...reach, ...identity]);
  return { data, ended };
}

async function auditOf(data: string): Promise<Record<string, unknown>> {
  const audit = await runCommand(['audit', '--data', data, '--json']);
  assert.equal(audit.code, 0, audit.stdout + audit.stderr);
  return lastJson(audit);
}

test('crawls under different names obey robots.txt for each name, and audits of both find nothing', async (t) => {
  const news = await site(t);
  const one = await crawlAs(news.origin, '--user-agent', 'NewsBot/2.1');
  assert.equal(one.ended.code, 0, one.ended.stderr);
  assert.deepEqual(news.paths(), ['/', '/beyond', '/for-all', '/for-news']);
  assert.deepEqual([...new Set(news.asked.map(({ agent }) => agent))], ['NewsBot/2.1 (+me@example.org)']);
  await auditOf(one.data);

  const alpha = await site(t);
  const browserLike = 'Mozilla/5.0 (compatible; AlphaBot/1.0; +{contact})';
  const two = await crawlAs(alpha.origin, '--user-agent', browserLike, '--robots-token', 'AlphaBot');
  assert.equal(two.ended.code, 0, two.ended.stderr);
  assert.deepEqual(alpha.paths(), ['/', '/for-all', '/for-alpha'], 'X-Robots-Tag names it too');
  assert.deepEqual(
    [...new Set(alpha.asked.map(({ agent }) => agent))],
    ['Mozilla/5.0 (compatible; AlphaBot/1.0; +me@example.org)'],
  );
  await auditOf(two.data);
});

test('of several names the first with a group in robots.txt counts, and the log holds that one', async (t) => {
  const { origin, paths } = await site(t);
  const { data, ended } = await crawlAs(
    origin,
    ...['--user-agent', 'TeamBot-News/1', '--robots-token', 'TeamBot-News', '--robots-token', 'alphabot'],
  );
  assert.equal(ended.code, 0, ended.stderr);
  assert.deepEqual(paths(), ['/', '/for-all', '/for-alpha']);
  await auditOf(data);
  const denied = await runCommand(['explain', `${origin}/for-news`, '--data', data]);
  assert.match(denied.stdout, /denied by +line 6 of .*Disallow: \/for-news\n/);
});

test('a crawl continues under its name, and says so', async (t) => {
  const { origin, asked } = await site(t);
  const { data } = await crawlAs(origin, '--user-agent', 'NewsBot/2.1', '--max-pages', '1');
  asked.length = 0;
  const again = await runCommand(['crawl', '--data', data, '--max-pages', '9']);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr + again.stdout, /options from the last run: .*--user-agent NewsBot\/2\.1/);
  assert.ok(asked.length > 0);
  assert.ok(asked.every(({ agent }) => agent === 'NewsBot/2.1 (+me@example.org)'));
});

test('commands that contact one host use the same name', async (t) => {
  const { origin, asked } = await site(t);
  const reach = ['--allow-private', '--contact', 'me@example.org', '--user-agent', 'NewsBot/2.1'];
  const verdict = await runCommand(['check', 'robots', `${origin}/for-alpha`, ...reach]);
  assert.match(verdict.stdout, /verdict +denied/);
  assert.match(verdict.stdout, /group +newsbot/i);
  const page = await runCommand(['fetch', `${origin}/for-all`, ...reach]);
  assert.equal(page.code, 0, page.stderr);
  assert.deepEqual([...new Set(asked.map(({ agent }) => agent))], ['NewsBot/2.1 (+me@example.org)']);
});

const mistakes: readonly (readonly [readonly string[], RegExp])[] = [
  [['--user-agent', 'Mozilla/5.0 (compatible; NewsBot/2.1)'], /--user-agent .* starts with Mozilla.*--robots-token/],
  [['--user-agent', 'news.bot/1'], /--user-agent "news\.bot\/1": .*letters, digits, - and _/],
  [['--user-agent', 'NewsBot/1\nX: y'], /--user-agent .*one line/],
  [['--user-agent', 'NewsBot/1 {site}'], /--user-agent .*\{site\}.*\{contact\} and \{version\}/],
  [['--robots-token', 'News/1'], /--robots-token "News\/1": give a product token, such as NewsBot, without version/],
  [
    ['--user-agent', 'NewsBot/1', '--robots-token', 'Other'],
    /--robots-token Other is not part of --user-agent NewsBot\/1/,
  ],
  [['--robots-token', '*'], /--robots-token "\*": give a product token/],
];

test('names that webmasters could not use are refused, with a valid example', async () => {
  for (const [flags, says] of mistakes) {
    const folder = temporaryFolder();
    const seed = ['crawl', 'http://127.0.0.1:1234/', '--allow-private', '--contact', 'me@example.org'];
    const ended = await runCommand([...seed, ...flags], { cwd: folder });
    assert.equal(ended.code, 2, ended.stderr);
    assert.match(ended.stderr, says);
    assert.deepEqual(readdirSync(folder), [], 'nothing is made');
  }
});
