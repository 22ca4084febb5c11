import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { csv, jsonLines, rawCsv } from '../../../../services/extras/export/text-writers.ts';
import { newestRows } from '../../../../services/runtime/table/newest-rows.ts';
import { parquetFile } from '../../../../services/runtime/table/parquet-writer.ts';
import type { Column, Row } from '../../../../services/runtime/table/table.ts';

const columns: readonly Column[] = [
  { name: 'url', type: 'string' },
  { name: 'bytes', type: 'int' },
  { name: 'rank', type: 'double' },
  { name: 'ok', type: 'boolean' },
  { name: 'at', type: 'timestamp' },
  { name: 'fields', type: 'json' },
];
const atMs = Date.UTC(2026, 10, 21, 10);
const rows: readonly Row[] = [
  ['http://a.test/?q="x",y', 2 ** 40, 0.25, true, atMs, '{"price":["3.5"]}'],
  ['http://b.test/line\nbreak 😀', 0, null, false, null, null],
];

async function written(writer: typeof csv): Promise<string> {
  const out = new PassThrough();
  const all = text(out);
  const to = writer(out, columns);
  for (const row of rows) await to.write(row);
  await to.end();
  out.end();
  return all;
}

test('JSON lines are read back unchanged; absent values have no key', async () => {
  const lines = (await written(jsonLines)).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      {
        url: rows[0]![0],
        bytes: 2 ** 40,
        rank: 0.25,
        ok: true,
        at: '2026-11-21T10:00:00.000Z',
        fields: { price: ['3.5'] },
      },
      { url: rows[1]![0], bytes: 0, ok: false },
    ],
  );
});

test('CSV is read back by an independent reader, quotes, commas and line breaks included', async () => {
  const read = parse(await written(csv), { columns: true });
  assert.deepEqual(read, [
    {
      url: rows[0]![0],
      bytes: String(2 ** 40),
      rank: '0.25',
      ok: 'true',
      at: '2026-11-21T10:00:00.000Z',
      fields: '{"price":["3.5"]}',
    },
    { url: rows[1]![0], bytes: '0', rank: '', ok: 'false', at: '', fields: '' },
  ]);
});

test('Parquet is read back by an independent reader, over several groups of rows, with its types', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'x.parquet');
  const writer = parquetFile(file, columns);
  for (const row of rows) await writer.write(row);
  const more = 60_000;
  for (let i = 0; i < more; i++)
    await writer.write([`http://c.test/${i}`, i, i / 2, i % 2 === 0, atMs + i, `{"i":${i}}`]);
  await writer.end();
  const read = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
  assert.equal(read.length, more + 2);
  assert.deepEqual(read[0], {
    url: rows[0]![0],
    bytes: 2n ** 40n,
    rank: 0.25,
    ok: true,
    at: new Date(atMs),
    fields: { price: ['3.5'] },
  });
  assert.deepEqual(read[1], { url: rows[1]![0], bytes: 0n, rank: null, ok: false, at: null, fields: null });
  assert.deepEqual(read.at(-1), {
    url: `http://c.test/${more - 1}`,
    bytes: BigInt(more - 1),
    rank: (more - 1) / 2,
    ok: false,
    at: new Date(atMs + more - 1),
    fields: { i: more - 1 },
  });
});

test('an empty table is still a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'none.parquet');
  await parquetFile(file, columns).end();
  assert.deepEqual(await parquetReadObjects({ file: await asyncBufferFromFile(file) }), []);
});

test('of rows with one key the last is kept, in key order', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'newest-'));
  t.after(() => rm(folder, { recursive: true }));
  async function* some(): AsyncGenerator<readonly [string, Row]> {
    for (let round = 0; round < 3; round++)
      for (let i = 999; i >= 0; i--) yield [`k${String(i).padStart(3, '0')}`, [i, round]];
  }
  const kept: Row[] = [];
  for await (const row of newestRows(some(), folder)) kept.push(row);
  assert.deepEqual(
    kept,
    Array.from({ length: 1_000 }, (_, i) => [i, 2]),
  );
});

test('text that a spreadsheet would run as a formula is quoted in CSV, unless raw is asked for; numbers stay', async () => {
  const hostile = ['=HYPERLINK("http://evil.test")', '+1', '-1', '@SUM(A1)', '\tx', '\rx', 'plain'];
  const linesOf = async (writer: typeof csv) => {
    const out = new PassThrough();
    const all = text(out);
    const to = writer(out, [
      { name: 'title', type: 'string' },
      { name: 'change', type: 'double' },
    ]);
    for (const title of hostile) await to.write([title, -1.5]);
    await to.end();
    out.end();
    return parse(await all, { columns: true }) as { title: string; change: string }[];
  };
  const guarded = await linesOf(csv);
  assert.deepEqual(
    guarded.map(({ title }) => title),
    [...hostile.slice(0, -1).map((title) => `'${title}`), 'plain'],
  );
  assert.equal(guarded[0]!.change, '-1.5');
  assert.deepEqual(
    (await linesOf(rawCsv)).map(({ title }) => title),
    hostile,
  );
});

test('CSV quotes formulas also behind semicolons, full-width signs and full-width spaces', async () => {
  const out = new PassThrough();
  const all = text(out);
  const to = csv(out, [
    { name: 'title', type: 'string' },
    { name: 'fields', type: 'json' },
  ]);
  const fields = { name: 'a;=1+1', sum: 'b\t@SUM(A1)', kept: 'a = b; c' };
  for (const title of ['＝1+1', '＋1', '－1', '＠x', '\n=1', '  =1', '\ufeff=1', 'a;=1+1', 'b\n-1', 'c; d = e']) {
    await to.write([title, JSON.stringify(fields)]);
  }
  await to.end();
  out.end();
  const written = await all;
  // As a locale has it whose decimals have a comma: quotes within a cell are letters.
  const cells = written.split(/[;\t\r\n]/).map((cell) => cell.replace(/^"/, ''));
  assert.deepEqual(
    cells.filter((cell) => /^[\s\ufeff]*[=+\-@＝＋－＠]/.test(cell)),
    [],
  );
  const read = parse(written, { columns: true }) as { title: string; fields: string }[];
  assert.deepEqual(JSON.parse(read[0]!.fields), fields);
  assert.equal(read.at(-1)!.title, 'c; d = e');
});

test('times in Parquet are instants in UTC, so no reader takes them for local times', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parquet-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'x.parquet');
  const writer = parquetFile(file, columns);
  for (const row of rows) await writer.write(row);
  await writer.end();
  const { schema } = await parquetMetadataAsync(await asyncBufferFromFile(file));
  const { converted_type, logical_type } = schema.find(({ name }) => name === 'at')!;
  assert.equal(converted_type, 'TIMESTAMP_MILLIS', 'for readers of the old form');
  assert.deepEqual(logical_type, { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' });
});
