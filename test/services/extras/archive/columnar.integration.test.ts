/**
 * The columnar index of an archive, as DuckDB (PyPI's) reads it, with questions of the kinds that Common Crawl publishes for
 * its own; and as places in WARC files, where warcio (PyPI's) finds what the table says.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { runPython } from '../../../kafka/python.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const archive = join(folder, 'data', 'archive');
const out = join(folder, 'table');
const german = 'Ein Frosch sitzt am Teich und wartet auf den Abend, an dem die Mücken über dem Wasser tanzen. ';
const english = 'A frog sits beside the pond and waits for the evening, when gnats are dancing over the water. ';
let port = 0;
let counts: unknown;

before(async () => {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const site = createServer(({ url, headers: { host } }, response) => {
    if (url === '/robots.txt')
      return response.writeHead(200, { 'content-type': 'text/plain' }).end('User-agent: *\nAllow: /\n');
    if (url === '/old') return response.writeHead(301, { ...html, location: '/new?page=2' }).end();
    if (url?.startsWith('/new')) return response.writeHead(200, html).end(`<p>${english.repeat(4)}new`);
    if (url === '/paper') return response.writeHead(200, html).end('%PDF-1.7\n%\u00e2\u00e3\n');
    if (url === '/latin') {
      const latin = { 'content-type': 'text/html; charset=iso-8859-1' };
      return response.writeHead(200, latin).end(Buffer.from(`<p>${german.repeat(4)}`, 'latin1'));
    }
    // Longer than what the index reads of a record.
    if (url === '/long') return response.writeHead(200, html).end(`<p>${english.repeat(60_000)}`);
    if (url !== '/') return response.writeHead(404, html).end('<p>not here');
    const words = host?.startsWith('teich') ? german : english;
    const links = '<a href=/old>o</a><a href=/paper>p</a><a href=/latin>l</a><a href=/gone>g</a>';
    const page = `<p>${words.repeat(4)}${host?.startsWith('www') ? `${links}<a href=/long>n</a>` : ''}`;
    response.writeHead(200, { ...html, 'content-encoding': 'gzip' }).end(gzipSync(page));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  ({ port } = site.address() as AddressInfo);
  const seeds = ['teich.blogspot.com', 'www.frog.co.uk', 'pond.frog.co.uk'].map((host) => `http://${host}:${port}/`);
  const way = [`*.blogspot.com:${port}:127.0.0.1`, `*.co.uk:${port}:127.0.0.1`].flatMap((one) => ['--resolve', one]);
  const kept = ['--with', 'archive', '--archive', 'all', '--delay', '0'];
  const crawled = await runCommand(['crawl', ...seeds, ...way, ...kept, '--data', join(folder, 'data')]);
  site.close();
  assert.equal(crawled.code, 0, crawled.stderr);
  const made = await runCommand(['warc', 'index', archive, '--out', out, '--crawl', 'POND-2026', '--json']);
  assert.equal(made.code, 0, made.stderr);
  counts = lastJson(made);
});

/** Rows of each question, as a Python program gets them. */
async function asked(questions: readonly string[]): Promise<unknown[][][]> {
  const program = `
import duckdb, json, sys
table = duckdb.connect()
table.execute("create schema ccindex")
table.execute("create view ccindex.ccindex as select * from read_parquet('" + sys.argv[1] + "/**/*.parquet', hive_partitioning = true)")
print(json.dumps([table.execute(question).fetchall() for question in json.loads(sys.argv[2])], default=str))`;
  const python = join(pythonEnvironment('duckdb', ['duckdb==1.4.1']), 'bin/python');
  const { stdout } = await run(python, ['-c', program, out, JSON.stringify(questions)]);
  return JSON.parse(stdout) as unknown[][][];
}

const from = `from "ccindex"."ccindex" where crawl = 'POND-2026'`;

test('DuckDB answers queries of Common Crawl’s index: domains, types, statuses, paths', async () => {
  assert.deepEqual(counts, {
    folder: join(out, 'crawl=POND-2026'),
    warcs: 1,
    warc: 7,
    crawldiagnostics: 2,
    robotstxt: 3,
  });
  const [parts, tlds, domains, kinds, statuses, robots, languages, moved] = await asked([
    'select count(*), crawl, subset from "ccindex"."ccindex" group by crawl, subset order by subset',
    `select count(*) as n, url_host_tld, count(distinct url_host_name), count(distinct url_host_registered_domain)
       ${from} and subset = 'warc' group by url_host_tld order by n desc`,
    `select distinct url_host_name_reversed, url_host_2nd_last_part, url_host_5th_last_part, url_host_registry_suffix,
       url_host_registered_domain, url_host_private_suffix, url_host_private_domain ${from} order by 1`,
    `select count(*), content_mime_type, content_mime_detected ${from} and subset = 'warc' group by 2, 3 order by 3`,
    `select count(*), fetch_status ${from} and subset = 'crawldiagnostics' group by 2 order by 2`,
    `select count(*), url_path, min(url_query) ${from} and subset = 'robotstxt' group by 2`,
    `select url_host_name, url_path, content_languages, content_charset ${from} and subset = 'warc'
       and content_languages = 'deu' order by 1`,
    `select url_path, url_query, url_protocol, url_port, fetch_redirect, fetch_time > now() - interval 1 hour
       ${from} and (fetch_status = 301 or url_query is not null) order by fetch_status`,
  ]);
  assert.deepEqual(parts, [
    [2, 'POND-2026', 'crawldiagnostics'],
    [3, 'POND-2026', 'robotstxt'],
    [7, 'POND-2026', 'warc'],
  ]);
  assert.deepEqual(tlds, [
    [6, 'uk', 2, 1],
    [1, 'com', 1, 1],
  ]);
  assert.deepEqual(domains, [
    ['com.blogspot.teich', 'blogspot', null, 'com', 'blogspot.com', 'blogspot.com', 'teich.blogspot.com'],
    ['uk.co.frog.pond', 'co', null, 'co.uk', 'frog.co.uk', 'co.uk', 'frog.co.uk'],
    ['uk.co.frog.www', 'co', null, 'co.uk', 'frog.co.uk', 'co.uk', 'frog.co.uk'],
  ]);
  assert.deepEqual(kinds, [
    [1, 'text/html', 'application/pdf'],
    [6, 'text/html', 'text/html'],
  ]);
  assert.deepEqual(statuses, [
    [1, 301],
    [1, 404],
  ]);
  assert.deepEqual(robots, [[3, '/robots.txt', null]]);
  assert.deepEqual(languages, [
    ['teich.blogspot.com', '/', 'deu', 'UTF-8'],
    ['www.frog.co.uk', '/latin', 'deu', 'windows-1252'],
  ]);
  assert.deepEqual(moved, [
    ['/new', 'page=2', 'http', port, null, true],
    ['/old', null, 'http', port, `http://www.frog.co.uk:${port}/new?page=2`, true],
  ]);
});

test('the table’s offsets and digests match the records', async () => {
  const [rows] = await asked([
    `select warc_filename, warc_record_offset, warc_record_length, url, content_digest ${from}`,
  ]);
  const program = `
import base64, hashlib, io, json, sys
from warcio.archiveiterator import ArchiveIterator
found = []
for name, offset, length, url, digest in json.loads(sys.argv[2]):
    with open(sys.argv[1] + '/' + name, 'rb') as file:
        file.seek(offset)
        bytes = file.read(length)
    record = next(iter(ArchiveIterator(io.BytesIO(bytes))))
    body = record.raw_stream.read()
    found.append([record.rec_headers.get_header('WARC-Target-URI'), base64.b32encode(hashlib.sha1(body).digest()).decode()])
print(json.dumps(found))`;
  const found = await runPython(program, [archive, JSON.stringify(rows)]);
  assert.equal(rows!.length, 12);
  assert.deepEqual(
    JSON.parse(found),
    rows!.map(([, , , url, digest]) => [url, digest]),
  );
});

test('an existing table is not mixed with another, and no partial one is left', async () => {
  const again = await runCommand(['warc', 'index', archive, '--out', out, '--crawl', 'POND-2026']);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /crawl=POND-2026 already exists: choose another --out or --crawl, or remove it/);
  assert.deepEqual(readdirSync(join(out, 'crawl=POND-2026')).sort(), [
    'subset=crawldiagnostics',
    'subset=robotstxt',
    'subset=warc',
  ]);
  for (const subset of readdirSync(join(out, 'crawl=POND-2026'))) {
    assert.deepEqual(readdirSync(join(out, 'crawl=POND-2026', subset)), ['part-00000.parquet']);
  }
});
