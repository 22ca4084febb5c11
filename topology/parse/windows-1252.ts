/**
 * windows-1252 (Encoding standard, index-windows-1252), the encoding that undeclared bytes are read in.
 *
 * By hand, since Node's TextDecoder reads it as ISO-8859-1 in some releases and so loses 0x80–0x9F: quotes and dashes.
 */

/** 0x80–0x9F; the five bytes without a character stand for the control of their number. */
const upper =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

export function decodeWindows1252(body: Uint8Array): string {
  const latin1 = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  return latin1.replace(/[\x80-\x9f]/g, (char) => upper[char.charCodeAt(0) - 0x80]!);
}
