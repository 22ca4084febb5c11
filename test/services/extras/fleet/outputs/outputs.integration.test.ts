/** A crawl's outputs by HTTP, as programs that are not ours read them: WARC by warcio, Parquet by DuckDB (both PyPI's). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createWriteStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { pythonEnvironment } from '../../../../../lab/bench/content/python-environment.ts';
import { runCommand } from '../../../../../lab/process/command.ts';
import { startSmallWeb } from '../../../cli/small-web.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { checkByWarcio, fieldsOf, readByWarcio, warcioMissing } from '../../archive/warcio.ts';
import { startFleet } from '../running-fleet.ts';

const run = promisify(execFile);

test('a crawl’s WARC and Parquet hold its pages, during and after it, without purged ones', {
  skip: warcioMissing,
}, async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 12, domains: 2 });
  const folder = temporaryFolder();
  const flags = ['--resolve', `*.test:${small.port}:127.0.0.1`, '--host-delay', '20ms'];
  const fleet = await startFleet(join(folder, 'fleet'), flags);
  after(() => fleet.running.child.kill('SIGKILL'));
  const policy = { delayMs: 20, delayFactor: 0 };
  const kept = await fleet.create({ seeds: small.seeds, policy, name: 'kept', output: { warc: true, markdown: true } });
  await fleet.create({ seeds: small.seeds, policy, name: 'plain' });
  let files = 0;
  const saved = async (crawl: string, file: string) => {
    const response = await fetch(`${fleet.base}/v1/crawls/${crawl}/${file}`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-disposition')!, new RegExp(`"${crawl}-${file}"`));
    const path = join(folder, `${files++}-${file}`);
    await pipeline(Readable.fromWeb(response.body as never), createWriteStream(path));
    return path;
  };
  const pagesIn = async (warc: string) => {
    await checkByWarcio([warc]);
    return (await readByWarcio([warc])).filter(
      ({ type, block }) => type === 'response' && /^HTTP\/1.1 200/.test(block.toString('latin1')),
    );
  };
  const rowsIn = async (parquet: string) => {
    const program = `
import duckdb, json, sys
rows = duckdb.sql("select url, status, title, text, markdown, epoch_ms(fetchedAt) from '" + sys.argv[1] + "' order by url").fetchall()
print(json.dumps(rows))`;
    const python = join(pythonEnvironment('duckdb', ['duckdb==1.4.1']), 'bin/python');
    return JSON.parse((await run(python, ['-c', program, parquet], { maxBuffer: 1 << 28 })).stdout) as (
      | string
      | number
    )[][];
  };

  // While it runs: what there is by then.
  await fleet.until('some pages', (crawls) => crawls[0]!.counts.pages > 3);
  assert.ok((await pagesIn(await saved('kept', 'archive.warc.gz'))).length >= 3);
  assert.ok((await rowsIn(await saved('kept', 'pages.parquet'))).length >= 3);

  await fleet.until('both ends', (crawls) => crawls.every(({ end }) => end === 'done'));
  const listed = (await fleet.pages('kept')) as readonly {
    url: string;
    title: string;
    markdown: string;
    text: string;
    fetchedAtMs: number;
  }[];
  const warc = await saved('kept', 'archive.warc.gz');
  const pages = (await pagesIn(warc)).filter(({ url }) => !url.endsWith('/robots.txt'));
  const urls = listed.map(({ url }) => url).sort();
  assert.deepEqual(pages.map(({ url }) => url).sort(), urls);
  assert.ok(pages.every((page) => fieldsOf(page, 'WARC-Payload-Digest').length === 1));
  const rows = await rowsIn(await saved('kept', 'pages.parquet'));
  assert.deepEqual(
    rows,
    [...listed]
      .sort((a, b) => (a.url < b.url ? -1 : 1))
      .map(({ url, title, text, markdown, fetchedAtMs }) => [url, 200, title, text, markdown, fetchedAtMs]),
  );

  // One that keeps no responses has no WARC, and says so; what was purged is in neither.
  const none = await fleet.call('GET', '/v1/crawls/plain/archive.warc.gz');
  assert.equal(none.status, 404);
  assert.match(JSON.stringify(none), /plain has no stored responses/);
  // A stream has no end that a HEAD could wait for.
  for (const path of ['events', 'archive.warc.gz', 'pages.parquet', 'pages']) {
    const url = `${fleet.base}/v1/crawls/kept/${path}`;
    const head = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(20_000) });
    assert.deepEqual([path, head.status, await head.text()], [path, 200, '']);
  }
  const { host } = new URL(urls[0]!);
  const purged = await runCommand(['purge', host, '--data', kept.data]);
  assert.equal(purged.code, 0, purged.stderr);
  const left = urls.filter((url) => new URL(url).host !== host);
  assert.deepEqual(
    (await rowsIn(await saved('kept', 'pages.parquet'))).map(([url]) => url),
    left,
  );
  const archived = (await pagesIn(await saved('kept', 'archive.warc.gz'))).map(({ url }) => url);
  assert.deepEqual(
    archived.filter((url) => new URL(url).host === host),
    [],
  );
  // Rows that were sorted are gone.
  assert.deepEqual(readdirSync(join(folder, 'fleet', 'outputs')), []);
  assert.equal((await fleet.call('GET', '/v1/crawls/none/pages.parquet')).status, 404);
});
