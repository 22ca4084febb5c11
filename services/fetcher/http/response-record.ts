/** One exchange as a record of `responses`, for archives: the request as it went out, and what came back. */
import { blankResponse } from '../../../schemas/blank.ts';
import type { Response } from '../../../schemas/types.ts';
import type { HttpRequest, HttpResponse } from './client.ts';
import { headerOf } from './headers.ts';
import { toldRequest } from './sent-request.ts';

/** What a record says beside the exchange itself. */
export type ResponseContext = Pick<Response, 'hostKey'> &
  Partial<Pick<Response, 'kind' | 'depth' | 'policyVersion' | 'policyHash' | 'noArchiveFromMs'>>;

/** Undefined where there was no response. `bodyBytesMax`: what a message may carry. */
export function responseRecord(
  request: HttpRequest,
  response: HttpResponse,
  bodyBytesMax: number,
  context: ResponseContext,
): Response | undefined {
  const { status, failure, rawBody, startMs, endMs } = response;
  if (status === 0 || (failure !== null && failure.kind !== 'badResponse')) return undefined;
  const unread = request.wants?.(status, response.headers) === false && mayHaveBody(status, response);
  const body = rawBody.length > bodyBytesMax ? rawBody.subarray(0, bodyBytesMax) : rawBody;
  const cut = response.truncated || body !== rawBody ? 'length' : unread ? 'unspecified' : '';
  return {
    ...blankResponse,
    ...context,
    ...wirePart(request, response),
    url: request.url,
    fetchedAtMs: endMs,
    address: response.address,
    status,
    headers: [...response.headers],
    body,
    truncated: cut !== '',
    truncatedBy: cut,
    durationMs: endMs - startMs,
  };
}

function wirePart({ url, headers }: HttpRequest, { wire }: HttpResponse): Partial<Response> {
  const { host } = new URL(url);
  const { sent, spoken, statusText = '', rawHeaders = [] } = wire ?? {};
  const isHttp2 = spoken?.protocols[0] === 'h2';
  const known = sent ?? { method: 'GET', target: '', headers, body: null, secrets: [] };
  const told = toldRequest(known, host, isHttp2);
  return {
    requestMethod: known.method,
    requestTarget: known.target,
    requestHeaders: told.headers,
    requestBody: told.body,
    redacted: told.redacted,
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
