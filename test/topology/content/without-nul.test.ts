/** Records hold no U+0000. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonWithoutNul, withoutNul } from '../../../topology/content/without-nul.ts';
import { parsePage } from '../../../topology/parse/page.ts';

test('U+0000 is dropped from texts, and becomes U+FFFD in every other field, however deep', () => {
  const record = { text: 'a\0b', title: 'c\0d', n: 1, none: null, fields: [{ name: 'h\0', values: ['x\0', 'y'] }] };
  assert.deepEqual(withoutNul(record), {
    ...{ text: 'ab', title: 'c\ufffdd', n: 1, none: null },
    fields: [{ name: 'h\ufffd', values: ['x\ufffd', 'y'] }],
  });
  const bytes = { body: Uint8Array.of(0), text: 'a', list: ['b'] };
  assert.equal(withoutNul(bytes), bytes, 'what has none stays the same value');
});

test('JSON has no U+0000 in names and strings, and keeps an escaped backslash', () => {
  const value = { 'a\0': ['b\0', { c: 'd\\u0000' }], e: 1 };
  assert.deepEqual(JSON.parse(jsonWithoutNul(JSON.stringify(value))), {
    ...{ 'a\ufffd': ['b\ufffd', { c: 'd\\u0000' }], e: 1 },
  });
  assert.equal(jsonWithoutNul('{"a":1}'), '{"a":1}');
});

test('U+0000 of a page is dropped from its text, and becomes U+FFFD in its title, attributes and links', () => {
  const html =
    '<html lang="e\0n"><title>ti\0t</title><meta name=description content="d\0"><p>a\0b \0 c<a href="/\0?\0">';
  const page = parsePage(html, {
    ...{ url: 'http://a.test/', contentType: null, robotsTags: [], productToken: 'x', linksMax: 9 },
    ...{ textCharsMax: 99, byteBudget: 9_999, expired: () => false },
  });
  assert.deepEqual(
    [page.title, page.description, page.text, page.declaredLanguage, page.links],
    ['ti\ufffdt', 'd\ufffd', 'ab c', 'e\ufffdn', ['http://a.test/%EF%BF%BD?%EF%BF%BD']],
  );
});
