import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatOf, formats } from '../../../../services/extras/export/output-format.ts';

test('the ending of an export’s file says its format, in any case', () => {
  const names = ['x.jsonl', 'x.ndjson', 'x.csv', 'a.b/x.parquet', 'x.PARQUET'];
  assert.deepEqual(
    names.map((name) => formatOf(undefined, name)),
    ['jsonl', 'jsonl', 'csv', 'parquet', 'parquet'],
  );
});

test('an export to stdout, or to a name without an ending, is JSON lines', () => {
  for (const name of [undefined, 'pages', '/dev/stdout', 'a.b/pages', '.hidden'])
    assert.equal(formatOf(undefined, name), 'jsonl');
});

test('an export refuses an ending that it does not know, and names those that it knows', () => {
  for (const name of ['x.xlsx', 'x.jsonl.gz', 'x.']) {
    assert.throws(() => formatOf(undefined, name), {
      code: 'INVALID_ARGUMENT',
      message:
        /^--out "x\..*": nothing is written as \..*: end the name in \.jsonl, \.json, \.ndjson, \.csv, \.parquet, or add --format jsonl$/,
    });
  }
});

test('a format that is asked for is written under any name, except one that says another format', () => {
  for (const format of formats) assert.equal(formatOf(format, 'x.txt'), format);
  assert.throws(() => formatOf('csv', 'x.parquet'), {
    code: 'INVALID_ARGUMENT',
    message: /--format "csv": --out x\.parquet is named as parquet/,
  });
});
