/** Visible text, character by character: the same as plain functions make of the same. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseLimits } from '../../../topology/parse/parse-limits.ts';
import { collapseBlanks, createText, cut } from '../../../topology/parse/text.ts';
import { drawFrom } from '../../kept/drawn.ts';

function gathered(pieces: readonly string[], charsMax: number, breaks = false): string {
  const text = createText(charsMax);
  for (const piece of pieces) {
    text.add(piece, 0, piece.length);
    if (breaks) text.breakHere();
  }
  return text.finish();
}

it('blanks are those of regular expressions, wherever they stand', () => {
  for (let code = 1; code < 0x1_0000; code++) {
    // References and halves of pairs are no characters by themselves.
    if (code === 0x26 || (code >= 0xd800 && code < 0xe000)) continue;
    const character = String.fromCharCode(code);
    const wanted = /\s/.test(character) ? 'a b' : `a${character}b`;
    assert.equal(gathered([`a${character}b`], 99), wanted, code.toString(16));
    assert.equal(
      gathered([`東${character}`, `${character}b`], 99),
      /\s/.test(character) ? '東 b' : `東${character}${character}b`,
    );
    assert.equal(
      collapseBlanks(`${character}a${character}${character}b`),
      `${character}a${character}${character}b`.replace(/\s+/g, ' ').trim(),
    );
  }
});

it('pieces run on or are separated, up to the requested length', () => {
  const draw = drawFrom(1);
  const characters = ['a', 'b', ' ', '\n', 'é', '東', '\u{1f600}', '\u2003', '\u00a0', '.'];
  for (let round = 0; round < 3_000; round++) {
    const pieces = draw.list(draw.below(6), () => draw.list(draw.below(9), () => draw.of(characters)).join(''));
    const most = draw.of([0, 1, 2, 3, 5, 8, 100]);
    for (const breaks of [false, true]) {
      const whole = pieces
        .join(breaks ? ' ' : '')
        .replace(/\s+/g, ' ')
        .trim();
      const text = gathered(pieces, most, breaks);
      // What is cut behind a blank ends before it.
      assert.equal(text, cut(whole, most).trimEnd(), JSON.stringify([pieces, most, breaks]));
    }
  }
});

it('a cut never leaves half of a surrogate pair', () => {
  const text = 'a\u{1f600}b';
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((most) => cut(text, most)),
    ['', 'a', 'a', 'a\u{1f600}', text, text],
  );
});

it('a text is cut before a surrogate pair that would be split, and before nothing else', () => {
  for (const pair of ['\u{10000}', '\u{103ff}', '\u{10fc00}', '\u{10ffff}']) {
    assert.equal(cut(`a${pair}b`, 2), 'a', pair);
    assert.equal(cut(`a${pair}b`, 3), `a${pair}`, pair);
  }
  for (const single of ['\ud7ff', '\udc00', '\udfff', '\ue000'])
    assert.equal(cut(`a${single}b`, 2), `a${single}`, single);
  // What is no longer than it may be is itself, whatever it ends with.
  assert.equal(cut('a\ud800', 2), 'a\ud800');
  assert.equal(cut('', 0), '');
  assert.equal(cut('abc', 0), '');
});

it('references are decoded in bytes and in characters, up to the requested length', () => {
  /** Both ways: `|` parts what is added in pieces, with a break at `||`. */
  const both = (html: string, most = 99) => {
    const texts = [null, Buffer.from(html)].map((ascii) => {
      const text = createText(most, ascii);
      let at = 0;
      for (const piece of html.split('|')) {
        if (piece === '' && at > 0) text.breakHere();
        else text.add(html, at, at + piece.length);
        at += piece.length + 1;
      }
      return text.finish();
    });
    assert.equal(texts[0], texts[1], html);
    return texts[0];
  };
  for (const [html, expected] of [
    ['a &amp; b', 'a & b'],
    ['a&amp;amp;b&lt;', 'a&amp;b<'],
    ['&nbsp;a &nbsp; &#32; b&nbsp;', 'a b'],
    ['&#x6771;a &#x3000; b', '東a b'],
    ['a & b &x c', 'a & b &x c'],
    ['a&am|p;b', 'a&amp;b'],
    ['a|b||c|| ||d &amp;||e|', 'ab c d & e'],
    ['||a', 'a'],
    ['a&#x6771;|b||&eacute;|c', 'a東b éc'],
    ['&amp;|&amp; | &amp;', '&& &'],
    ['', ''],
    [' ', ''],
  ] as const)
    assert.equal(both(html), expected, html);
  for (const [html, most, expected] of [
    ['abc&amp;d', 3, 'abc'],
    ['abc&amp;d', 4, 'abc&'],
    ['abc&amp;d', 5, 'abc&d'],
    ['&#x6771;&#x6771;|&#x6771;', 2, '東東'],
    ['ab |c', 3, 'ab'],
    ['a  b  c', 3, 'a b'],
    ['&amp;'.repeat(20), 9, '&'.repeat(9)],
    [`${'&CounterClockwiseContourIntegral;'.repeat(9)}`, 8, '∳'.repeat(8)],
  ] as const)
    assert.equal(both(html, most), expected, `${html} ${most}`);
});

it('a text is bounded in any request, with one byte or two a character', () => {
  const { textCharsMax } = parseLimits;
  for (const character of ['x', '東']) {
    const whole = character.repeat(textCharsMax + 5);
    assert.equal(gathered([whole], textCharsMax * 2), whole.slice(0, textCharsMax));
    assert.equal(gathered([whole, whole], textCharsMax), whole.slice(0, textCharsMax));
  }
  assert.equal(gathered(['next'], 99), 'next', 'and the next begins anew');
});
