import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { distinctFeaturesOf, type Features, featuresOf } from '../../../topology/content/features.ts';

const pairs = ({ count, highs, lows }: Features) => Array.from({ length: count }, (_, i) => [highs[i], lows[i]]);
const of = (text: string, seed = 7) => pairs(featuresOf(text, seed));

describe('the features of a text', () => {
  it('the features of a text match stored signatures', () => {
    assert.deepEqual(of('One two 3 Три 漢字'), [
      [1_991_121_059, -933_251_628],
      [-1_580_985_131, 1_508_701_483],
      [-442_077_457, 44_169_977],
      [1_953_453_190, -832_029_979],
      [1_080_915_934, -954_200_006],
    ]);
    assert.notDeepEqual(of('one two'), of('one two', 8));
  });

  it('the features of a text are its pairs of neighbouring words, whatever separates them and however they are written', () => {
    const plain = of('one two three');
    assert.equal(plain.length, 2);
    for (const text of [
      'ONE, two: Three!',
      '(one)\u2014two\u3000three',
      'one\u00a0two\uff0cthree.',
      ' one  two\nthree',
    ])
      assert.deepEqual(of(text), plain, text);
    assert.notDeepEqual(of('two one three'), plain);
    assert.deepEqual([of(''), of('one'), of('漢'), of('. ,')], [[], [], [], []]);
  });

  /** The last sign before a letter, and the letter. */
  const edges = [
    ['\u00a9', '\u00aa'],
    ['\u00ab', '\u00b5'],
    ['\u00b6', '\u00ba'],
    ['\u00bf', '\u00c0'],
    ['\u2000', '\u1fff'],
    ['\u2bff', '\u2c00'],
    ['\u3000', '\u2fff'],
    ['\uff00', '\ufeff'],
    ['\uff0f', '\uff10'],
  ] as const;
  for (const [sign, deadLetter] of edges)
    it(`words are separated at ${sign.codePointAt(0)!.toString(16)} and not at ${deadLetter.codePointAt(0)!.toString(16)}`, () => {
      assert.deepEqual(of(`a${sign}b`), of('a b'));
      assert.deepEqual(of(`a${deadLetter}b`), []);
    });

  it('the features of a text take each ideograph and kana for a word', () => {
    assert.deepEqual(of('漢字か'), of('漢 字 か'));
    assert.equal(of('漢字か').length, 2);
    const isWord = (code: number) => of(String.fromCharCode(code, code, code)).length === 2;
    assert.deepEqual([0x303f, 0x3040, 0x9fff, 0xa000].map(isWord), [false, true, true, false]);
  });

  it('the features of a text are as many as it has, however long it is', () => {
    for (const words of [4_095, 4_096, 4_097, 20_000]) assert.equal(of('漢'.repeat(words)).length, words - 1);
  });
});

describe('distinct features', () => {
  it('distinct features are listed once each, in order of their first occurrence', () => {
    const [oneTwo, twoOne] = of('one two one');
    assert.deepEqual(pairs(distinctFeaturesOf('one two one two one', 7)), [oneTwo, twoOne]);
    assert.deepEqual(pairs(distinctFeaturesOf('one two', 7)), [oneTwo], 'what another text had counts no more');
  });

  it('distinct features are complete even if there are many', () => {
    const words = Array.from({ length: 12_000 }, (_, n) => `w${n}`);
    assert.equal(distinctFeaturesOf(words.join(' '), 7).count, 11_999);
    assert.equal(distinctFeaturesOf([...words, ...words].join(' '), 7).count, 12_000);
  });
});
