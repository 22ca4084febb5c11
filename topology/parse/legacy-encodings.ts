/**
 * Encodings other than UTF-8, UTF-16 and windows-1252, as in the Encoding standard, by `@exodus/bytes`: decoders, and
 * the encoding of a link's query. Node's own decoders are ICU's, which differ from the standard in thousands of
 * characters (docs/decisions/0046-legacy-encodings.md).
 *
 * The package is loaded when the first page needs it: loading takes 50 ms, and few crawls meet such a page early.
 */
// biome-ignore lint/style/noRestrictedImports: loads code that few crawls need, and reads no data.
import { createRequire } from 'node:module';

type Encodings = typeof import('@exodus/bytes/encoding.js');
type Whatwg = typeof import('@exodus/bytes/whatwg.js');

export interface LegacyDecoder {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
}

const require = createRequire(import.meta.url);
let encodings: Encodings | undefined;
let whatwg: Whatwg | undefined;

/** Encodings of the standard that Node's `TextDecoder` does not know, under their only label. */
const unknownToNode = new Set(['iso-8859-16', 'x-user-defined']);

/** The encoding's name; null: no decoder knows the label. */
export function legacyEncodingOf(label: string): string | null {
  return unknownToNode.has(label) ? label : null;
}

export function legacyDecoder(encoding: string): LegacyDecoder {
  encodings ??= require('@exodus/bytes/encoding.js') as Encodings;
  return new encodings.TextDecoder(encoding);
}

/** Links of a page in the form in which they are resolved. */
export type LinkSpelling = (href: string) => string;

const asWritten: LinkSpelling = (href) => href;

/**
 * Returns a function that escapes links in the page's encoding (URL standard §4.4, query state): it escapes
 * characters beyond ASCII in the query. For UTF-8 and UTF-16 it changes nothing, and the URL parser escapes them as
 * UTF-8.
 */
export function linkSpelling(encoding: string): LinkSpelling {
  if (encoding === '' || encoding === 'utf-8' || encoding.startsWith('utf-16')) return asWritten;
  return (href) => {
    const query = href.indexOf('?') + 1;
    if (query === 0 || !isBeyondAscii(href, query)) return href;
    const hash = href.indexOf('#');
    if (hash >= 0 && hash < query) return href;
    const end = hash < 0 ? href.length : hash;
    return href.slice(0, query) + escapedQuery(encoding, href.slice(query, end)) + href.slice(end);
  };
}

/** URL standard: the special-query percent-encode set, without characters that are always escaped. */
const specialQuerySet = ' "#\'<>';

function escapedQuery(encoding: string, query: string): string {
  encodings ??= require('@exodus/bytes/encoding.js') as Encodings;
  whatwg ??= require('@exodus/bytes/whatwg.js') as Whatwg;
  // The parser of URLs takes these out before it reads the query.
  const text = query.replace(/[\t\n\r]/g, '');
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return whatwg.percentEncodeAfterEncoding(encoding, text.slice(0, end), specialQuerySet);
}

function isBeyondAscii(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return true;
  return false;
}
