/**
 * The shape of a URL: its path and query with everything that a machine can count or draw taken out, so that the pages
 * of a trap, however many, are one shape.
 *
 *   `#`  a run of digits                    /calendar/2026/01 → /calendar/#/#     ?date=2026-01 → ?date=#-#
 *   `~`  a token: digits and letters mixed, of 8 and more characters, as sessions and hashes are
 *   `*`  words of a title (three and more, or 24 characters and more), and values of parameters
 *
 * A `;` between parameters counts as `&` (gitweb, and HTML 4.01 §B.2.2), and is spelled so.
 *
 * Input: a normal URL. Linear in its length; what lies beyond `shapeCharsMax` is cut, and its pages share the shape.
 */
import { trapLimits } from './trap-limits.ts';

const slash = 47;
const question = 63;
const equals = 61;
const ampersand = 38;
const semicolon = 59;

export function shapeOf(url: string): string {
  if (url === lastUrl) return lastShape;
  lastShape = spell(url);
  lastUrl = url;
  return lastShape;
}

/** A URL's step, its notice and its trap ask for one shape in a row. */
let lastUrl = '';
let lastShape = '';

function spell(url: string): string {
  let out = '';
  let inQuery = false;
  let at = Math.max(0, url.indexOf('/', 8));
  while (at < url.length && out.length < trapLimits.shapeCharsMax) {
    const code = url.charCodeAt(at);
    if (code === question) inQuery = true;
    const value = inQuery && code === equals;
    let end = at + 1;
    while (end < url.length && !separates(url.charCodeAt(end), inQuery, value)) end++;
    const named = inQuery && (code === ampersand || code === semicolon || code === question);
    out += named && code === semicolon ? '&' : url[at]!;
    out += named ? url.slice(at + 1, end) : piece(url, at + 1, end, value);
    at = end;
  }
  return out.length > trapLimits.shapeCharsMax ? out.slice(0, trapLimits.shapeCharsMax) : out;
}

/** Within a value `=` and `/` are data. */
function separates(code: number, inQuery: boolean, value: boolean): boolean {
  if (inQuery) return code === ampersand || code === semicolon || (code === equals && !value);
  return code === slash || code === question;
}

/** A path segment or a parameter's value, collapsed. */
function piece(url: string, start: number, end: number, value: boolean): string {
  let digits = 0;
  let letters = 0;
  let runs = 0;
  let words = 0;
  let inRun = false;
  // The letters of `012345.html` are its extension; the name before them is a number.
  const nameEnd = value ? end : extensionStart(url, start, end);
  for (let at = start; at < nameEnd; at++) {
    const code = url.charCodeAt(at);
    const digit = code >= 48 && code <= 57;
    if (digit) {
      digits++;
      if (!inRun) runs++;
    } else if ((code | 32) >= 97 && (code | 32) <= 122) letters++;
    else if (code === 45 || code === 95 || code === 43) words++;
    inRun = digit;
  }
  const length = end - start;
  if (digits === 0) return value || words >= 2 || length >= 24 ? (length === 0 ? '' : '*') : url.slice(start, end);
  // `2026-01` has digits alone; `8f3ab0c1` changes between the two; `page12` and `v2` do neither.
  if (letters > 0 && nameEnd - start >= 8 && (runs >= 2 || digits >= 6) && words < 2 && digits * 8 >= length)
    return '~';
  if (letters > 0 && (words >= 2 || length >= 24)) return '*';
  return withoutDigits(url, start, end);
}

/** Index of the dot of an extension of up to five letters; `end`: there is none. */
function extensionStart(url: string, start: number, end: number): number {
  for (let at = end - 1; at > start && at >= end - 6; at--) {
    const code = url.charCodeAt(at);
    if (code === 46) return at === end - 1 ? end : at;
    if ((code | 32) < 97 || (code | 32) > 122) return end;
  }
  return end;
}

function withoutDigits(url: string, start: number, end: number): string {
  let out = '';
  let inRun = false;
  for (let at = start; at < end; at++) {
    const code = url.charCodeAt(at);
    const digit = code >= 48 && code <= 57;
    if (!digit) out += url[at];
    else if (!inRun) out += '#';
    inRun = digit;
  }
  return out;
}
