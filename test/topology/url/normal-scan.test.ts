/**
 * The scans against patterns that say the same in other words. A scan that takes too much is seen by the normaliser's tests;
 * one that takes too little costs time alone, and is seen here.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scanAuthority, scanPath, scanQuery } from '../../../topology/url/normal-scan.ts';
import { urlGenerator } from './url-generator.ts';

function authorityByPattern(url: string): number {
  const [whole, s, host = '', port] = /^http(s?):\/\/([a-z\d_.-]+)(?::([1-9]\d{0,4}))?(?=\/)/.exec(url) ?? [];
  if (whole === undefined || host.length > 253) return -1;
  // Empty labels, what may be punycode, and what may be an IPv4 address.
  if (/^\.|\.\.|\.$|--|(?:^|\.)\d[^.]*$/.test(host)) return -1;
  return Number(port) > 65_535 || port === (s === 's' ? '443' : '80') ? -1 : whole.length;
}

function pathByPattern(text: string): number {
  const [path] = /^[^?#]*/.exec(text)!;
  const segments = path.split('/');
  const isNormal = segments.every((segment, at) => {
    // A dot may begin a dot segment, a parenthesis a session of ASP.NET.
    if (segment === '') return at === segments.length - 1;
    return /^(?![.(])(?:[A-Za-z\d._~!$&'()*+,:@=-]|%[\dA-F]{2})+$/.test(segment) && !hasUnreserved(segment);
  });
  return isNormal ? path.length : -1;
}

/** RFC 3986 §2.3. */
function hasUnreserved(text: string): boolean {
  return (text.match(/%../g) ?? []).some((one) => /[A-Za-z\d._~-]/.test(octetOf(one)));
}

function octetOf(escaped: string): string {
  return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
}

function queryByPattern(text: string): number {
  return /^[!$-&(-;=?-~]*(?=#|$)/s.exec(text)?.[0].length ?? -1;
}

/** Each text with each of its characters replaced, left out, and put before by each of ASCII and some beyond. */
function* neighbours(texts: readonly string[]): Generator<string> {
  const chars = Array.from({ length: 0x82 }, (_, code) => String.fromCharCode(code)).concat('\xff', '\u0130', '\u20ac');
  for (const text of texts) {
    yield text;
    for (let at = 0; at <= text.length; at++) {
      const [before, after] = [text.slice(0, at), text.slice(at)];
      yield before + after.slice(1);
      for (const char of chars) yield* [before + char + after, before + char + after.slice(1)];
    }
  }
}

/** How many were taken: where the patterns take next to nothing, the two agree on little. */
function agree(texts: Iterable<string>, scan: (text: string) => number, pattern: (text: string) => number): number {
  let taken = 0;
  for (const text of texts) {
    const end = pattern(text);
    // Not by `assert`, which costs more than what it compares.
    if (scan(text) !== end) assert.equal(scan(text), end, JSON.stringify(text));
    if (end >= 0) taken += 1;
  }
  return taken;
}

/** From behind the character that stands before. */
const shifted = (end: number) => (end < 0 ? end : end - 1);

describe('the fast path of the normaliser', () => {
  it('the fast path accepts normal schemes, hosts and ports', () => {
    const long = (chars: number) => `http://${'a'.repeat(chars - 2)}.b/`;
    const near = neighbours(['https://a-b.c0:8/', 'http://0.x_:65535/']);
    const ports = ['443', '80', '65536', '99999', '0', '080'].flatMap((port) => [
      ...[`http://a:${port}/`, `https://a:${port}/`],
    ]);
    const lengths = [253, 254].flatMap((chars) => [long(chars), long(chars).replace(/\/$/, ':8/')]);
    assert.ok(
      agree([...near, ...ports, ...lengths, '', 'http:', 'http:///'], scanAuthority, authorityByPattern) > 1_000,
    );
    const { absolute } = urlGenerator(5);
    const drawn = Array.from({ length: 2_000 }, absolute);
    assert.ok(agree(drawn, scanAuthority, authorityByPattern) > 300);
  });

  it('the fast path accepts normal paths, from behind a slash', () => {
    const near = neighbours(['', 'a.b/c', '%2Fa%C3', 'a(b)/c?d', "~!$&'()*+,:@=-_#x", 'a/?b', '%7E.%2E']);
    const scan = (text: string) => shifted(scanPath(`/${text}`, 1));
    assert.ok(agree(near, scan, pathByPattern) > 2_000);
  });

  it('the fast path accepts normal queries, from behind their mark', () => {
    const near = neighbours(['', 'a=b&c;d', "/?:@-._~!$&()*+,%[]{}|^`\\#'<>"]);
    assert.ok(agree(near, (text) => shifted(scanQuery(`?${text}`, 1)), queryByPattern) > 1_000);
  });

  it('the fast path accepts normal escapes, each of them', () => {
    const pairs = [...neighbours(['41'])].filter((pair) => pair.length === 2);
    const hex = Array.from({ length: 256 }, (_, code) => code.toString(16).padStart(2, '0'));
    const texts = [...pairs, ...hex, ...hex.map((pair) => pair.toUpperCase())].map((pair) => `/%${pair}`);
    const wanted = (text: string) => (/^\/%[\dA-F]{2}$/.test(text) && !hasUnreserved(text) ? 4 : -1);
    assert.ok(agree(texts, (text) => scanPath(text, 1), wanted) >= 256 - 66);
  });
});
