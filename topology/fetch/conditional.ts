/**
 * What a request asks with a condition (RFC 9110 §13.1): validators as a page had them, if they are any.
 *
 * If-None-Match is an entity-tag (§8.8.3), never `*`, which matches whatever there is; If-Modified-Since is an HTTP-date, sent as an
 * IMF-fixdate (§5.6.7) whatever form it came in. Anything else is not sent back, and where nothing is left, a 304 answers nothing.
 */
import { parseHttpDate } from './http-date.ts';

export interface Validators {
  /** As they were received. Empty: there is none. */
  readonly etag: string;
  readonly lastModified: string;
}

/** §8.8.3: visible characters but quotes, and bytes beyond ASCII. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Names and values of header fields in turn. */
export function conditionOf({ etag, lastModified }: Validators): string[] {
  const sinceMs = lastModified === '' ? null : parseHttpDate(lastModified.trim());
  return [
    ...(entityTag.test(etag) ? ['if-none-match', etag] : []),
    ...(sinceMs === null ? [] : ['if-modified-since', new Date(sinceMs).toUTCString()]),
  ];
}
