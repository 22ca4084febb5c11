/**
 * Percent-escapes in one form (RFC 3986 §6.2.2.1–2, §2.4).
 *
 * Escapes of unreserved characters are decoded, all others get upper-case digits, a `%` that starts no escape becomes
 * `%25`, and printable characters that RFC 3986 allows nowhere (`[`, `|`, …) are escaped. Reserved characters stay as
 * they were written: `%2F` and `/` differ.
 *
 * Input: printable ASCII (0x21–0x7E), as WHATWG parsing leaves a path or a query.
 * Invariant: idempotent. It needs the `%25` rule: `%%341` would otherwise become `%41`, and `A` the next time.
 */

/** Per ASCII code: what to do with an unescaped character. */
const mustEscape = new Uint8Array(128);
for (const char of '"<>[]\\^`{|}') mustEscape[char.charCodeAt(0)] = 1;

/** RFC 3986 §2.3. */
export const unreserved = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~')
  unreserved[char.charCodeAt(0)] = 1;

const percent = 37;

/** Value of a hexadecimal digit's char code, or -1. */
export function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 65 && code <= 70) return code - 55;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
}

/**
 * True if the escape at `at` is in its one form: upper-case, and not of an unreserved character. False also if it is
 * not an escape.
 */
export function isNormalEscape(text: string, at: number): boolean {
  if (at + 2 >= text.length) return false;
  const first = text.charCodeAt(at + 1);
  const second = text.charCodeAt(at + 2);
  if (first > 70 || second > 70) return false;
  const high = hexValue(first);
  const low = hexValue(second);
  if (high < 0 || low < 0) return false;
  const code = high * 16 + low;
  return code > 127 || unreserved[code] === 0;
}

/** Shares the string it was given if nothing is to be done. */
export function normalizeEscapes(text: string): string {
  let out = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== percent) {
      if (mustEscape[code] !== 1) continue;
      out += `${text.slice(copied, at)}%${code.toString(16).toUpperCase()}`;
      copied = at + 1;
      continue;
    }
    if (isNormalEscape(text, at)) {
      at += 2;
      continue;
    }
    out += text.slice(copied, at);
    const high = at + 2 < text.length ? hexValue(text.charCodeAt(at + 1)) : -1;
    const low = high < 0 ? -1 : hexValue(text.charCodeAt(at + 2));
    if (low < 0) {
      out += '%25';
      copied = at + 1;
      continue;
    }
    const escaped = high * 16 + low;
    out += unreserved[escaped] === 1 ? String.fromCharCode(escaped) : text.slice(at, at + 3).toUpperCase();
    at += 2;
    copied = at + 1;
  }
  return copied === 0 ? text : out + text.slice(copied);
}
