import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutEnds } from '../../../topology/url/without-ends.ts';

test('control characters and spaces at both ends are removed, and nothing else', () => {
  const texts = {
    '': '',
    ' ': '',
    x: 'x',
    ' x': 'x',
    'x ': 'x',
    '\0\x1f x y\t\n': 'x y',
    '!x!': '!x!',
    '\u00a0x\ufeff': '\u00a0x\ufeff',
  };
  for (const [text, expected] of Object.entries(texts)) assert.equal(withoutEnds(text), expected, JSON.stringify(text));
});
