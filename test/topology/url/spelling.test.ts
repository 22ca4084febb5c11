import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { isSpellingOf, spellingOf, spelt } from '../../../topology/url/spelling.ts';

const normalize = compileNormalizer();

test('a spelling is what a browser would request, if that is not the normal form', () => {
  for (const [found, spelling] of [
    ['http://a.test/x?b=2&a=1', '/x?b=2&a=1'],
    ['http://A.test/x?utm_source=y#part', '/x?utm_source=y'],
    ['http://a.test//x', '//x'],
    ['http://a.test/x?', '/x?'],
    // A browser, too, resolves and escapes these.
    ['http://a.test/x/../ü y', ''],
    ['http://a.test', ''],
  ] as const) {
    const normal = normalize(found)!;
    assert.equal(spellingOf(found, normal), spelling, normal);
    assert.equal(isSpellingOf(spelling, normal, normalize), spelling !== '');
  }
  assert.equal(spellingOf('https://a.test/x?b&a', 'http://a.test/x?a&b'), '', 'another origin has another queue');
  assert.equal(spellingOf('no URL', 'http://a.test/'), '');
});

test('a link’s claimed spelling is believed only if it is a spelling of that URL, on its own host', () => {
  const normal = 'http://a.test:8080/x?a=1&b=2';
  assert.equal(spelt(normal, '/x?b=2&a=1'), 'http://a.test:8080/x?b=2&a=1');
  assert.ok(isSpellingOf('/x?b=2&a=1', normal, normalize));
  for (const claimed of [
    '/y',
    '//evil.test/x?a=1&b=2',
    '@evil.test/',
    '.evil.test/',
    'x',
    '/x?a=1&b=2',
    `/x?a=1&b=2&utm_id=${'y'.repeat(3_000)}`,
  ])
    assert.ok(!isSpellingOf(claimed, normal, normalize), claimed);
});
