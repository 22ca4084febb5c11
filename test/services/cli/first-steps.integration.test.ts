/** What a person meets first: the help, a page by hand, a project to begin with, a handler of one's own. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { builtCommand, lastJson, runCommand } from '../../../lab/process/command.ts';
import { serveSite } from '../fetcher/loopback.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { startSmallWeb } from './small-web.ts';

test('the help begins with the eight commands that people need first, and the most common flags of crawl', async () => {
  const { stdout } = await runCommand(['--help']);
  const [first] = stdout.split('First:\n')[1]!.split('\n\n');
  const names = [...first!.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
  assert.deepEqual(names, ['crawl', 'pages', 'stats', 'explain', 'hosts', 'fetch', 'dashboard', 'export']);
  assert.doesNotMatch(stdout, /^Commands:$/m, 'every command is in a group');
  const crawl = await runCommand(['crawl', '--help']);
  const flags = [...crawl.stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag);
  assert.deepEqual(flags.slice(0, 5), ['--max-pages', '--contact', '--data', '--max-depth', '--scope']);
});

test('fetch shows a page’s whole way: each redirect with filters and robots.txt, then text and links with verdicts', async (t) => {
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.end('User-agent: *\nDisallow: /private');
    if (request.url === '/') return response.writeHead(301, { location: '/home' }).end();
    if (request.url === '/moved') return response.writeHead(302, { location: '/private/x' }).end();
    response.setHeader('content-type', 'text/html');
    return response.end('<title>Home</title><p>Some words</p><a href="/a">a</a><a href="http://other.test/b">b</a>');
  });
  const url = `http://127.0.0.1:${site.port}`;
  const reported = await runCommand(['fetch', `${url}/`, '--allow-private']);
  assert.equal(reported.code, 0, reported.stderr);
  assert.match(reported.stdout, /status +301, to \S+\/home\n[\s\S]*status +200\ntitle +Home/);
  assert.match(reported.stdout, /links +2, 1 of them accepted/);
  assert.match(reported.stdout, /http:\/\/other\.test\/b {2}refused by scope: other\.test/);
  const denied = await runCommand(['fetch', `${url}/moved`, '--allow-private', '--json']);
  assert.equal(denied.code, 1);
  const { hops, page } = lastJson(denied) as { hops: { robots: string; status: number }[]; page: unknown };
  assert.deepEqual([page, hops[1]?.status, hops[1]?.robots], [null, 0, 'denied by line 2: Disallow: /private']);
  assert.equal(
    site.hits.some(({ path }) => path === '/private/x'),
    false,
  );
});

test('new creates a project whose tests pass, whose settings are valid, and whose handler gets each page once over a resume', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 8, domains: 1 });
  const cwd = temporaryFolder();
  const made = await runCommand(['new', 'my-crawl', '--contact', 'ann@example.org'], { cwd });
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /Next:\n {2}cd my-crawl && npm install && npm test/);
  const folder = join(cwd, 'my-crawl');
  await promisify(execFile)(process.execPath, ['--test'], { cwd: folder });
  const args = [...small.crawlArguments, '--config', 'crawlstream.yaml', '--delay', '0', '--json'];
  const first = await runCommand([...args, '--max-pages', '3'], { cwd: folder });
  assert.equal(first.code, 0, first.stderr);
  const rows = async () => (await readFile(join(folder, 'pages.jsonl'), 'utf8')).trimEnd().split('\n');
  assert.equal((await rows()).length, 3);
  const second = await runCommand(['crawl', '--data', 'crawl-data/my-crawl', '--max-pages', 'none', '--json'], {
    cwd: folder,
  });
  assert.equal(second.code, 0, second.stderr);
  const urls = (await rows()).map((row) => (JSON.parse(row) as { url: string }).url);
  assert.equal(urls.length, 8);
  assert.equal(new Set(urls).size, 8);
  const again = await runCommand(['new', 'my-crawl'], { cwd });
  assert.equal(again.code, 2);
  assert.match(again.stderr, /the folder exists and is not empty; choose a new one/);
});

const python = spawnSync('python3', ['-c', 'import pty']).status === 0;

test('new asks for the contact on a terminal, and again for what is none; without one, no crawl of the web starts', {
  skip: !python && 'no python3 to make a terminal with',
}, async () => {
  const cwd = temporaryFolder();
  const spawn = 'import pty, sys; pty.spawn(sys.argv[1:])';
  const onTerminal = (folder: string, typed: string) =>
    spawnSync('python3', ['-c', spawn, process.execPath, ...builtCommand, 'new', folder], {
      ...{ cwd, input: typed, encoding: 'utf8', timeout: 60_000 },
    }).stdout;
  const settingsOf = (folder: string) => readFile(join(cwd, folder, 'crawlstream.yaml'), 'utf8');
  const asked = onTerminal('asked', 'nobody\nann@example.org\n');
  assert.match(asked, /where webmasters can reach you[\s\S]*"nobody": give a web or mail address/);
  assert.match(await settingsOf('asked'), /^contact: "ann@example\.org"$/m);
  onTerminal('later', '\n');
  assert.doesNotMatch(await settingsOf('later'), /^contact:/m);
  const made = await runCommand(['new', 'piped'], { cwd });
  assert.match(made.stdout, /give your contact, without which no crawl of the web starts/);
  const words = ['crawl', 'https://example.org/', '--config', 'crawlstream.yaml'];
  const crawled = await runCommand(words, { cwd: join(cwd, 'piped') });
  assert.deepEqual([crawled.code, crawled.stderr.includes('--contact is missing')], [2, true], crawled.stderr);
  const wrong = await runCommand(['new', 'wrong', '--contact', 'nobody'], { cwd });
  assert.deepEqual([wrong.code, wrong.stderr.includes('--contact "nobody": give a web or mail address')], [2, true]);
});

test('an invalid handler, or a missing file, is reported before anything is created', async () => {
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'mine.mjs'), 'export const page = 1;\n');
  const missing = await runCommand(['crawl', 'http://127.0.0.1:9999/', '--handler', 'none.mjs'], { cwd });
  assert.match(missing.stderr, /--handler "none\.mjs": the file does not exist; create one with crawlstream new NAME/);
  const wrong = await runCommand(['crawl', 'http://127.0.0.1:9999/', '--handler', 'mine.mjs'], { cwd });
  assert.deepEqual([missing.code, wrong.code], [2, 2]);
  assert.match(wrong.stderr, /mine\.mjs: export a function as default, as in export default async \(page\)/);
});
