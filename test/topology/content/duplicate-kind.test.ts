import assert from 'node:assert/strict';
import { test } from 'node:test';
import { duplicateKindOf } from '../../../topology/content/duplicate-kind.ts';

const kindOf = (url: string, representative: string, method: 'exact' | 'minhash' | 'none' = 'exact') =>
  duplicateKindOf({ url, representative, method });

test('a copy is syndicated on another registrable domain, and exact or near within one', () => {
  assert.equal(kindOf('https://a.example.org/2', 'https://a.example.org/1'), 'exact');
  assert.equal(kindOf('https://a.example.org/2', 'https://b.example.org/1', 'minhash'), 'near');
  assert.equal(kindOf('https://a.example.org/2', 'https://example.com/1'), 'syndicated');
  assert.equal(kindOf('https://a.example.org/2', 'https://example.com/1', 'minhash'), 'syndicated');
  // Owners of a private suffix are strangers to each other.
  assert.equal(kindOf('https://a.github.io/1', 'https://b.github.io/1'), 'syndicated');
});

test('a page that represents itself is no duplicate', () => {
  assert.equal(kindOf('https://a.example.org/1', 'https://a.example.org/1', 'none'), null);
});
