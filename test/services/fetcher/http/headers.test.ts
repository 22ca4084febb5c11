/** Response headers as a flat list. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { headerOf, headersFromRaw, headersOf } from '../../../../services/fetcher/http/headers.ts';

const headers = ['etag', '"1"', 'vary', 'etag', 'etag', '"2"'];

it('a header is found by its name, not by a similar value; the first one counts, or all in order', () => {
  assert.equal(headerOf(headers, 'etag'), '"1"');
  assert.deepEqual(headersOf(headers, 'etag'), ['"1"', '"2"']);
  assert.equal(headerOf(headers, '"1"'), '');
  assert.deepEqual(headersOf(headers, 'age'), []);
  assert.equal(headerOf([], 'etag'), '');
  assert.equal(headerOf(['etag', '', 'etag', '"3"'], 'etag'), '"3"', 'an empty field says nothing');
});

it('header names are read in lower case and values trimmed, with non-ASCII octets as Latin-1 (RFC 9110 §5.5)', () => {
  const raw = ['ETag', ' "1" ', 'X-\u00c4', 'caf\u00e9'].map((text) => Buffer.from(text, 'latin1'));
  assert.deepEqual(headersFromRaw(raw), ['etag', '"1"', 'x-\u00e4', 'caf\u00e9']);
  assert.deepEqual(headersFromRaw([]), []);
});
