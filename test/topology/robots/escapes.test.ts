import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalOctets, canonicalPath } from '../../../topology/robots/escapes.ts';

const octets = Array.from({ length: 256 }, (_, octet) => octet);
const escapeOf = (octet: number) => `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
const isUnreserved = (octet: number) => /[A-Za-z0-9\-._~]/.test(String.fromCharCode(octet));

describe('the canonical spelling of a path (RFC 9309 §2.2.2, RFC 3986 §2)', () => {
  it('the canonical spelling of a path decodes escapes of unreserved characters and writes all others in capitals, for each octet', () => {
    for (const octet of octets) {
      const spelt = escapeOf(octet);
      const wanted = isUnreserved(octet) ? String.fromCharCode(octet) : spelt;
      const spellings = [spelt, spelt.toLowerCase(), `%${spelt[1]!.toLowerCase()}${spelt[2]}`];
      for (const spelling of spellings) {
        assert.equal(canonicalOctets(spelling), wanted);
        assert.equal(canonicalOctets(`/a${spelling}b`), `/a${wanted}b`);
        assert.equal(canonicalOctets(`/a${spelling}${spelling}`), `/a${wanted}${wanted}`);
      }
    }
  });

  it('the canonical spelling of a path keeps valid URI characters and escapes the rest, for each octet', () => {
    for (const octet of octets) {
      const char = String.fromCharCode(octet);
      const stays = isUnreserved(octet) || ":/?#[]@!&'()+,;=%".includes(char);
      assert.equal(canonicalOctets(`/a${char}b`), `/a${stays ? char : escapeOf(octet)}b`, escapeOf(octet));
      assert.equal(canonicalOctets(`${char}${char}`), stays ? char + char : escapeOf(octet).repeat(2));
    }
  });

  it('the canonical spelling of a path keeps a % that begins no escape', () => {
    for (const text of ['%', '%4', '/%', '/%4', '/%4g', '/%g4', '/%%', '/%/41', '/% 41'.replace(' ', '!')])
      assert.equal(canonicalOctets(text), text);
    assert.equal(canonicalOctets('%%41'), '%A');
    assert.equal(canonicalOctets('%4%41'), '%4A');
    // The characters beside the digits, on both sides.
    for (const char of '/:@`GgZz') assert.equal(canonicalOctets(`%${char}1`), char === '`' ? '%%601' : `%${char}1`);
    for (const char of '/:@`GgZz') assert.equal(canonicalOctets(`%4${char}`), char === '`' ? '%4%60' : `%4${char}`);
  });

  it('the canonical spelling of a path begins after the authority and ends before the fragment', () => {
    for (const [url, path] of [
      ['http://a.test', '/'],
      ['http://a.test/', '/'],
      ['http://a.test/b?c#d', '/b?c'],
      ['http://a.test?c', '/?c'],
      ['http://a.test#d', '/'],
      ['http://a.test#d/e', '/'],
      ['http://a.test?c/d#e', '/?c/d'],
      ['https://u@a.test:8080//x//y', '//x//y'],
      ['http://a.test/é', '/%C3%A9'],
      ['http://a.test/%c3%A9', '/%C3%A9'],
      ['http://a.test/~%7e*$', '/~~%2A%24'],
    ] as const)
      assert.equal(canonicalPath(url), path, url);
  });
});
