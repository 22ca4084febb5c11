import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { editedText, proseOf } from '../../../lab/pages/prose.ts';
import { numbers } from '../../../lab/web/random.ts';
import { featuresOf } from '../../../topology/content/features.ts';
import { hamming, simhash } from '../../../topology/content/simhash.ts';

describe('SimHash', () => {
  it('SimHash is the majority of the features, bit by bit, whatever their number', () => {
    for (const words of [25, 26, 32, 33, 34, 100, 1000]) {
      const text = proseOf(words, words);
      const { count, highs, lows } = featuresOf(text, 7);
      assert.equal(count, words - 1);
      const [high, low] = [[...highs.subarray(0, count)], [...lows.subarray(0, count)]];
      const { hi, lo } = simhash(text, 7)!;
      for (let bit = 0; bit < 32; bit++) {
        const most = (halves: readonly number[]) => halves.filter((one) => (one >>> bit) & 1).length > count >> 1;
        assert.deepEqual([(hi >>> bit) & 1, (lo >>> bit) & 1], [Number(most(high)), Number(most(low))]);
      }
    }
  });

  it('SimHash depends on words and key, not on case or separators', () => {
    const text = proseOf(1, 60);
    assert.deepEqual(simhash(text.toUpperCase().replaceAll(' ', ' - '), 7), simhash(text, 7));
    assert.notDeepEqual(simhash(text, 8), simhash(text, 7));
    assert.equal(simhash('too little to tell', 7), null);
    const chinese = '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。';
    assert.ok(simhash(chinese, 7) !== null);
  });

  it('SimHash is far for texts that share only their language, near for copies', () => {
    const signatures = Array.from({ length: 200 }, (_, n) => simhash(proseOf(n, 500), 7)!);
    for (const [i, a] of signatures.entries()) for (const b of signatures.slice(i + 1)) assert.ok(hamming(a, b) > 6);
    const next = numbers(4);
    const near = signatures.filter(
      (one, n) => hamming(one, simhash(editedText(proseOf(n, 500), 0.002, next), 7)!) <= 3,
    );
    assert.ok(near.length > 160, `${near.length}`);
  });
});
