import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../lab/web/random.ts';
import { sortTexts } from '../../../topology/url/sorted-texts.ts';

function prefixIn(texts: readonly string[], text: string): string | null {
  const length = sortTexts(texts).prefixOf((i) => text.charCodeAt(i), text.length);
  return length < 0 ? null : text.slice(0, length);
}

test('the member that begins a text is found, and nothing else', () => {
  const texts = ['b', 'abc', 'abd', 'zz', 'ÿ', '', 'abc/longer', '€'];
  assert.equal(prefixIn(texts, 'abcd'), 'abc');
  assert.equal(prefixIn(texts, 'abc'), 'abc');
  assert.equal(prefixIn(texts, 'ab'), null);
  assert.equal(prefixIn(texts, 'abe'), null);
  assert.equal(prefixIn(texts, 'bbb'), 'b');
  assert.equal(prefixIn(texts, 'z'), null);
  assert.equal(prefixIn(texts, 'ÿa'), 'ÿ');
  assert.equal(prefixIn(texts, '€'), null, 'no normal URL has such a character');
  assert.equal(prefixIn([], 'a'), null);
  assert.equal(sortTexts(texts).size, 5, 'the longer of abc and abc/longer says nothing more');
});

test('the search agrees with trying each text, on random ones', () => {
  const next = numbers(3);
  const word = (most: number) => Array.from({ length: 1 + (next() % most) }, () => 'abc'[next() % 3]).join('');
  for (let round = 0; round < 50; round++) {
    const texts = Array.from({ length: next() % 20 }, () => word(5));
    const sorted = sortTexts(texts);
    for (let n = 0; n < 50; n++) {
      const text = word(8);
      const shortest = texts.filter((one) => text.startsWith(one)).sort((a, b) => a.length - b.length)[0];
      assert.equal(
        sorted.prefixOf((i) => text.charCodeAt(i), text.length),
        shortest?.length ?? -1,
        `${text} in ${texts}`,
      );
    }
  }
});
