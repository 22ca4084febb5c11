/** The header fields of a response that decide how it is read, parsed once. */
import { freshForMs } from '../../../topology/fetch/cache-control.ts';
import { isWholeRange } from '../../../topology/fetch/outcome.ts';
import type { HttpResponse } from '../http/client.ts';
import { contentTypeOf, type Headers, headerOf, headersOf } from '../http/headers.ts';
import { retryAfterMsOf } from '../http/outcomes.ts';
import { mediaTypeIn } from './page-type.ts';

export interface ResponseHead {
  /** With parameters. null: not sent. */
  readonly contentType: string | null;
  /** Without parameters, lower case. Empty: not sent. */
  readonly mediaType: string;
  readonly location: string | null;
  /** The status, but 200 for a range that is the whole. */
  readonly status: number;
  /** Pause that the host asks for, ms; 0: none. */
  readonly retryAfterMs: number;
  readonly cacheControl: string;
  readonly freshForMs: number;
  /** Empty: not sent, or too long to send back. */
  readonly etag: string;
  readonly lastModified: string;
  /** Each X-Robots-Tag. */
  readonly robotsTags: readonly string[];
  /** Each Link. */
  readonly links: readonly string[];
  /** Empty: not sent. */
  readonly refresh: string;
}

export function headOf(response: HttpResponse): ResponseHead {
  const { headers, status } = response;
  const contentType = contentTypeOf(headers);
  const cacheControl = headerOf(headers, 'cache-control');
  return {
    contentType: contentType || null,
    mediaType: mediaTypeIn(contentType),
    location: headerOf(headers, 'location') || null,
    status: status === 206 && isWholeRange(headerOf(headers, 'content-range')) ? 200 : status,
    retryAfterMs: status < 300 ? 0 : retryAfterMsOf(response),
    cacheControl,
    freshForMs: freshForMs(cacheControl, headerOf(headers, 'age')),
    etag: validator(headers, 'etag'),
    lastModified: validator(headers, 'last-modified'),
    robotsTags: headersOf(headers, 'x-robots-tag'),
    links: headersOf(headers, 'link'),
    refresh: headerOf(headers, 'refresh'),
  };
}

/** Longer validators are not sent back: servers refuse requests with header fields beyond 8 KiB. */
const validatorCharsMax = 1_000;

/** Returns the validator. Empty: there is none, or it is too long to send back. */
export function validator(headers: Headers, name: string): string {
  const value = headerOf(headers, name);
  return value.length > validatorCharsMax ? '' : value;
}
