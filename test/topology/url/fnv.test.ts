import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fnv1a } from '../../../topology/url/fnv.ts';

// Of the reference implementation (Noll's test suite), for texts of one byte a character.
const known: readonly (readonly [text: string, hash: number])[] = [
  ['', 0x811c9dc5],
  ['a', 0xe40c292c],
  ['b', 0xe70c2de5],
  ['foobar', 0xbf9cf968],
];

it('FNV-1a equals the reference implementation', () => {
  for (const [text, hash] of known) assert.equal(fnv1a(text), hash, text);
});

it('FNV-1a reads characters beyond a byte by their code units', () => {
  assert.notEqual(fnv1a('ä'), fnv1a('a'));
  assert.notEqual(fnv1a('\u{1f310}'), fnv1a('\ud83c'));
});
