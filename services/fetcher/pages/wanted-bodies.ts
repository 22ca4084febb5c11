/** Decides from status and headers whether a body is read. */
import type { Headers } from '../http/headers.ts';
import type { DocumentReader } from './document-reader.ts';
import type { PageReader } from './page-reader.ts';
import { mediaTypeOf, pageTypeOf } from './page-type.ts';

/** Bodies worth reading: of success, and of a type that can hold text. */
export function wantsBody(status: number, headers: Headers): boolean {
  return wantsType(status, headers, []);
}

/** Returns a test for responses that can be read. */
export function wantsOf({ documents, hooks }: PageReader): (status: number, headers: Headers) => boolean {
  const read = (status: number, headers: Headers) => wantsType(status, headers, documents);
  // x402 states its price in the body.
  const wants: typeof read = (status, headers) =>
    read(status, headers) || (status === 402 && mediaTypeOf(headers) === 'application/json');
  if (hooks === undefined) return wants;
  return (status, headers) =>
    wants(status, headers) || (status >= 200 && status < 300 && hooks.parses(mediaTypeOf(headers)));
}

function wantsType(status: number, headers: Headers, documents: readonly DocumentReader[]): boolean {
  return status >= 200 && status < 300 && pageTypeOf(mediaTypeOf(headers), documents) !== 'other';
}
