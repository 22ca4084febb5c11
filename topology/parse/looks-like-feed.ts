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

/** Returns whether the body starts with `<!DOCTYPE html`, as most pages do. */
function isHtmlDoctype(body: Uint8Array, at: number): boolean {
  return body[at + 1] === 0x21 && (body[at + 2]! | 0x20) === 0x64 && /^<!doctype\s+html\b/i.test(headOf(body, at, 32));
}

/**
 * Decodes a slice. It may cut a character beyond the basic plane in half, which does no harm, because markup is
 * ASCII.
 */
function decodeSlice(body: Uint8Array, from: number, encoding: string): string {
  return new TextDecoder(encoding).decode(body.subarray(from, from + headBytes));
}

function headOf(body: Uint8Array, from: number, bytes = headBytes): string {
  return String.fromCharCode(...body.subarray(from, from + bytes));
}

function isBlank(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d);
}
