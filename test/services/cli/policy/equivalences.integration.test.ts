/** Equivalences that a host's redirects prove, and canonicals as identity: what is asked for, what is published, and what explain says. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

const paths = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/** Four pages prove it; a chain of two leads to forty more, which are found when that is known. */
const links: Readonly<Record<string, readonly string[]>> = {
  '/': [...paths('/first/', 4), '/chain/one/'],
  '/chain/one/': ['/chain/two/'],
  '/chain/two/': paths('/more/', 40),
};

test('proven redirects of a host rewrite its further URLs without a request, and explain names the rule', async (t) => {
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    if (!url.endsWith('/')) return response.writeHead(301, { location: `${url}/` }).end();
    response.setHeader('content-type', 'text/html');
    return response.end(`<title>${url}</title>${(links[url] ?? []).map((to) => `<a href="${to}">x</a>`).join(' ')}`);
  });
  const data = ['--data', join(temporaryFolder(), 'data')];
  const seed = `http://127.0.0.1:${site.port}`;
  const summary = await run(
    'crawl',
    `${seed}/`,
    '--allow-private',
    '--delay',
    '0',
    '--same-url-proofs',
    '3',
    '--json',
    ...data,
  );
  assert.equal((JSON.parse(summary.trimEnd().split('\n').at(-1)!) as { pages: number }).pages, 47);
  const asked = (path: string) => site.hits.filter((hit) => hit.path === path).length;
  for (const path of paths('/first/', 4)) assert.deepEqual([asked(path), asked(`${path}/`)], [1, 1]);
  const redirected = paths('/more/', 40).filter((path) => asked(path) > 0);
  assert.ok(redirected.length < 15, `${redirected.length} of 40 were asked for before they were folded`);
  for (const path of paths('/more/', 40)) assert.equal(asked(`${path}/`), 1, path);

  const folded = paths('/more/', 40).find((path) => !redirected.includes(path))!;
  const reported = await run('explain', seed + folded, ...data);
  assert.match(reported, new RegExp(`folded +into ${seed}${folded}/, by slash \\(3 redirects of its host\\)`));
  assert.match(reported, /seen +never/);
  if (redirected[0] !== undefined)
    assert.match(await run('explain', seed + redirected[0], ...data), /one URL in sixteen is requested as found/);
});

test('a canonical is the identity of a page if the policy says so, on the same host only, and never by its path', async (t) => {
  const canonicals: Readonly<Record<string, string>> = {
    '/a?v=1': '/a',
    '/a?v=2': '/a',
    '/b/index.html': '/b/',
    '/other': 'http://127.0.0.2/other',
    '/home': '/',
  };
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    const found = url === '/' ? Object.keys(canonicals).map((to) => `<a href="${to}">x</a>`) : [];
    const canonical = canonicals[url] === undefined ? '' : `<link rel="canonical" href="${canonicals[url]}">`;
    return response.end(`<title>${url}</title>${canonical}${found.join(' ')}`);
  });
  const seed = `http://127.0.0.1:${site.port}`;
  const data = ['--data', join(temporaryFolder(), 'data')];
  await run('crawl', `${seed}/`, '--allow-private', '--delay', '0', '--canonicals', ...data);
  const lines = (await run('export', 'pages', '--format', 'jsonl', ...data)).trim().split('\n');
  const urls = lines.map((line) => (JSON.parse(line) as { url: string }).url.slice(seed.length)).sort();
  assert.deepEqual(urls, ['/', '/a', '/b/', '/home', '/other']);
  const reported = await run('explain', `${seed}/a?v=1`, ...data);
  assert.match(reported, /redirected \(redirect 200\)/);
});
