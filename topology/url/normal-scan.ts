/**
 * Scanners by char code that recognise URLs in normal form, so that most URLs need no parser.
 *
 * Each returns the index where its part ends, or -1 for "not sure: take the slow path". A scanner may reject too
 * much, but never accept too much: WHATWG parsing and every default step of the normaliser leave accepted text
 * unchanged. A fuzz test checks this.
 */
import { isNormalEscape } from './escapes.ts';

const hostChar = 1;
const pathChar = 2;
const queryChar = 4;

const classes = new Uint8Array(128);
for (const char of 'abcdefghijklmnopqrstuvwxyz0123456789-_') classes[char.charCodeAt(0)]! |= hostChar;
// Without `;` (may begin a session id) and `.` `/` `%`, which have separate cases.
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~!$&'()*+,:@=") {
  classes[char.charCodeAt(0)]! |= pathChar;
}
// The WHATWG query state leaves these unchanged in a special URL: printable ASCII except `"`, `#`, `'`, `<`, `>`.
for (let code = 0x21; code < 0x7f; code++) {
  if (!'"#\'<>'.includes(String.fromCharCode(code))) classes[code]! |= queryChar;
}

const slash = 47;
const dot = 46;
const colon = 58;
const hyphen = 45;
const question = 63;
const hash = 35;
const percent = 37;
const openParenthesis = 40;

/** `http://host` or `https://host:port` in normal form, followed by `/`: the index of that slash. IP literals: -1. */
export function scanAuthority(url: string): number {
  const length = url.length;
  let at = 4;
  if (url.charCodeAt(at) === 115) at = 5;
  // `http`, then `://`.
  if (length < 9 || url.charCodeAt(0) !== 104 || url.charCodeAt(1) !== 116 || url.charCodeAt(2) !== 116) return -1;
  if (url.charCodeAt(3) !== 112 || url.charCodeAt(at) !== colon) return -1;
  if (url.charCodeAt(at + 1) !== slash || url.charCodeAt(at + 2) !== slash) return -1;
  at += 3;
  const start = at;
  let label = at;
  let previous = dot;
  for (; at < length; at++) {
    const code = url.charCodeAt(at);
    if (code === dot) {
      if (previous === dot) return -1;
      label = at + 1;
    } else if (code >= 128 || (classes[code]! & hostChar) === 0) {
      if (code === slash || code === colon) break;
      return -1;
    } else if (code === hyphen && previous === hyphen) {
      return -1; // may be punycode, which the parser validates
    }
    previous = code;
  }
  if (at === length || previous === dot || at - start > 253) return -1;
  const first = url.charCodeAt(label);
  if (first >= 48 && first <= 57) return -1; // may be an IPv4 address in any of its spellings
  return url.charCodeAt(at) === slash ? at : scanPort(url, at, start === 8 ? 443 : 80);
}

/** `:port/` with 1–65535, no leading zero, not the scheme's own. */
function scanPort(url: string, at: number, schemePort: number): number {
  let port = 0;
  const start = ++at;
  for (; at < url.length && at - start < 6; at++) {
    const digit = url.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    port = port * 10 + digit;
  }
  if (url.charCodeAt(at) !== slash || url.charCodeAt(start) === 48) return -1;
  return port > 0 && port < 65_536 && port !== schemePort ? at : -1;
}

/** A path from `at`, which follows a slash (or begins a relative path): the index of `?`, `#` or the end. */
export function scanPath(url: string, at: number): number {
  const length = url.length;
  let previous = slash;
  for (; at < length; at++) {
    const code = url.charCodeAt(at);
    if (code >= 128) return -1;
    if ((classes[code]! & pathChar) !== 0) {
      if (code === openParenthesis && previous === slash) return -1; // may be an ASP.NET session: /(S(…))/
    } else if (code === slash || code === dot) {
      if (previous === slash) return -1; // duplicate slash, or possibly a dot segment
    } else if (code === percent) {
      if (!isNormalEscape(url, at)) return -1;
      at += 2;
    } else {
      return code === question || code === hash ? at : -1;
    }
    previous = code;
  }
  return length;
}

/** A query from `at`, after its `?`, that parsing would not change (its parameters may still need work): `#` or the end. */
export function scanQuery(url: string, at: number): number {
  const length = url.length;
  for (; at < length; at++) {
    const code = url.charCodeAt(at);
    if (code >= 128 || (classes[code]! & queryChar) === 0) return code === hash ? at : -1;
  }
  return length;
}
