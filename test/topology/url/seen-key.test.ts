import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seenKey } from '../../../topology/url/seen-key.ts';

test('a URL without a query is its own key', () => {
  assert.equal(seenKey('http://a.org/b/'), 'http://a.org/b/');
});

test('spellings that no server tells apart share a key', () => {
  const key = 'http://a.org/?a&q=x%20y';
  for (const url of ['http://a.org/?a=&q=x+y', 'http://a.org/?a&a=&q=x%20y', 'http://a.org/?a&q=x+y&q=x%20y']) {
    assert.equal(seenKey(url), key, url);
  }
});

test('spellings that may name different pages keep different keys', () => {
  const urls = [
    'http://a.org/b',
    'https://a.org/b',
    'http://a.org/b/',
    'http://a.org/B',
    'http://a.org/b+c',
    'http://a.org/b%20c',
    'http://a.org/b?a==',
    'http://a.org/b?a',
    'http://a.org/b?=1',
    'http://a.org/b?x=1&x=2',
    'http://a.org/b?x=2&x=1',
  ];
  assert.equal(new Set(urls.map(seenKey)).size, urls.length);
});
