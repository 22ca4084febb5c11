import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hexValue, isNormalEscape, normalizeEscapes, unreserved } from '../../../topology/url/escapes.ts';

const ascii = Array.from({ length: 128 }, (_, code) => code);
const isUnreserved = (code: number) => /[A-Za-z0-9\-._~]/.test(String.fromCharCode(code));
const hex = (code: number) => code.toString(16).toUpperCase().padStart(2, '0');

describe('escapes in a URL (RFC 3986 §2)', () => {
  it('hex digits have their values, and no other character has one', () => {
    for (let code = 0; code < 256; code++) {
      const char = String.fromCharCode(code);
      const value = /[0-9a-fA-F]/.test(char) ? Number.parseInt(char, 16) : -1;
      assert.equal(hexValue(code), value, char);
    }
    assert.equal(hexValue(Number.NaN), -1);
  });

  it('each octet has one escape, in capitals, and an unreserved one has none', () => {
    for (let octet = 0; octet < 256; octet++) {
      const plain = octet < 128 && isUnreserved(octet);
      const wanted = plain ? String.fromCharCode(octet) : `%${hex(octet)}`;
      for (const spelling of [hex(octet), hex(octet).toLowerCase()]) {
        const spelt = `%${spelling}`;
        for (const [before, after] of [
          ['', ''],
          ['/a', 'b'],
          ['%41', '%2f'],
        ] as const) {
          const [head, tail] = [normalizeEscapes(before), normalizeEscapes(after)];
          assert.equal(normalizeEscapes(before + spelt + after), head + wanted + tail, before + spelt + after);
        }
        assert.equal(isNormalEscape(spelt, 0), !plain && spelling === hex(octet), spelt);
        assert.equal(isNormalEscape(`x${spelt}`, 1), !plain && spelling === hex(octet), spelt);
      }
    }
  });

  it('characters that no URL may hold are escaped in place, and others stay', () => {
    for (const code of ascii) {
      const char = String.fromCharCode(code);
      assert.equal(unreserved[code], isUnreserved(code) ? 1 : 0, char);
      if (char === '%') continue;
      const wanted = '"<>[]\\^`{|}'.includes(char) ? `%${hex(code)}` : char;
      assert.equal(normalizeEscapes(char), wanted);
      assert.equal(normalizeEscapes(`a${char}${char}b`), `a${wanted}${wanted}b`);
    }
    assert.equal(normalizeEscapes('é\u{1f600}'), 'é\u{1f600}');
  });

  it('a % that begins no escape stands for itself', () => {
    for (const [given, wanted] of [
      ['%', '%25'],
      ['%4', '%254'],
      ['%4g', '%254g'],
      ['%g4', '%25g4'],
      ['%%41', '%25A'],
      ['a%', 'a%25'],
      ['a%4', 'a%254'],
      ['%25', '%25'],
      ['%2', '%252'],
    ] as const)
      assert.equal(normalizeEscapes(given), wanted, given);
    assert.equal(isNormalEscape('%4', 0), false);
    assert.equal(isNormalEscape('%', 0), false);
    assert.equal(isNormalEscape('%2F', 0), true);
  });

  it('a text without changes is returned as the same string', () => {
    const text = '/a/b%2Fc?d=%C3%A9';
    assert.equal(normalizeEscapes(text), text);
  });
});
