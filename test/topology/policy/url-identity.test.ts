/** What counts as one URL is a crawl's own choice, once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkIdentity, normalizeOf, otherIdentity, type sameUrlWords } from '../../../topology/policy/url-identity.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { defaultNormalize } from '../../../topology/url/normalize-config.ts';

const policyOf = (...words: (keyof typeof sameUrlWords)[]) => ({ normalize: normalizeOf(words, defaultNormalize) });

test('each word makes two spellings one URL, and no word leaves them two', () => {
  const spellings: Readonly<Record<keyof typeof sameUrlWords, readonly [string, string]>> = {
    slash: ['https://a.org/b/', 'https://a.org/b'],
    https: ['http://a.org/b', 'https://a.org/b'],
    http: ['http://a.org/b', 'https://a.org/b'],
    empty: ['https://a.org/b?c=', 'https://a.org/b'],
    index: ['https://a.org/index.html', 'https://a.org/'],
    www: ['https://www.a.org/', 'https://a.org/'],
    ref: ['https://a.org/b?ref=x&source=y', 'https://a.org/b'],
  };
  for (const [word, [one, other]] of Object.entries(spellings)) {
    const plain = compileNormalizer();
    assert.notEqual(plain(one), plain(other), word);
    const same = compileNormalizer(policyOf(word as keyof typeof sameUrlWords).normalize);
    assert.equal(same(one), same(other), word);
  }
});

test('a later policy may not choose otherwise, and the error names the field', () => {
  assert.equal(otherIdentity(policyOf(), policyOf()), null);
  assert.equal(otherIdentity(policyOf('slash', 'www'), policyOf('www', 'slash')), null);
  assert.equal(otherIdentity(policyOf('slash'), policyOf()), 'normalize.trailingSlash');
  assert.equal(otherIdentity(policyOf('http'), policyOf('https')), 'normalize.scheme');
  // Parameters to drop are found while a crawl runs, and each was always its own to change.
  assert.equal(otherIdentity(policyOf(), policyOf('ref')), null);
  // Recorded crawls have changed these.
  assert.equal(otherIdentity(policyOf(), policyOf('www'), true), null);
  assert.equal(otherIdentity(policyOf(), policyOf('slash'), true), 'normalize.trailingSlash');
  assert.throws(
    () => checkIdentity(policyOf(), policyOf('index')),
    /policy\.normalize\.indexPages: .* start a new crawl/,
  );
});
