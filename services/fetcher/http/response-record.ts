/** The raw response of one request as a record of `responses`, for archives. */
import type { Response } from '../../../schemas/types.ts';
import type { HttpRequest, HttpResponse } from './client.ts';
import { headerOf } from './headers.ts';

/** Undefined where there was no response. `bodyBytesMax`: what a message may carry. `noArchiveFromMs`: as in the record. */
export function responseRecord(
  { url, headers, wants }: HttpRequest,
  hostKey: string,
  response: HttpResponse,
  bodyBytesMax: number,
  noArchiveFromMs = -1,
): Response | undefined {
  const { status, failure, rawBody, startMs, endMs } = response;
  if (status === 0 || (failure !== null && failure.kind !== 'badResponse')) return undefined;
  const unread = wants?.(status, response.headers) === false && mayHaveBody(status, response);
  const body = rawBody.length > bodyBytesMax ? rawBody.subarray(0, bodyBytesMax) : rawBody;
  return {
    url,
    hostKey,
    fetchedAtMs: endMs,
    address: response.address,
    status,
    requestHeaders: headers,
    headers: response.headers,
    body,
    truncated: response.truncated || unread || body !== rawBody,
    durationMs: endMs - startMs,
    noArchiveFromMs,
  };
}

/** RFC 9110 §6.4.1: 204 and 304 have none. */
function mayHaveBody(status: number, { headers }: HttpResponse): boolean {
  return status !== 204 && status !== 304 && headerOf(headers, 'content-length') !== '0';
}
