/** The counts of a crawl agree, whichever command prints them, on a web with every kind of end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { crawl } from '../../../../services/library/index.ts';
import { placesOfUrls } from '../../../../topology/frontier/ask/crawl-counts.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

async function startWeb(): Promise<number> {
  const server = createServer(({ url, headers }, response) => {
    if (url === '/robots.txt') return response.end('User-agent: *\nDisallow: /private\n');
    response.setHeader('content-type', 'text/html');
    if (url === '/moved') return response.writeHead(301, { location: '/new' }).end();
    if (url === '/loop') return response.writeHead(302, { location: '/loop' }).end();
    if (url === '/gone') return response.writeHead(410).end();
    if (url === '/broken') return response.writeHead(500).end();
    if (url === '/picture') return response.writeHead(200, { 'content-type': 'image/png' }).end('png');
    const port = `${headers.host}`.split(':')[1];
    const dead = [1, 2, 3].map((n) => `http://dead.a.test:${port}/${n}`);
    const own = ['/moved', '/loop', '/gone', '/broken', '/picture', '/private', '/new', '/other'];
    return response.end([...own, ...dead].map((href) => `<a href="${href}">x</a>`).join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

test('the library resolves with the same counts as the command, and its counters beside them', async () => {
  const port = await startWeb();
  const resolve = [`dead.a.test:${port}:127.0.0.9`, `a.test:${port}:127.0.0.1`];
  const url = `http://a.test:${port}/`;
  const told = await runCommand([
    ...['crawl', url, '--data', join(temporaryFolder(), 'data'), '--delay', '0', '--contact', 'me@example.org'],
    ...['--retries', 'none', ...resolve.flatMap((one) => ['--resolve', one]), '--json'],
  ]);
  const { counters, ...counts } = await crawl({
    ...{ seeds: [url], userAgent: 'counts/1.0 (+me@example.org)', resolve },
    policy: { delayMs: 0, retriesMs: [] },
  });
  const ofCommand = lastJson(told);
  for (const place of [...placesOfUrls, 'admitted', 'hosts', 'outOfScope'] as const)
    assert.equal(counts[place], ofCommand[place], place);
  assert.equal(counters.dead, counts.deadLettered);
});

const rowsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, number | string>>);
const sumOf = (rows: readonly Readonly<Record<string, number | string>>[], field: string) =>
  rows.reduce((sum, row) => sum + Number(row[field] ?? 0), 0);

test('report, stats, failed URLs, hosts and exports of a crawl agree on its counts', async () => {
  const port = await startWeb();
  const data = join(temporaryFolder(), 'data');
  const resolve = ['--resolve', `dead.a.test:${port}:127.0.0.9`, '--resolve', `a.test:${port}:127.0.0.1`];
  const crawl = await runCommand([
    ...['crawl', `http://a.test:${port}/`, '--data', data, '--delay', '0', '--contact', 'me@example.org'],
    ...['--retries', 'none', ...resolve, '--json'],
  ]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const counts = lastJson(crawl) as Readonly<Record<string, number>>;
  const stats = lastJson(await runCommand(['stats', '--data', data, '--json']));
  for (const [name, count] of Object.entries(counts))
    if (name in stats && name !== 'end') assert.equal(stats[name], count, name);
  assert.equal(
    placesOfUrls.reduce((sum, place) => sum + counts[place]!, 0),
    counts['admitted'],
  );
  assert.deepEqual([counts['pages'], counts['redirected'], counts['denied'], counts['notRead']], [3, 1, 1, 1]);

  const failed = await runCommand(['pages', '--failed', '--json', '--data', data]);
  const failures = rowsOf(failed.stdout);
  const ended = counts['denied']! + counts['failed']! + counts['deadLettered']!;
  assert.equal(failures.length, ended, failed.stdout);
  for (const place of ['denied', 'failed', 'deadLettered'])
    assert.equal(failures.filter((one) => one['place'] === place).length, counts[place], place);
  const sums = (await runCommand(['pages', '--failed', '--data', data])).stderr;
  assert.match(
    sums,
    new RegExp(`: ${ended} URLs ended without a page: ${counts['failed']} failed \\(1 of them skipped`, 'm'),
  );
  const printed = (await runCommand(['stats', '--data', data])).stdout;
  assert.match(
    printed,
    new RegExp(`^ {2}${ended} URLs without a page, with reasons: \\S+ .*pages --failed --data`, 'm'),
  );
  const dead = failures.filter(({ url }) => `${url}`.includes('//dead.'));
  assert.equal(dead.length, 3);
  for (const { detail } of dead) assert.match(`${detail}`, /refused|connect/i);

  const urls = rowsOf((await runCommand(['export', 'urls', '--data', data])).stdout);
  assert.equal(urls.length, counts['admitted']);
  assert.equal(urls.filter(({ outcome }) => outcome === 'fetched').length, counts['pages']);
  const hosts = lastJson(await runCommand(['hosts', '--data', data, '--json']))['hosts'] as typeof urls;
  assert.equal(hosts.length, counts['hosts']);
  assert.equal(sumOf(hosts, 'pages'), counts['pages']);
  const exported = rowsOf((await runCommand(['export', 'hosts', '--data', data])).stdout);
  assert.equal(sumOf(exported, 'pages'), counts['pages']);
  assert.equal(sumOf(exported, 'requests'), counts['fetches']);
  assert.equal(sumOf(exported, 'bytes'), counts['bytes']);
  const table = await runCommand(['hosts', '--sort', 'errors', '--data', data]);
  const [, first = ''] = table.stdout.split('\n');
  const cells = first.trim().split(/ {2,}/);
  // What the order goes by is shown: URLs without a page, and failures in a row.
  assert.match(table.stdout.split('\n')[0]!, /pages +no page +in a row/);
  assert.ok(Number(cells[6]) > 0, first);
});
