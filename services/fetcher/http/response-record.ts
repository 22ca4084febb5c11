/** One exchange as a record of `responses`, for archives: the sent request, and its response. */
import { blankResponse } from '../../../schemas/blank.ts';
import type { Response } from '../../../schemas/types.ts';
import type { HttpRequest, HttpResponse } from './client.ts';
import { headerOf } from './headers.ts';
import type { KeptBody, Truncation } from './kept-body.ts';
import { isOurs } from './request-failure.ts';
import { requestHeadersOf } from './sent-request.ts';

/** Fields of a record beside the exchange itself. */
export type ResponseContext = Pick<Response, 'hostKey'> &
  Partial<Pick<Response, 'kind' | 'depth' | 'policyVersion' | 'policyHash' | 'noArchiveFromMs'>>;

/**
 * Makes the record of an exchange. Undefined: nothing was exchanged, or the request counts as not made. `bodyBytesMax`:
 * limit of a body in a message. `failures`: make records of failed exchanges too.
 */
export function responseRecord(
  request: HttpRequest,
  response: HttpResponse,
  bodyBytesMax: number,
  context: ResponseContext,
  failures = false,
): Response | undefined {
  const { status, failure, startMs, endMs } = response;
  // The server had closed the connection before the request, which is sent again.
  if (isOurs(failure) || (status === 0 && response.staleConnection)) return undefined;
  // The same request is sent again, and its response read by the other parser.
  if (response.misread === true) return undefined;
  if (!failures && (status === 0 || (failure !== null && failure.kind !== 'badResponse'))) return undefined;
  const { bytes, file, truncatedBy } = response.kept ?? bodyAsRead(request, response, bodyBytesMax);
  return {
    ...blankResponse,
    ...context,
    ...wirePart(request, response),
    url: request.url,
    fetchedAtMs: endMs,
    address: response.address,
    status,
    headers: [...response.headers],
    body: bytes,
    truncated: truncatedBy !== '',
    truncatedBy,
    durationMs: endMs - startMs,
    failure: failure?.kind ?? '',
    detail: failure?.detail ?? '',
    bodyFile: file?.name ?? '',
    bodyBytes: file?.bytes ?? 0,
    bodyDigest: file?.digest ?? '',
  };
}

/** Returns the part of the body that was read. */
function bodyAsRead(
  { wants }: HttpRequest,
  response: HttpResponse,
  bodyBytesMax: number,
): Pick<KeptBody, 'bytes' | 'file' | 'truncatedBy'> {
  const { status, headers, rawBody, truncated } = response;
  const isUnread = wants?.(status, headers) === false && mayHaveBody(status, response);
  const bytes = rawBody.length > bodyBytesMax ? rawBody.subarray(0, bodyBytesMax) : rawBody;
  const truncatedBy: Truncation = truncated || bytes !== rawBody ? 'length' : isUnread ? 'unspecified' : '';
  return { bytes, file: null, truncatedBy };
}

function wirePart({ url, headers }: HttpRequest, { wire, status }: HttpResponse): Partial<Response> {
  // Nothing was sent, so no request is recorded.
  if (wire === undefined && status === 0) return { requestBody: Buffer.alloc(0) };
  const { host } = new URL(url);
  const { sent, spoken, statusText = '', rawHeaders = [] } = wire ?? {};
  const isHttp2 = spoken?.protocols[0] === 'h2';
  const known = sent ?? { method: 'GET', target: '', headers, body: null, secrets: [] };
  const lines = requestHeadersOf(known, host, isHttp2);
  return {
    requestMethod: known.method,
    requestTarget: known.target,
    requestHeaders: lines.headers,
    requestBody: lines.body,
    redacted: lines.redacted,
    protocols: [...(spoken?.protocols ?? [])],
    cipherSuite: spoken?.cipherSuite ?? '',
    statusText,
    headerNames: rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toString('latin1')),
  };
}

/** RFC 9110 §6.4.1: 204 and 304 have none. */
function mayHaveBody(status: number, { headers }: HttpResponse): boolean {
  return status !== 204 && status !== 304 && headerOf(headers, 'content-length') !== '0';
}
