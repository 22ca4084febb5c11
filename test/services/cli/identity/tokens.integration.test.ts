/** Under whose name: what two crawlers of one web may do, and one that changed its name, by the servers' records and by audits. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const robots = `User-agent: Alpha
Disallow: /b

User-agent: beta
Disallow: /a

User-agent: *
Disallow: /
`;

const asked = ['--contact', 'me@example.org', '--allow-private', '--delay', '0'];

test('two crawls of one web obey the groups of their own names, and a renamed crawl those of each name in its time', async (t) => {
  const { hits, port } = await serveSite(t, ({ url }, response) => {
    if (url === '/robots.txt') return response.end(robots);
    return response.setHeader('content-type', 'text/html').end(`<title>${url}</title>`);
  });
  const at = (path: string) => `http://127.0.0.1:${port}${path}`;
  const pagesOf = (name: string) =>
    hits.filter(({ headers, path }) => `${headers['user-agent']}`.startsWith(`${name}/`) && path !== '/robots.txt');
  const crawl = async (data: string, name: string, ...paths: string[]) => {
    const ended = await runCommand(['crawl', ...paths.map(at), '--data', data, '--user-agent', `${name}/1`, ...asked]);
    assert.equal(ended.code, 0, ended.stderr);
  };
  const audited = async (data: string) => {
    const ended = await runCommand(['audit', '--data', data, '--json']);
    assert.deepEqual((lastJson(ended) as { details: unknown }).details, []);
    assert.equal(ended.code, 0);
    return ended.stdout;
  };
  const [alpha, beta] = [join(temporaryFolder(), 'alpha'), join(temporaryFolder(), 'beta')];
  await crawl(alpha, 'Alpha', '/a/1', '/b/1', '/c');
  await crawl(beta, 'Beta', '/a/1', '/b/1', '/c');
  assert.deepEqual(
    pagesOf('Alpha')
      .map(({ path }) => path)
      .sort(),
    ['/a/1', '/c'],
  );
  assert.deepEqual(
    pagesOf('Beta')
      .map(({ path }) => path)
      .sort(),
    ['/b/1', '/c'],
  );
  await audited(alpha);
  await audited(beta);

  hits.length = 0;
  await crawl(alpha, 'Beta', '/a/1', '/b/1', '/c', '/a/2', '/b/2');
  assert.deepEqual(
    pagesOf('Beta').map(({ path }) => path),
    ['/b/2'],
  );
  assert.deepEqual(pagesOf('Alpha'), []);
  assert.match(await audited(alpha), /came as +Alpha\/1 \(\+me@example\.org\)\n +Beta\/1/);
});

test('usage permissions are audited under the name in force at the fetch', async (t) => {
  const { port } = await serveSite(t, ({ url }, response) => {
    if (url !== '/robots.txt') return response.setHeader('content-type', 'text/html').end(`<title>${url}</title>`);
    const group = (name: string, answer: string) => `User-agent: ${name}\nContent-Usage: train-ai=${answer}\n\n`;
    return response.end(group('Alpha', 'n') + group('Beta', 'y'));
  });
  const data = join(temporaryFolder(), 'data');
  for (const name of ['Alpha', 'Beta']) {
    const seeds = ['Alpha', name].map((one) => `http://127.0.0.1:${port}/for-${one}`);
    const ended = await runCommand(['crawl', ...seeds, '--data', data, '--user-agent', `${name}/1`, ...asked]);
    assert.equal(ended.code, 0, ended.stderr);
  }
  const ended = await runCommand(['audit', '--data', data, '--uses', 'ai-train', '--json']);
  assert.equal(ended.code, 0, ended.stdout);
  const { byUse, wrong } = lastJson(ended) as { readonly byUse: object; readonly wrong: number };
  assert.deepEqual([byUse, wrong], [{ 'ai-train': { allow: 1, deny: 1, unknown: 0 } }, 0]);
});
