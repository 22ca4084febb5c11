import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sniffedType } from '../../../../services/fetcher/pages/page-type.ts';

test('a response without a type is markup where it begins with < after white space, and no text where it holds a NUL', () => {
  const cases: readonly (readonly [body: string, type: string])[] = [
    ['<p>', 'html'],
    ['\t<p>', 'html'],
    ['\r<p>', 'html'],
    [' \n\v\f\r\t<p>', 'html'],
    ['\ufeff <p>', 'html'],
    ['\b<p>', 'text'],
    ['\x0e<p>', 'text'],
    ['a<p>', 'text'],
    ['', 'text'],
    ['   ', 'text'],
    [`${'a'.repeat(1_023)}\0`, 'other'],
    [`${'a'.repeat(1_024)}\0`, 'text'],
  ];
  for (const [body, type] of cases)
    assert.equal(sniffedType(Buffer.from(body)), type, JSON.stringify(body.slice(0, 20)));
});
