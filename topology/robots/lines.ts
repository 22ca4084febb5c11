/**
 * Parses robots.txt into records of key and value (RFC 9309 §2.2, §2.5).
 *
 * Lines end at CR, LF or CRLF. Byte order marks at the start are skipped; `#` begins a comment. Only the first 500
 * KiB are read, up to the last whole line. A file in UTF-16 is converted to UTF-8; otherwise its Disallow lines would
 * have no effect. Values stay octets (char codes 0–255), because paths are compared by bytes. Two extensions beyond
 * the RFC, as in deployed parsers: blanks may replace a missing colon if exactly two words remain, and common
 * misspellings of the three main records are accepted.
 */

import { latin1 } from './escapes.ts';
import { robotsLimits } from './robots-limits.ts';

export type RecordKey =
  | 'user-agent'
  | 'allow'
  | 'disallow'
  | 'crawl-delay'
  | 'sitemap'
  | 'content-usage'
  | 'content-signal'
  | 'license';

const keys: ReadonlyMap<string, RecordKey> = new Map([
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['crawl delay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['site map', 'sitemap'],
  ['content-usage', 'content-usage'],
  ['content-signal', 'content-signal'],
  ['content-signals', 'content-signal'],
  ['license', 'license'],
]);
const keyCharsMax = 16;

/** First letters of the keys, in both cases. */
const initials = new Set(
  ['u', 'a', 'd', 'c', 's', 'l', 'U', 'A', 'D', 'C', 'S', 'L'].map((letter) => letter.charCodeAt(0)),
);

/** Calls `visit` for each known record, in order, in one pass. Lines without a record are not copied. */
export function eachRecord(body: Uint8Array, visit: (key: RecordKey, value: string) => void): void {
  const text = readable(body);
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? 0x0a : text.charCodeAt(at);
    if (code !== 0x0a && code !== 0x0d) {
      // Blanks before a key belong to no line.
      if (at === start && code <= 0x20) start = at + 1;
      continue;
    }
    if (at > start && initials.has(text.charCodeAt(start))) readLine(text.slice(start, at), visit);
    start = at + 1;
  }
}

function readable(body: Uint8Array): string {
  const text = octetsOf(body.subarray(0, robotsLimits.bodyBytesMax));
  let start = 0;
  // Editors and templates put one byte order mark before another.
  while (text.startsWith('\xef\xbb\xbf', start)) start += 3;
  // If the file ends exactly at the bound, the caller may have cut it there.
  if (body.length < robotsLimits.bodyBytesMax) return text.slice(start);
  // A line cut in two could turn `Disallow: /private` into `Disallow: /`.
  return text.slice(start, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}

/** The octets of the text as UTF-8. */
function octetsOf(body: Uint8Array): string {
  const order = orderOfUtf16(body);
  if (order === undefined) return latin1(body);
  const units = Buffer.from(body.subarray(0, body.length - (body.length % 2)));
  const text = (order === 'big' ? units.swap16() : units).toString('utf16le');
  return Buffer.from(text).toString('latin1');
}

/**
 * Byte order of UTF-16, from the byte order mark, or from the zero halves of the first two letters. Undefined: not
 * UTF-16.
 */
function orderOfUtf16([first = 0, second = 0, third = 0, fourth = 0]: Uint8Array): 'big' | 'little' | undefined {
  if (first === 0xff && second === 0xfe) return 'little';
  if (first === 0xfe && second === 0xff) return 'big';
  if (second === 0 && fourth === 0 && first > 0 && third > 0) return 'little';
  return first === 0 && third === 0 && second > 0 && fourth > 0 ? 'big' : undefined;
}

function readLine(line: string, visit: (key: RecordKey, value: string) => void): void {
  const hash = line.indexOf('#');
  const record = trimBlanks(hash < 0 ? line : line.slice(0, hash));
  if (record === '') return;
  const colon = record.indexOf(':');
  if (colon >= 0) {
    const key = recordKey(record.slice(0, colon));
    if (key !== undefined) visit(key, trimBlanks(record.slice(colon + 1)));
    return;
  }
  const words = record.split(/[ \t]+/, 3);
  const key = words.length === 2 ? recordKey(words[0]!) : undefined;
  if (key !== undefined) visit(key, words[1]!);
}

function recordKey(text: string): RecordKey | undefined {
  const key = trimBlanks(text);
  return key.length > keyCharsMax ? undefined : keys.get(key.toLowerCase());
}

/** Without spaces, tabs and other controls at both ends. Not `trim`: 0xA0 is half of a UTF-8 character here. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
}
