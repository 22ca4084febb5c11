/** A crawl that keeps its link graph, killed on the way, and what it exports, read back by other readers. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { compileNumberList } from '../../../../topology/url/number-list.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startSmallWeb } from '../small-web.ts';

async function exported(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['export', ...args]);
  assert.equal(code, 0, stderr);
  return stdout;
}

const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('a crawl exports its pages, URLs, hosts and links unchanged, in every format', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 16, pagesPerHost: 4, seed: 5, linksPerPage: 5 });
  const data = join(temporaryFolder(), 'data');
  const args = [...web.crawlArguments, '--delay', '10ms', '--with', 'graph', '--data', data];
  const killed = startCommand(args);
  while (web.web.requests().length < 20 && killed.child.exitCode === null) await sleep(5);
  killed.child.kill('SIGKILL');
  await killed.ended;
  const ended = await runCommand(args);
  assert.equal(ended.code, 0, ended.stderr);

  // The plan says which links each page has.
  const expected = [...web.plan.expected(web.port).fetch].sort();
  const edges = new Set<string>();
  const hostEdges = new Map<string, number>();
  for (const url of expected) {
    const { host, pathname, search } = new URL(url);
    const from = web.plan.hostOf(new URL(url).hostname);
    const resource = web.plan.resolve(from, pathname + search);
    assert.ok(resource !== undefined);
    for (const target of web.plan.targets(from, resource)) {
      const to = web.plan.url(target.host, target.path, web.port);
      if (edges.has(`${url} ${to}`)) continue;
      edges.add(`${url} ${to}`);
      const pair = `${host} ${new URL(to).host}`;
      if (target.host !== from) hostEdges.set(pair, (hostEdges.get(pair) ?? 0) + 1);
    }
  }

  const found = lines(await exported(['graph', '--of', 'pages', '--data', data]));
  assert.deepEqual(found.map(({ source, target }) => `${source} ${target}`).sort(), [...edges].sort());

  const file = join(data, 'graph.parquet');
  await exported(['graph', '--format', 'parquet', '--out', file, '--data', data]);
  const ofHosts = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
  assert.deepEqual(
    ofHosts.map(({ source, target, weight }) => `${source} ${target} ${weight}`).sort(),
    [...hostEdges].map(([pair, weight]) => `${pair} ${weight}`).sort(),
  );

  const pages = join(data, 'pages.parquet');
  const reported = await runCommand([
    'export',
    'pages',
    '--format',
    'parquet',
    '--out',
    pages,
    '--data',
    data,
    '--json',
  ]);
  assert.deepEqual(lastJson(reported), {
    what: 'pages',
    format: 'parquet',
    rows: expected.length,
    unreadable: 0,
    file: pages,
  });
  const read = await parquetReadObjects({ file: await asyncBufferFromFile(pages) });
  assert.deepEqual(
    read.map(({ url }) => url),
    expected,
  );
  assert.ok(read.every(({ title, text, bytes }) => title !== '' && text !== '' && bytes > 0n));

  const urls = join(data, 'urls.csv');
  await exported(['urls', '--format', 'csv', '--out', urls, '--data', data]);
  const outcomes = parse(await readFile(urls), { columns: true }) as Record<string, string>[];
  const fetched = outcomes.filter(({ outcome }) => outcome === 'fetched');
  assert.deepEqual(
    fetched.map(({ url }) => url),
    expected,
  );

  const hosts = lines(await exported(['hosts', '--data', data]));
  assert.equal(hosts.length, web.plan.hosts.length);
  assert.equal(hosts.reduce((sum, { pages }) => sum + pages, 0) >= expected.length, true);
  assert.ok(Math.abs(hosts.reduce((sum, { pageRank }) => sum + pageRank, 0) - 1) < 1e-6);
  const list = join(data, 'authority.txt');
  await exported(['authority', '--out', list, '--data', data]);
  const authority = compileNumberList('authority', await readFile(list, 'utf8'), 'authority.txt');
  const byRank = [...hosts]
    .sort((a, b) => b.pageRank - a.pageRank)
    .map(({ host }) => authority.numberOf(`http://${host}/`));
  assert.deepEqual([byRank[0], byRank.at(-1)], [1, 0]);
  assert.deepEqual(
    byRank,
    [...byRank].sort((a, b) => b! - a!),
    'a policy reads what the graph says',
  );
  for (const { host, inDegree } of hosts) {
    assert.equal(inDegree, [...hostEdges.keys()].filter((pair) => pair.endsWith(` ${host}`)).length, host);
  }
});

test('an unsupported export is reported in one line', async () => {
  const web = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 3, seed: 6, linksPerPage: 5 });
  const data = join(temporaryFolder(), 'data');
  assert.equal((await runCommand([...web.crawlArguments, '--delay', '0', '--data', data])).code, 0);
  const graph = await runCommand(['export', 'graph', '--data', data]);
  assert.deepEqual([graph.code, graph.stderr.split('\n').length], [2, 2]);
  assert.match(graph.stderr, /no link graph: crawl with --with graph/);
  const named = join(temporaryFolder(), 'named.PARQUET');
  await exported(['pages', '--out', named, '--data', data]);
  assert.equal((await readFile(named)).subarray(0, 4).toString(), 'PAR1', 'the name of a file says its format');
  const other = await runCommand(['export', 'pages', '--format', 'csv', '--out', named, '--data', data]);
  assert.equal(other.code, 2);
  assert.match(other.stderr, /--format "csv": --out .*named\.PARQUET is named as parquet: leave --format out/);
  const sheet = join(temporaryFolder(), 'pages.xlsx');
  const unknown = await runCommand(['export', 'pages', '--out', sheet, '--data', data]);
  assert.deepEqual([unknown.code, existsSync(sheet)], [2, false]);
  assert.match(unknown.stderr, /--out ".*pages\.xlsx": nothing is written as \.xlsx: end the name in \.jsonl/);
  const parquet = await runCommand(['export', 'pages', '--format', 'parquet', '--data', data]);
  assert.match(parquet.stderr, /--out is missing/);
  const format = await runCommand(['export', 'pages', '--format', 'xml', '--data', data]);
  assert.match(format.stderr, /jsonl, csv, parquet/);
});
