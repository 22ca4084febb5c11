/**
 * Finds the encoding of a page (Encoding and HTML standards), and decodes it.
 *
 * Sources, in this order: byte order mark, `charset` of Content-Type, `<meta>` in the first 1,024 bytes
 * (html-encoding-sniffer, behind this file), then detection. Bytes beyond ASCII that are valid UTF-8 are taken as
 * UTF-8, because other text is hardly ever valid UTF-8 by chance. Otherwise the look of the text decides
 * (guess-charset.ts), or else windows-1252, the standard's fallback. Most pages declare UTF-8, which ends the search
 * early.
 */
import sniffEncoding from 'html-encoding-sniffer';
import { guessCharset } from './guess-charset.ts';
import { type LegacyDecoder, legacyDecoder, legacyEncodingOf } from './legacy-encodings.ts';
import { decodeWindows1252 } from './windows-1252.ts';

export interface Decoded {
  readonly text: string;
  /** WHATWG name, lower case. */
  readonly charset: string;
  /**
   * Nothing declared the encoding so far: a `<meta>` further on may still do so (HTML standard, "changing the
   * encoding").
   */
  readonly tentative: boolean;
}

const prescanBytes = 1024;
const fallback = 'windows-1252';

/** Encoding → its decoder; the names are the standard's own, so there are at most about 40. */
const decoders = new Map<string, LegacyDecoder>();

export function decodePage(body: Uint8Array, contentType: string | null): Decoded {
  const declared = declaredCharset(body, contentType);
  if (declared !== null) return { text: decode(body, declared), charset: declared, tentative: false };
  const utf8 = strictUtf8(body);
  if (utf8 !== null) return { text: utf8, charset: hasBeyondAscii(body) ? 'utf-8' : fallback, tentative: true };
  const guessed = guessCharset(body) ?? fallback;
  return { text: decode(body, guessed), charset: guessed, tentative: true };
}

/** The encoding that a `<meta>` means by this label; null: none. A page that was readable so far can't be UTF-16. */
export function metaCharset(label: string): string | null {
  const encoding = encodingOf(label);
  if (encoding === 'x-user-defined') return fallback;
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding;
}

const xmlDeclaration = /^\s*<\?xml(?=\s)[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;

export interface TextStream {
  /** The characters that are complete by now. */
  write(bytes: Uint8Array): string;
  end(): string;
}

/**
 * XML and plain text in pieces: byte order mark, `charset` of Content-Type, the XML declaration, else UTF-8 (RFC 7303 §3).
 */
export function createXmlDecoder(contentType: string | null): TextStream {
  /** Bytes that came before the encoding was known. */
  let head: Uint8Array | null = new Uint8Array(0);
  let decoder: LegacyDecoder | null = null;
  const decodeMore = (bytes: Uint8Array): string =>
    decoder === null ? decodeWindows1252(bytes) : decoder.decode(bytes, { stream: true });
  const begin = (bytes: Uint8Array): string => {
    const encoding = xmlEncoding(bytes, contentType);
    if (encoding !== fallback) decoder = createDecoder(encoding);
    head = null;
    return decodeMore(bytes);
  };
  return {
    write(bytes) {
      if (head === null) return decodeMore(bytes);
      head = joined(head, bytes);
      return head.length < prescanBytes ? '' : begin(head);
    },
    end: () => (head === null ? '' : begin(head)) + (decoder?.decode() ?? ''),
  };
}

export function decodeXml(body: Uint8Array, contentType: string | null): string {
  const stream = createXmlDecoder(contentType);
  return stream.write(body) + stream.end();
}

function xmlEncoding(body: Uint8Array, contentType: string | null): string {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, prescanBytes)).toString('latin1');
  const label = contentType === null ? null : charsetParameter(contentType);
  const fromHeader = label === null ? null : encodingOf(label);
  // Markup that is readable byte by byte is in no 16-bit encoding (XML 1.0, appendix F).
  const fits = fromHeader !== null && !(fromHeader.startsWith('utf-16') && beginsInBytes(body));
  return (
    byteOrderMark(body) ??
    unmarkedXmlUtf16(body) ??
    (fits ? fromHeader : null) ??
    metaCharset(xmlDeclaration.exec(head)?.[1] ?? '') ??
    'utf-8'
  );
}

/** UTF-16 by its byte order mark, or by how XML begins; null: it is another encoding. */
export function utf16Of(body: Uint8Array): string | null {
  const marked = byteOrderMark(body);
  return marked === null ? unmarkedXmlUtf16(body) : marked.startsWith('utf-16') ? marked : null;
}

function beginsInBytes(body: Uint8Array): boolean {
  let at = 0;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at += 1;
  return body[at] === 0x3c && body[at + 1] !== 0;
}

/** Recognises UTF-16 without a byte order mark: `<` and then a letter or mark. Returns null for anything else. */
function unmarkedXmlUtf16(body: Uint8Array): string | null {
  if (body[0] === 0x3c && body[1] === 0 && body[2]! > 0x20 && body[3] === 0) return 'utf-16le';
  return body[0] === 0 && body[1] === 0x3c && body[2] === 0 && body[3]! > 0x20 ? 'utf-16be' : null;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function declaredCharset(body: Uint8Array, contentType: string | null): string | null {
  const marked = byteOrderMark(body);
  if (marked !== null) return marked;
  const label = contentType === null ? null : charsetParameter(contentType);
  const fromHeader = label === null ? null : encodingOf(label);
  if (fromHeader !== null) return fromHeader;
  const head = body.subarray(0, prescanBytes);
  const latin1 = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');
  // The sniffer looks only for this word, so that a head without it needs no prescan.
  const fromMeta = /charset/i.test(latin1) ? encodingOf(sniff(head)) : null;
  if (fromMeta !== null || !latin1.startsWith('<?xml')) return fromMeta ?? unmarkedUtf16(body);
  // HTML standard, "get an XML encoding": what could be read so far can't be UTF-16.
  return metaCharset(xmlDeclaration.exec(latin1)?.[1] ?? '');
}

function byteOrderMark(body: Uint8Array): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return body[0] === 0xff && body[1] === 0xfe ? 'utf-16le' : null;
}

/** `<?` in UTF-16 without a byte order mark (HTML standard, prescan; XML, appendix F.1). */
function unmarkedUtf16(body: Uint8Array): string | null {
  if (body[0] === 0x3c && body[1] === 0 && body[2] === 0x3f && body[3] === 0) return 'utf-16le';
  return body[0] === 0 && body[1] === 0x3c && body[2] === 0 && body[3] === 0x3f ? 'utf-16be' : null;
}

/** Empty if nothing is declared. The sniffer fails on a `charset` that the head's end cuts off. */
function sniff(head: Uint8Array): string {
  try {
    return sniffEncoding(head, { defaultEncoding: '' });
  } catch {
    return '';
  }
}

/** The standard's name for a label, lower case; null if there is no decoder. */
function encodingOf(label: string): string | null {
  const name = label.trim().toLowerCase();
  if (name === 'utf-8' || name === 'utf8') return 'utf-8';
  if (name === '') return null;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return legacyEncodingOf(name);
  }
}

function createDecoder(encoding: string): LegacyDecoder {
  return encoding === 'utf-8' || encoding.startsWith('utf-16') || icuIsExact.has(encoding)
    ? new TextDecoder(encoding)
    : legacyDecoder(encoding);
}

/** Single-byte encodings for which Node's ICU agrees with the standard's index in every byte. */
const icuIsExact = new Set(
  (
    'ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-10 ' +
    'iso-8859-13 iso-8859-14 iso-8859-15 koi8-r macintosh windows-1250 windows-1251 windows-1254 windows-1256 ' +
    'windows-1257 windows-1258 x-mac-cyrillic'
  ).split(' '),
);

function decode(body: Uint8Array, encoding: string): string {
  if (encoding === fallback) return decodeWindows1252(body);
  let decoder = decoders.get(encoding);
  if (decoder === undefined) decoders.set(encoding, (decoder = createDecoder(encoding)));
  return decoder.decode(body);
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text if the bytes are UTF-8, even if they are cut in the middle of a character; otherwise null. */
function strictUtf8(body: Uint8Array): string | null {
  let end = body.length;
  // A body cut at a size limit may end with up to three bytes of an unfinished character.
  for (let back = 1; back <= 3 && back <= body.length; back++) {
    const byte = body[body.length - back]!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (length > back) end = body.length - back;
    break;
  }
  try {
    const text = strict.decode(body.subarray(0, end));
    // All bytes are ASCII except a possibly cut character, which may as well be a complete one in another encoding.
    return end < body.length && text.length === end ? null : text;
  } catch {
    return null;
  }
}

function hasBeyondAscii(body: Uint8Array): boolean {
  for (let i = 0; i < body.length; i++) if (body[i]! >= 0x80) return true;
  return false;
}

/** `charset` of a media type (MIME Sniffing standard §4.4): the first one counts, a quoted value may hold anything. */
export function charsetParameter(contentType: string): string | null {
  const text = contentType;
  let at = text.indexOf(';');
  while (at >= 0 && at < text.length) {
    at += 1;
    const equals = indexOfAny(text, '=;', at);
    if (text[equals] !== '=') {
      at = equals;
      continue;
    }
    const name = text.slice(at, equals).trimStart().toLowerCase();
    let value: string;
    if (text[equals + 1] === '"') {
      const end = closingQuote(text, equals + 2);
      value = text.slice(equals + 2, end).replace(/\\(.)/gs, '$1');
      at = indexOfAny(text, ';', end);
    } else {
      at = indexOfAny(text, ';', equals + 1);
      // A comma begins another Content-Type that was joined to this one.
      value = text.slice(equals + 1, Math.min(at, indexOfAny(text, ',', equals + 1))).trimEnd();
    }
    if (name === 'charset' && value !== '') return value;
  }
  return null;
}

function indexOfAny(text: string, chars: string, from: number): number {
  let at = from;
  while (at < text.length && !chars.includes(text[at]!)) at++;
  return at;
}

function closingQuote(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}
