/**
 * One spelling for paths and patterns, so that they compare octet by octet (RFC 9309 §2.2.2, RFC 3986 §2.2–2.3).
 *
 * Canonical form: escapes of unreserved characters are decoded, and every other escape has upper-case digits. Octets
 * that no URI may hold (controls, space, `"<>\^`{|}`, all beyond ASCII) are escaped. `*` and `$` as data are `%2A`
 * and `%24`. An escape of another reserved character stays different from the character itself (`%2F` is not `/`):
 * RFC 3986 says so, and under RFC 9309's example of the opposite, `/*%2F*` would match every path. A `%` that begins
 * no escape is left alone, in paths and in patterns.
 */

const percent = 0x25;
const star = 0x2a;

/** Octets that stand for themselves in the canonical form: unreserved, reserved without `*` and `$`, and `%`. */
const plain = new Uint8Array(256);
for (const c of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!&'()+,;=%") {
  plain[c.charCodeAt(0)] = 1;
}
const unreserved = /^[A-Za-z0-9\-._~]$/;

/** octet → its canonical spelling when it was escaped. */
const ofEscape: readonly string[] = Array.from({ length: 256 }, (_, octet) => {
  const char = String.fromCharCode(octet);
  return unreserved.test(char) ? char : escaped(octet);
});
/** octet → its canonical spelling when it occurs unescaped. */
const ofOctet: readonly string[] = Array.from({ length: 256 }, (_, octet) =>
  plain[octet] === 1 ? String.fromCharCode(octet) : escaped(octet),
);

function escaped(octet: number): string {
  return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Characters that make `canonicalOctets` rewrite something. */
const needsWork = /[^A-Za-z0-9\-._~:/?#[\]@!&'()+,;=]/;
const patternNeedsWork = /[^A-Za-z0-9\-._~:/?#[\]@!&'()+,;=*]/;

/** The canonical form of a string of octets (char codes 0–255). Linear. */
export function canonicalOctets(octets: string): string {
  return needsWork.test(octets) ? rewritten(octets, false) : octets;
}

/** The canonical form of a pattern, in which `*` is a wildcard and not data. */
export function canonicalPattern(octets: string): string {
  return patternNeedsWork.test(octets) ? rewritten(octets, true) : octets;
}

/** Writes octets into one buffer: growing a string piece by piece costs ten times as much. */
function rewritten(octets: string, isPattern: boolean): string {
  const out = Buffer.allocUnsafe(octets.length * 3);
  let end = 0;
  for (let i = 0; i < octets.length; i++) {
    const octet = octets.charCodeAt(i) & 0xff;
    let spelt = '';
    if (octet === percent) {
      const high = hexDigit(octets.charCodeAt(i + 1));
      const low = hexDigit(octets.charCodeAt(i + 2));
      if (high >= 0 && low >= 0) {
        spelt = ofEscape[high * 16 + low]!;
        i += 2;
      }
    } else if (plain[octet] === 0 && !(isPattern && octet === star)) spelt = ofOctet[octet]!;
    if (spelt === '') out[end++] = octet;
    for (let at = 0; at < spelt.length; at++) out[end++] = spelt.charCodeAt(at);
  }
  return out.toString('latin1', 0, end);
}

/** Value of a hexadecimal digit; -1 for any other code, including NaN (past the end). */
function hexDigit(c: number): number {
  if (c >= 0x30 && c <= 0x39) return c - 0x30;
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const beyondLatin = /[^\0-\x7f]/;
const utf8 = new TextEncoder();

/** The canonical path and query of a URL, fragment removed: what patterns are matched against. */
export function canonicalPath(url: string): string {
  const authority = url.indexOf('//') + 2;
  let start = authority;
  for (; start < url.length; start++) {
    const c = url.charCodeAt(start);
    if (c === 0x2f || c === 0x3f || c === 0x23) break;
  }
  const hash = url.indexOf('#', start);
  const path = url.slice(start, hash < 0 ? url.length : hash);
  const octets = beyondLatin.test(path) ? latin1(utf8.encode(path)) : path;
  const canonical = canonicalOctets(octets);
  return canonical.startsWith('/') ? canonical : `/${canonical}`;
}

/** Octets as a string of char codes 0–255. */
export function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1');
}
