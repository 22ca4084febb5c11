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

test('three bytes are a byte order mark only together', () => {
  const markup = 0x3c;
  for (const start of [
    [0xef, 0xbb, 0x61],
    [0xef, 0x61, 0xbf],
    [0x61, 0xbb, 0xbf],
    [0xef, 0x61, 0x61],
    [0x61, 0x61, 0xbf],
  ])
    assert.equal(sniffedType(Uint8Array.of(...start, markup)), 'text', start.join());
  assert.equal(sniffedType(Uint8Array.of(0xef, 0xbb, 0xbf, markup)), 'html');
});
