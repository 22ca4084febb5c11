import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scriptOf } from '../../../topology/content/script.ts';

const at = (...codes: readonly number[]) => scriptOf([String.fromCharCode(...codes)]);

describe('a letter', () => {
  /** The last code before each range, its first, its last, and the one after it. */
  const edges = [
    ['kana', [0x303f, 0x3040, 0x30ff, 0x3100], [0, 1, 1, 0]],
    ['han', [0x4dff, 0x4e00, 0x9fff, 0xa000], [0, 1, 1, 0]],
    ['vietnamese', [0x1e9f, 0x1ea0, 0x1eff, 0x1f00], [0, 1, 1, 0]],
    ['latin', [0x1dff, 0x1e00, 0x1eff, 0x1f00], [0, 1, 1, 0]],
    ['latin', [0x40, 0x41, 0x5a, 0x5b, 0x60, 0x61, 0x7a, 0x7b], [0, 1, 1, 0, 0, 1, 1, 0]],
    ['latin', [0x7f, 0xa1, 0xbf, 0xc0, 0x24f, 0x250], [0, 0, 0, 1, 1, 0]],
  ] as const;
  for (const [name, codes, counts] of edges)
    it(`a letter counts as ${name} from ${codes[1]!.toString(16)} on and no further`, () =>
      assert.deepEqual(
        codes.map((code) => at(code)[name]),
        counts,
      ));

  it('a letter counts as Hangul within the syllables', () => {
    const scripts = [0xabff, 0xac00, 0xd7af, 0xd7b0].map((code) => at(code).script);
    assert.deepEqual(scripts, ['', 'hangul', 'hangul', '']);
  });

  it('letters are counted over all texts', () => assert.equal(scriptOf(['ab', 'c']).latin, 3));
});

describe('the script of a text', () => {
  it('the script of a text is the one with most letters, where an alphabet’s count twice a Latin one and an ideograph four times', () => {
    const cyrillic = 'ж';
    const cases = [
      ['', ''],
      ['12 !', ''],
      ['a', 'latin'],
      [`aa${cyrillic}`, 'latin'],
      [`a${cyrillic}`, 'cyrillic'],
      ['aaaa漢', 'latin'],
      ['aaa漢', 'cjk'],
      ['aaaaaaa漢か', 'cjk'],
      ['aaaaaaaa漢か', 'latin'],
      ['aaaa한', 'latin'],
      ['aaa한', 'hangul'],
      [`${cyrillic}${cyrillic}漢`, 'cjk'],
      [`${cyrillic}${cyrillic}${cyrillic}漢`, 'cyrillic'],
    ] as const;
    for (const [text, script] of cases) assert.equal(scriptOf([text]).script, script, text);
  });
});
