/**
 * Header fields of a conditional request (RFC 9110 §13.1), from the validators that a page had, if they are valid.
 *
 * If-None-Match is an entity-tag (§8.8.3), never `*`, which matches any representation. If-Modified-Since is an
 * HTTP-date, always sent as IMF-fixdate (§5.6.7). Invalid validators are not sent. If none is left, a 304 is not a
 * valid answer.
 */
import { parseHttpDate } from './http-date.ts';

export interface Validators {
  /** The validators as received. Empty: there is none. */
  readonly etag: string;
  readonly lastModified: string;
}

/** §8.8.3: visible characters but quotes, and bytes beyond ASCII. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Names and values of header fields, alternating. */
export function conditionOf({ etag, lastModified }: Validators): string[] {
  const sinceMs = lastModified === '' ? null : parseHttpDate(lastModified.trim());
  return [
    ...(entityTag.test(etag) ? ['if-none-match', etag] : []),
    ...(sinceMs === null ? [] : ['if-modified-since', new Date(sinceMs).toUTCString()]),
  ];
}
