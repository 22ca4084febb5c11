/** Why a URL is not among the pages: `explain` answers in one sentence, and `links --dropped` lists what was left. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import type { HostPageStatus } from '../../../../services/extras/dashboard/status.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { dashboardOf } from '../dashboard-address.ts';

type Answer = (response: ServerResponse) => unknown;

async function serve(routes: (port: number) => Readonly<Record<string, Answer>>): Promise<number> {
  const server = createServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html');
    const { port } = server.address() as AddressInfo;
    const answer = routes(port)[url];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const html =
  (...hrefs: readonly string[]): Answer =>
  (response) =>
    response.end(hrefs.map((href) => `<a href="${href.replaceAll('&', '&amp;')}">x</a>`).join(' '));
const moved =
  (location: string): Answer =>
  (response) =>
    response.writeHead(301, { location }).end();

const start = [
  ...['/plain', '/skip/1', '/skip/2', '/moved', '/away', '/loop', '/gone', '/broken', '/big', '/ads/1', '/thin'],
  ...['http://other.test/z', '/index.php?title=A&action=edit'],
];

function site(): Promise<number> {
  return serve(() => ({
    '/robots.txt': (response) => response.writeHead(404).end(),
    '/': html(...start),
    '/plain': html('/deep'),
    '/deep': html('/deeper'),
    '/moved': moved('/new'),
    '/new': html(),
    '/thin': html(),
    '/away': moved('http://other.test/q'),
    '/loop': moved('/loop'),
    '/broken': (response) => response.writeHead(500).end(),
    '/big': (response) => response.end('x'.repeat(1_200_000)),
    '/index.php?title=A&action=edit': html(),
  }));
}

test('explain answers first, in one sentence, for every way in which a URL has ended or was never queued', async () => {
  const port = await site();
  const origin = `http://a.test:${port}`;
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  const plugin = join(folder, 'no-ads.mjs');
  const hooks =
    "urlFilter: ({ url }) => !url.includes('/ads/'), page: (page) => (page.url.endsWith('/thin') ? null : page)";
  writeFileSync(plugin, `export default { name: 'no-ads', ${hooks} };\n`);
  const crawl = await runCommand([
    ...['crawl', `${origin}/`, '--data', data, '--delay', '0', '--contact', 'me@example.org', '--retries', 'none'],
    ...['--resolve', `*.test:${port}:127.0.0.1`, '--exclude', '/skip/', '--max-depth', '2', '--max-body', '1'],
    ...['--plugin', plugin],
  ]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const answer = async (url: string) => {
    const { stdout, stderr } = await runCommand(['explain', url, '--data', data]);
    return /^answer +(.*)$/m.exec(stdout)?.[1] ?? `${stdout}${stderr}`;
  };
  const expected: Readonly<Record<string, RegExp>> = {
    [`${origin}/`]: /^fetched on \S+: 200, [\d,]+ bytes$/,
    [`${origin}/big`]: /^fetched on \S+: 200, 1,048,576 bytes; its body was cut there: --max-body sets the limit$/,
    [`${origin}/skip/1`]: /^refused by exclude: .*skip.*, linked from http:\/\/a\.test:\d+\/$/,
    [`${origin}/skip/9`]: /^refused by exclude: .*skip.*; no link to it was found$/,
    [`${origin}/moved`]: /^redirected to http:\/\/a\.test:\d+\/new \(301\) on \S+$/,
    [`${origin}/away`]:
      /^redirected to http:\/\/other\.test\/q \(301\) on \S+, which is refused by the scope: other\.test/,
    [`${origin}/loop`]: /^given up on \S+: it redirects to \S+\/loop, in a circle/,
    [`${origin}/gone`]: /^no page: the server answered 404, on /,
    [`${origin}/broken`]: /^given up after 1 attempt: the server answered 500, on /,
    [`${origin}/deeper`]: /^refused by the depth limit: 3 > 2 \(--max-depth\), linked from \S+\/deep$/,
    [`${origin}/ads/1`]: /^dropped by the plugin no-ads on page http:\/\/a\.test:\d+\/$/,
    [`${origin}/thin`]: /^fetched on \S+, and not published: plugin no-ads drops it$/,
    [`${origin}/index.php?title=A&action=edit`]:
      /^held by the trap \?action= .*to fetch it: .*release a\.test:\d+ '\?action='/,
    [`${origin}/nowhere`]: /^never seen: it is not a seed, and no fetched page links to it$/,
    'http://other.test/z': /^refused by the scope: other\.test is outside it .*linked from http:\/\/a\.test:\d+\/$/,
    // As people type: another scheme, none, with www, a path alone.
    [`https://a.test:${port}/plain`]: /^never seen in this form, but as http:\/\/a\.test:\d+\/plain: .*explain /,
    [`www.a.test:${port}/plain`]: /^never seen in this form, but as http:\/\/a\.test:\d+\/plain: .*explain /,
    [`a.test:${port}/plain`]: /^fetched on /,
    '/plain': /^fetched on /,
  };
  for (const [url, pattern] of Object.entries(expected)) assert.match(await answer(url), pattern, url);

  const dropped = await runCommand(['links', '--dropped', '--data', data]);
  for (const line of [
    /^exclude: .* http:\/\/a\.test:\d+\/skip\/1 {2}from http:\/\/a\.test:\d+\/$/m,
    /^scope: other\.test {2}http:\/\/other\.test\/z /m,
    /^depth: 3 > 2 {2}http:\/\/a\.test:\d+\/deeper /m,
    /^trap: \?action= {2}http:\/\/a\.test:\d+\/index\.php\?/m,
    /^plugin: no-ads {2}http:\/\/a\.test:\d+\/ads\/1 {2}from http:\/\/a\.test:\d+\/$/m,
    /^\d+ URLs shown; links found, by rule: .*exclude 2/m,
  ])
    assert.match(dropped.stdout, line);
  assert.doesNotMatch(dropped.stdout, /\/plain/);
  const one = lastJson(
    await runCommand(['links', '--dropped', '--rule', 'exclude', '--limit', '1', '--data', data, '--json']),
  );
  assert.deepEqual(one['rules'], { exclude: 2 });
  assert.equal((one['links'] as unknown[]).length, 1);
  const elsewhere = lastJson(
    await runCommand(['links', '--dropped', '--host', 'other.test', '--data', data, '--json']),
  );
  assert.deepEqual(Object.keys(elsewhere['rules'] as object), ['scope']);
  const all = await runCommand(['links', '--data', data]);
  assert.match(all.stdout, /^followed {2}http:\/\/a\.test:\d+\/plain {2}from /m);
});

test('a host with nothing but trapped URLs has no next contact, and its reason is the trap, in hosts and on its page', async () => {
  const port = await serve(() => ({
    '/robots.txt': (response) => response.writeHead(404).end(),
    '/': html('/index.php?title=A&action=edit'),
  }));
  const host = `a.test:${port}`;
  const data = join(temporaryFolder(), 'data');
  const crawl = await runCommand([
    ...['crawl', `http://${host}/`, '--data', data, '--delay', '0', '--contact', 'me@example.org'],
    ...['--resolve', `*.test:${port}:127.0.0.1`],
  ]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const why = /its 1 waiting URL is deferred by a trap; "explain" with such a URL says how to fetch it/;
  const { stdout } = await runCommand(['hosts', host, '--data', data]);
  assert.match(stdout, /^queued +trap: 1, deferred$/m);
  assert.match(stdout, why);
  assert.match(stdout, /^ +trap +1 {2}http:\S+action=edit\S*$/m);
  assert.doesNotMatch(stdout, /front queue|^ready /m);

  const dashboard = startCommand(['dashboard', '--data', data, '--http', '0']);
  const url = await dashboardOf(dashboard);
  const page = (await (await fetch(`${url}host?host=${host}`)).json()) as HostPageStatus;
  assert.match(page.why, why);
  assert.deepEqual([page.isFree, page.queued, page.deferred], [false, 0, 1]);
  assert.deepEqual(
    page.queue.map(({ frontQueue }) => frontQueue),
    ['trap'],
  );
  dashboard.child.kill();
});

test('a crawl names a seed that redirects out of scope, and crawls its target with --follow-seed-redirects', async () => {
  const port = await serve((at) => ({
    '/old': moved(`http://new.test:${at}/start`),
    '/start': moved(`http://newest.test:${at}/home`),
    '/home': html('/page'),
    '/page': html(),
  }));
  const data = join(temporaryFolder(), 'data');
  const crawl = [
    ...['crawl', `http://old.test:${port}/old`, '--data', data, '--delay', '0', '--contact', 'me@example.org'],
    ...['--resolve', `*.test:${port}:127.0.0.1`, '--json'],
  ];
  const said = await runCommand(crawl);
  assert.match(
    said.stderr,
    /http:\/\/old\.test:\d+\/old redirects to http:\/\/new\.test:\d+\/start, which is out of scope; to crawl that: add \S+\/start as a seed, or --follow-seed-redirects/,
  );
  assert.equal(said.code, 1);
  const followed = await runCommand([
    ...crawl.map((word) => (word === data ? `${data}-2` : word)),
    '--follow-seed-redirects',
  ]);
  assert.equal(followed.code, 0, followed.stderr);
  assert.equal(lastJson(followed)['pages'], 2, followed.stderr);
  const resumed = await runCommand(['crawl', '--data', data, '--follow-seed-redirects', '--json']);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(lastJson(resumed)['pages'], 2, resumed.stderr);
});
