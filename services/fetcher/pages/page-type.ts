/**
 * Decides from a response's media type whether the fetcher parses it, keeps its text, checks its first bytes, or skips
 * it.
 */

import { utf16Of } from '../../../topology/parse/charset.ts';
import type { Headers } from '../http/headers.ts';
import { contentTypeOf } from '../http/headers.ts';
import type { DocumentReader } from './document-reader.ts';

/**
 * `html`: links are extracted. `text`: kept without links. A document: its reader reads it. `unnamed`: the first bytes
 * decide. `other`: not read.
 */
export type PageType = 'html' | 'text' | DocumentReader | 'unnamed' | 'other';

/** The media type without parameters, lower case; empty: not sent. */
export function mediaTypeOf(headers: Headers): string {
  return mediaTypeIn(contentTypeOf(headers));
}

/** The same of a Content-Type. */
export function mediaTypeIn(value: string): string {
  const end = value.indexOf(';');
  return (end === -1 ? value : value.slice(0, end)).trim().toLowerCase();
}

/** `readers`: those that are wanted. Absent: none. */
export function pageTypeOf(mediaType: string, readers: readonly DocumentReader[] = []): PageType {
  if (mediaType === 'text/html' || mediaType === 'application/xhtml+xml') return 'html';
  if (mediaType === '') return 'unnamed';
  if (mediaType.startsWith('text/')) return 'text';
  if (
    mediaType === 'application/xml' ||
    mediaType === 'application/json' ||
    mediaType === 'application/feed+json' ||
    mediaType.endsWith('+xml')
  )
    return 'text';
  return readers.find(({ mediaTypes }) => mediaTypes.includes(mediaType)) ?? 'other';
}

/** For responses without a media type that says something (MIME sniffing standard, §7.1): markup begins with `<`, text has no NUL. */
export function sniffedType(body: Uint8Array, readers: readonly DocumentReader[] = []): PageType {
  const encoding = utf16Of(body);
  if (encoding !== null) return startOf(body, encoding).trimStart().startsWith('<') ? 'html' : 'text';
  let at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (at < body.length && (body[at] === 0x20 || (body[at]! >= 0x09 && body[at]! <= 0x0d))) at += 1;
  if (body[at] === 0x3c) return 'html';
  const reader = readers.find(({ mark }) => mark !== undefined && beginsWith(body, mark));
  // A PDF may look like text.
  if (reader !== undefined || beginsWith(body, '%PDF-')) return reader ?? 'other';
  return body.subarray(0, 1024).includes(0) ? 'other' : 'text';
}

/** The first characters of a body. */
function startOf(body: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(body.subarray(0, startBytes));
}

/** `mark`: latin1. */
function beginsWith(body: Uint8Array, mark: string): boolean {
  return Buffer.from(body.subarray(0, mark.length)).toString('latin1') === mark;
}

/** Is this, which calls itself XML, a page of XHTML? Its root says so, and its namespace. */
export function isXhtml(mediaType: string, body: Uint8Array): boolean {
  if (mediaType !== 'application/xml' && mediaType !== 'text/xml') return false;
  const head = startOf(body, utf16Of(body) ?? 'latin1');
  // Only comments, a doctype and instructions may precede the root.
  const [before = '', root] = head.replace(/<!--.*?-->/gs, '').split(/(<html(?=[\s>])[^>]*>)/, 2);
  return root?.includes('http://www.w3.org/1999/xhtml') === true && !/<[A-Za-z]/.test(before);
}

/** Bytes that are searched for the root: prologs are shorter. */
const startBytes = 4_096;
