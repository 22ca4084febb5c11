/**
 * Is a body a feed or a sitemap? Its root element decides, since half of all feeds come as HTML or plain text.
 *
 * A page costs nothing: it begins with `<!DOCTYPE html` or `<html`, which a few bytes show.
 */
import { utf16Of } from './charset.ts';
import { createPrologReader } from './xml-prolog.ts';

const headBytes = 2_048;
const root = /^<(?:\w{1,20}:)?(?:rss|rdf|feed|channel|urlset|sitemapindex)[\s>]/i;
/** The longest beginning that `root` may need. */
const rootChars = 40;
const jsonFeed = /"version"\s*:\s*"https?:\\?\/\\?\/(?:www\.)?jsonfeed\.org\\?\/version\\?\//;

export function looksLikeFeed(body: Uint8Array): boolean {
  const utf16 = body[0] === 0x3c && body[1] !== 0 ? null : utf16Of(body);
  if (utf16 !== null) return beginsAsFeed((at) => decodeSlice(body, at, utf16), body.length);
  let at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (at < body.length && isBlank(body[at]!)) at += 1;
  if (body[at] === 0x7b) return jsonFeed.test(headOf(body, at));
  if (body[at] !== 0x3c || (body[at + 1]! | 0x20) === 0x68 || isHtmlDoctype(body, at)) return false;
  return beginsAsFeed((from) => headOf(body, from), body.length, at);
}

/** `sliceAt`: the text of `headBytes` bytes from an offset on. */
function beginsAsFeed(sliceAt: (from: number) => string, size: number, start = 0): boolean {
  const prolog = createPrologReader();
  for (let at = start; at < size; at += headBytes) {
    const found = prolog.write(sliceAt(at));
    if (prolog.doctype === 'html') return false;
    if (found === null) continue;
    return root.test(found.length < rootChars ? found + sliceAt(at + headBytes) : found);
  }
  return false;
}

/** `<!doctype html` in lower case; between the words is any white space. */
const doctype = [...'<!doctype'].map((one) => one.charCodeAt(0));
const html = [...'html'].map((one) => one.charCodeAt(0));

/** Returns whether the body starts with `<!DOCTYPE html`, as most pages do. */
function isHtmlDoctype(body: Uint8Array, at: number): boolean {
  if (!hasAt(body, at, doctype)) return false;
  const afterAt = at + doctype.length;
  let htmlAt = afterAt;
  while (htmlAt < body.length && isBlank(body[htmlAt]!)) htmlAt += 1;
  return htmlAt > afterAt && hasAt(body, htmlAt, html) && !isWordByte(body[htmlAt + html.length] ?? 0x20);
}

/** Returns whether these bytes stand there, in upper or lower case. */
function hasAt(body: Uint8Array, at: number, bytes: readonly number[]): boolean {
  for (let n = 0; n < bytes.length; n++) {
    const byte = body[at + n]!;
    if ((byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte) !== bytes[n]) return false;
  }
  return true;
}

function isWordByte(byte: number): boolean {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f;
}

/**
 * Decodes a slice. It may cut a character beyond the basic plane in half, which does no harm, because markup is
 * ASCII.
 */
function decodeSlice(body: Uint8Array, from: number, encoding: string): string {
  return new TextDecoder(encoding).decode(body.subarray(from, from + headBytes));
}

function headOf(body: Uint8Array, from: number): string {
  return String.fromCharCode(...body.subarray(from, from + headBytes));
}

function isBlank(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d);
}
