/** Tables as Parquet: what a reader gets of each type, wherever groups end, and what the file says of them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { countByTag } from '../../../../services/runtime/table/by-tag.ts';
import { readParquet } from '../../../../services/runtime/table/parquet-reader.ts';
import { parquetBytes, parquetFile } from '../../../../services/runtime/table/parquet-writer.ts';
import type { Column, Row } from '../../../../services/runtime/table/table.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const columns: readonly Column[] = [
  { name: 'text', type: 'string' },
  { name: 'whole', type: 'int' },
  { name: 'small', type: 'int32' },
  { name: 'real', type: 'double' },
  { name: 'yes', type: 'boolean' },
  { name: 'at', type: 'timestamp' },
  { name: 'more', type: 'json' },
];
const rows: readonly Row[] = [
  ['größe', 2 ** 53 - 1, -(2 ** 31), 0.5, true, 1_767_323_045_006, '{"a":[1,"b"]}'],
  ['', -1, 2 ** 31 - 1, -1e300, false, 0, '"text"'],
  [null, null, null, null, null, null, null],
];

async function fileOf(of: readonly Row[], its: readonly Column[] = columns): Promise<string> {
  const path = join(temporaryFolder(), 'a.parquet');
  const file = parquetFile(path, its);
  for (const row of of) await file.write(row);
  await file.end();
  return path;
}

async function read(path: string, names: readonly string[]): Promise<unknown[][]> {
  const found: unknown[][] = [];
  for await (const group of readParquet(path, names)) found.push(...group);
  return found;
}

test('a table is read back as it was written, each type at its edges', async () => {
  const path = await fileOf(rows);
  const names = columns.map(({ name }) => name);
  const json = (cell: unknown) => (typeof cell === 'string' ? JSON.parse(cell) : cell);
  assert.deepEqual(
    await read(path, names),
    rows.map((row) => row.map((cell, at) => (columns[at]!.type === 'json' ? json(cell) : cell))),
  );
});

test('another reader sees types, nulls and points in time, in UTC', async () => {
  const file = await asyncBufferFromFile(await fileOf(rows));
  const { schema } = await parquetMetadataAsync(file);
  const typeOf = (name: string) => schema.find((one) => one.name === name);
  assert.deepEqual(
    columns.map(({ name }) => [name, typeOf(name)?.type, typeOf(name)?.repetition_type]),
    [
      ['text', 'BYTE_ARRAY', 'OPTIONAL'],
      ['whole', 'INT64', 'OPTIONAL'],
      ['small', 'INT32', 'OPTIONAL'],
      ['real', 'DOUBLE', 'OPTIONAL'],
      ['yes', 'BOOLEAN', 'OPTIONAL'],
      ['at', 'INT64', 'OPTIONAL'],
      ['more', 'BYTE_ARRAY', 'OPTIONAL'],
    ],
  );
  assert.deepEqual(typeOf('at')?.logical_type, { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' });
  const [first] = await parquetReadObjects({ file });
  assert.equal((first!['at'] as Date).toISOString(), '2026-01-02T03:04:05.006Z');
  assert.equal(first!['whole'], 2n ** 53n - 1n);
});

test('columns are read by name, in the order asked for', async () => {
  const path = await fileOf(rows);
  assert.deepEqual((await read(path, ['small', 'text']))[0], [-(2 ** 31), 'größe']);
  assert.deepEqual(await read(path, ['yes']), [[true], [false], [null]]);
});

test('a group ends after 50,000 rows, or with the row that brings 32 MB of text', async () => {
  const groupsOf = async (of: readonly Row[]) => {
    const file = await asyncBufferFromFile(await fileOf(of, [{ name: 'text', type: 'string' }]));
    return (await parquetMetadataAsync(file)).row_groups.map(({ num_rows: count }) => Number(count));
  };
  assert.deepEqual(await groupsOf(Array.from({ length: 50_000 }, (): Row => ['x'])), [50_000]);
  assert.deepEqual(await groupsOf(Array.from({ length: 50_001 }, (): Row => ['x'])), [50_000, 1]);
  const half = 'x'.repeat(16 << 20);
  assert.deepEqual(await groupsOf([[half], [half], ['x']]), [2, 1]);
  assert.deepEqual(await groupsOf([[half], [half.slice(1)], ['x']]), [3]);
  assert.deepEqual(await groupsOf([]), []);
});

test('the bytes of a table that are produced on demand are those of the file', async () => {
  const path = await fileOf(rows);
  const parts: Uint8Array[] = [];
  const of = (async function* () {
    yield* rows;
  })();
  for await (const part of parquetBytes({ columns, rows: of })) parts.push(part);
  const other = join(temporaryFolder(), 'b.parquet');
  writeFileSync(other, Buffer.concat(parts));
  const names = columns.map(({ name }) => name);
  assert.deepEqual(await read(other, names), await read(path, names));
});

test('a file without a column, or that is no Parquet, is refused by name', async () => {
  const path = await fileOf(rows);
  await assert.rejects(read(path, ['text', 'none', 'other']), {
    code: 'INVALID_ARGUMENT',
    message: `${path} cannot be read as Parquet: it lacks the column none, other`,
  });
  const other = join(temporaryFolder(), 'other');
  writeFileSync(other, 'no Parquet');
  await assert.rejects(read(other, ['text']), {
    code: 'INVALID_ARGUMENT',
    message: /other cannot be read as Parquet: /,
  });
  await assert.rejects(read(`${other}.none`, ['text']), { code: 'INVALID_ARGUMENT', message: /ENOENT/ });
});

test('results are counted by tag, a URL under each of its tags, those without one last', async () => {
  const names = ['outcome', 'url', 'bytes', 'tags'];
  const of = async function* (): AsyncGenerator<Row> {
    yield ['fetched', 'u1', 100, '["b","a"]'];
    yield ['notModified', 'u2', 10, '["a"]'];
    yield ['notFound', 'u3', null, '["c"]'];
    yield ['notFound', 'u4', 1, null];
    yield ['fetched', 'u5', 2, null];
    yield ['fetched', 'u6', 4, null];
  };
  const table = { columns: names.map((name) => ({ name, type: 'string' as const })), rows: of() };
  assert.deepEqual(await countByTag(table), [
    { tag: 'a', urls: 2, pages: 2, bytes: 110, outcomes: { fetched: 1, notModified: 1 } },
    { tag: 'b', urls: 1, pages: 1, bytes: 100, outcomes: { fetched: 1 } },
    { tag: 'c', urls: 1, pages: 0, bytes: 0, outcomes: { notFound: 1 } },
    { tag: '', urls: 3, pages: 2, bytes: 7, outcomes: { notFound: 1, fetched: 2 } },
  ]);
});

test('a column is read alone as it is among others', async () => {
  const path = await fileOf(rows);
  for (const [at, { name, type }] of columns.entries()) {
    if (type === 'json') continue;
    assert.deepEqual(
      await read(path, [name]),
      rows.map((row) => [row[at]]),
      name,
    );
  }
});
