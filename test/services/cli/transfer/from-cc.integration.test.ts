/**
 * `load --from-cc`: a crawl begins where an archive's index ends. The index is DuckDB's (PyPI) in Common Crawl's schema, not
 * written by us.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { pythonSkipReason } from '../../../kafka/python.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

const run = promisify(execFile);
const skip = (await pythonSkipReason()) ?? false;
const folder = temporaryFolder();
const asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
const paths = ['/', '/known', '/fresh', '/gone', '/flaky', '/moved', '/new'];
let site: ReturnType<typeof createServer>;
let origin = '';
let way: readonly string[] = [];

/** Their flat schema (github.com/commoncrawl/cc-index-table), and rows of some of it. */
const program = `
import duckdb, json, sys
rows = json.loads(sys.argv[2])
table = duckdb.connect()
table.execute("set timezone = 'UTC'")
table.execute("""create table ccindex (url_surtkey varchar, url varchar, url_host_name varchar, url_host_tld varchar,
  url_host_2nd_last_part varchar, url_host_3rd_last_part varchar, url_host_4th_last_part varchar, url_host_5th_last_part varchar,
  url_host_registry_suffix varchar, url_host_registered_domain varchar, url_host_private_suffix varchar,
  url_host_private_domain varchar, url_host_name_reversed varchar, url_protocol varchar, url_port integer, url_path varchar,
  url_query varchar, fetch_time timestamp, fetch_status smallint, fetch_redirect varchar, content_digest varchar,
  content_mime_type varchar, content_mime_detected varchar, content_charset varchar, content_languages varchar,
  content_truncated varchar, warc_filename varchar, warc_record_offset integer, warc_record_length integer,
  warc_segment varchar, crawl varchar, subset varchar)""")
table.executemany("insert into ccindex (url, fetch_time, fetch_status, content_digest, subset) values (?, ?, ?, ?, 'warc')", rows)
table.execute(f"copy ccindex to '{sys.argv[1]}' (format parquet, compression {sys.argv[3]}, row_group_size 2048)")`;

type IndexRow = readonly [url: string, time: string, status: number, digest: string];

async function writeIndex(file: string, rows: readonly IndexRow[], codec: string): Promise<void> {
  const python = join(pythonEnvironment('duckdb', ['duckdb==1.4.1']), 'bin/python');
  await run(python, ['-c', program, file, JSON.stringify(rows), codec]);
}

before(async () => {
  site = createServer(({ url, headers }, response) => {
    const path = url ?? '';
    asked.push({ path, headers });
    if (path === '/robots.txt') return response.writeHead(404).end();
    if (headers['if-modified-since'] !== undefined) return response.writeHead(304).end();
    return response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>${path}</title>${paths.map((link) => `<a href=${link}>x</a>`).join('')}`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  origin = `http://pond.test:${port}`;
  way = ['--resolve', `*.test:${port}:127.0.0.1`, '--contact', 'a@pond.test', '--delay', '0'];
});
after(() => site.close());

const day = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString().slice(0, 19).replace('T', ' ');
const rows = (): IndexRow[] => [
  [`${origin}/known`, daysAgo(40), 200, 'A'],
  [`${origin}/known`, daysAgo(30), 200, 'B'],
  [`${origin}/fresh`, daysAgo(0), 200, 'C'],
  [`${origin}/gone`, daysAgo(30), 404, 'D'],
  [`${origin}/flaky`, daysAgo(30), 503, 'E'],
  [`${origin}/moved`, daysAgo(30), 301, 'F'],
  [`${origin}/robots.txt`, daysAgo(30), 200, 'G'],
];

test('only new URLs, and those that had failed temporarily, are requested', { skip }, async () => {
  const data = join(folder, 'once');
  const table = join(folder, 'gzip.parquet');
  await writeIndex(table, rows(), 'gzip');
  const loaded = lastJson(await runCommand(['load', '--from-cc', table, '--data', data, '--json']));
  assert.deepEqual(loaded, { captures: 7, known: 4, scheduled: 0, failed: 1, other: 1 });
  const again = lastJson(await runCommand(['load', '--from-cc', table, '--data', data, '--json']));
  assert.equal(again['known'], 0, 'a second time changes nothing');
  const before = asked.length;
  const crawl = await runCommand(['crawl', `${origin}/`, ...way, '--data', data]);
  assert.equal(crawl.code, 0, crawl.stderr);
  const now = asked.slice(before).map(({ path }) => path);
  assert.deepEqual(now.sort(), ['/', '/flaky', '/new', '/robots.txt']);
  const verified = lastJson(await runCommand(['state', 'verify', '--data', data, '--json']));
  assert.equal(verified['equal'], true, JSON.stringify(verified));
  const explained = await runCommand(['explain', `${origin}/known`, '--data', data]);
  assert.match(explained.stdout, /200/, explained.stderr);
});

test('with a schedule, due pages are revisited conditionally; recent captures are not', { skip }, async (t) => {
  const data = join(folder, 'again');
  const table = join(folder, 'zstd.parquet');
  await writeIndex(table, rows(), 'zstd');
  const schedule = ['--recrawl', 'fixed', '--recrawl-every', '7d'];
  const loaded = lastJson(await runCommand(['load', '--from-cc', table, ...schedule, '--data', data, '--json']));
  assert.deepEqual([loaded['known'], loaded['scheduled']], [4, 4]);
  const before = asked.length;
  const since = () => asked.slice(before);
  const running = startCommand(['crawl', `${origin}/`, ...way, ...schedule, '--data', data]);
  t.after(() => running.child.kill('SIGKILL'));
  await until(() => ['/known', '/moved', '/new', '/flaky'].every((path) => since().some((one) => one.path === path)));
  running.child.kill('SIGINT');
  await running.ended;
  const visit = since().find(({ path }) => path === '/known')!;
  assert.ok(Math.abs(Date.parse(visit.headers['if-modified-since']!) - (Date.now() - 30 * day)) < day / 2);
  assert.ok(!since().some(({ path }) => path === '/fresh'));
});

test('a page captured with different digests is revisited sooner than one that stayed the same', { skip }, async () => {
  const data = join(folder, 'changes');
  const table = join(folder, 'snappy.parquet');
  const visits = (path: string, digests: string): IndexRow[] =>
    [...digests].map((digest, n) => [`${origin}${path}`, daysAgo(60 - n), 200, digest]);
  await writeIndex(table, [...visits('/lively', 'ABCDEFGHIJ'), ...visits('/still', 'AAAAAAAAAA')], 'snappy');
  await runCommand(['load', '--from-cc', table, '--recrawl', 'adaptive', '--data', data]);
  const dump = join(folder, 'dump.jsonl');
  assert.equal((await runCommand(['dump', dump, '--data', data])).code, 0);
  const lines = readFileSync(dump, 'utf8').trim().split('\n');
  const of = (path: string) => {
    const line = lines.map((one) => JSON.parse(one) as never).find(({ url }) => url === `${origin}${path}`);
    return line as unknown as { visits: { history: { changes: number; unchanged: number }; dueAtMs: number } };
  };
  const [lively, still] = [of('/lively').visits, of('/still').visits];
  assert.deepEqual([lively.history.changes, lively.history.unchanged], [9, 0]);
  assert.deepEqual([still.history.changes, still.history.unchanged], [0, 9]);
  assert.ok(lively.dueAtMs < still.dueAtMs, `${lively.dueAtMs} and ${still.dueAtMs}`);
});

test('CDXJ is accepted, too, compressed or not; invalid lines are refused with their place', async () => {
  const data = join(folder, 'lines');
  const line = (path: string, status: string) =>
    `test,pond)${path} 20260101000000 ${JSON.stringify({ url: `${origin}${path}`, status, digest: 'sha1:A', mime: 'text/html' })}\n`;
  const index = join(folder, 'index.cdxj.gz');
  writeFileSync(index, gzipSync(`${line('/a', '200')}${line('/b', '404')}${line('/c', '-')}`));
  const loaded = lastJson(await runCommand(['load', '--from-cc', index, '--data', data, '--json']));
  assert.deepEqual(loaded, { captures: 3, known: 3, scheduled: 0, failed: 0, other: 0 });
  const wrong = join(folder, 'wrong.txt');
  writeFileSync(wrong, `${line('/a', '200')}http://pond.test/\n`);
  const refused = await runCommand(['load', '--from-cc', wrong, '--data', data]);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /wrong\.txt, line 2: this is no line of a CDXJ index/);
  const other = join(folder, 'other.parquet');
  writeFileSync(other, 'PAR1 and nothing else');
  assert.match(
    (await runCommand(['load', '--from-cc', other, '--data', data])).stderr,
    /other\.parquet cannot be read as Parquet/,
  );
  assert.equal((await runCommand(['load', '--recrawl', 'fixed', '--seen', wrong, '--data', data])).code, 2);
});
