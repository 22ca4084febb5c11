import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../lab/web/random.ts';
import { markTexts } from '../../../topology/url/marked-texts.ts';

const mark = '.'.charCodeAt(0);

function beginning(texts: readonly string[], text: string): string | null {
  const length = markTexts(texts, mark).beginningOf((i) => text.charCodeAt(i), text.length);
  return length < 0 ? null : text.slice(0, length);
}

test('the shortest member that begins a text is found, and only at a mark', () => {
  const texts = ['gro.a.', 'gro.a.b.', 'ed.', 'x', '', 'ü.', '€.'];
  assert.equal(beginning(texts, 'gro.a.b.c.'), 'gro.a.');
  assert.equal(beginning(texts, 'gro.'), null);
  assert.equal(beginning(texts, 'gro.ab.'), null);
  assert.equal(beginning(texts, 'ed.z.'), 'ed.');
  assert.equal(beginning(texts, 'x'), null, 'it has no mark');
  assert.equal(beginning(texts, 'ü.'), 'ü.');
  assert.equal(beginning([], 'a.'), null);
  assert.equal(markTexts(['a.', 'a.', 'b.'], mark).size, 2);
  assert.equal(markTexts(['ÿ.', 'Ā.'], mark).size, 1, 'Ā is no character of Latin-1');
});

test('the search agrees with trying each text, on random ones', () => {
  const next = numbers(9);
  const label = () => Array.from({ length: 1 + (next() % 2) }, () => 'ab'[next() % 2]).join('');
  const name = (most: number) => Array.from({ length: 1 + (next() % most) }, () => `${label()}.`).join('');
  for (let round = 0; round < 60; round++) {
    const texts = Array.from({ length: next() % 30 }, () => name(3));
    const marked = markTexts(texts, mark);
    assert.equal(marked.size, new Set(texts).size);
    for (let n = 0; n < 50; n++) {
      const text = name(5);
      const shortest = texts.filter((one) => text.startsWith(one)).sort((a, b) => a.length - b.length)[0];
      assert.equal(
        marked.beginningOf((i) => text.charCodeAt(i), text.length),
        shortest?.length ?? -1,
        `${text} in ${texts}`,
      );
    }
  }
});
