/**
 * Detects the media type of a payload from its first bytes; if they show none, returns the declared one. Source: MIME
 * Sniffing standard (mimesniff.spec.whatwg.org), §6 and §7; feeds by their root element.
 */

/** Bytes in hexadecimal, `..` for any. */
const signatures: readonly (readonly [type: string, bytes: string])[] = [
  ['application/pdf', '255044462d'],
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638..61'],
  ['image/webp', '52494646........574542505650'],
  ['image/bmp', '424d'],
  ['image/x-icon', '00000100'],
  ['audio/mpeg', '494433'],
  ['application/ogg', '4f67675300'],
  ['audio/wave', '52494646........57415645'],
  ['video/mp4', '........66747970'],
  ['video/webm', '1a45dfa3'],
  ['font/woff', '774f4646'],
  ['font/woff2', '774f4632'],
  ['application/gzip', '1f8b08'],
  ['application/vnd.rar', '526172211a07'],
];
const zipped = '504b0304';
const markup: readonly (readonly [type: string, pattern: RegExp])[] = [
  [
    'application/xhtml+xml',
    /^(?:<\?xml[^>]*>\s*)?(?:<!doctype html[^>]*>\s*)?<html[^>]+xmlns=["']http:\/\/www\.w3\.org\/1999\/xhtml/i,
  ],
  ['application/rss+xml', /^(?:<\?xml[^>]*>\s*)?<(?:rss|rdf:rdf)[\s>]/i],
  ['application/atom+xml', /^(?:<\?xml[^>]*>\s*)?<feed[\s>]/i],
  ['image/svg+xml', /^(?:<\?xml[^>]*>\s*)?<svg[\s>]/i],
  ['application/xml', /^<\?xml\s/i],
  [
    'text/html',
    /^<(?:!doctype html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p|!--|meta|link)[\s>-]/i,
  ],
];
/** Types of compressed bytes. */
const packedTypes: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/webp', 'audio/mpeg', 'application/ogg', 'video/mp4', 'video/webm'],
  ...['font/woff', 'font/woff2', 'application/gzip', 'application/vnd.rar'],
]);
/** Bytes that are looked at: the standard's 1,445. */
const headBytes = 1_445;

/** `declared`: without parameters; empty: none. `body`: without its content coding. */
export function detectedType(declared: string, body: Uint8Array): string {
  if (body.length === 0) return declared === '' ? 'application/octet-stream' : declared;
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, headBytes));
  const signed = signedType(head);
  if (signed !== undefined) return signed;
  // ZIP-based files (office files, books, packages) are distinguished only by their declaration.
  if (beginsWith(head, zipped))
    return /zip|officedocument|opendocument|java-archive/.test(declared) ? declared : 'application/zip';
  const text = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  const marked = markup.find(([, pattern]) => pattern.test(text));
  if (marked !== undefined) return marked[0] === 'application/xml' && declared.endsWith('+xml') ? declared : marked[0];
  if (head.some(isNoText)) return isBinary(declared) ? declared : 'application/octet-stream';
  return declared === '' || isBinary(declared) ? 'text/plain' : declared;
}

/** Whether compression would not make a body shorter, by its first bytes. */
export function isPacked(body: Buffer): boolean {
  return packedTypes.has(signedType(body) ?? '') || beginsWith(body, zipped);
}

function signedType(head: Buffer): string | undefined {
  return signatures.find(([, bytes]) => beginsWith(head, bytes))?.[0];
}

function isBinary(type: string): boolean {
  return /^(?:image|audio|video|font)\/(?!svg)|^application\/(?!.*(?:json|xml|javascript|ecmascript|yaml))/.test(type);
}

function beginsWith(head: Buffer, bytes: string): boolean {
  for (let at = 0; at < bytes.length; at += 2) {
    const byte = bytes.slice(at, at + 2);
    if (byte !== '..' && head[at / 2] !== Number.parseInt(byte, 16)) return false;
  }
  return true;
}

/** Control characters but tab, line ends, form feed and escape: no text has them. */
function isNoText(byte: number): boolean {
  return byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d && byte !== 0x0b) && byte !== 0x1b;
}
