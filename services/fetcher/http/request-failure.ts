/** Meaning of an error of the HTTP client: the outcome kind and plain words. */
import { tlsDetail } from '../../../topology/fetch/tls-failure.ts';
import { ConnectError } from '../connect/connect-error.ts';
import { type Headers, headersOf } from './headers.ts';

/**
 * `aborted`: we gave up ourselves, at shutdown. `proxyFailed`: no proxy lets us through; the host was not asked.
 * `throttled`: the server asks for less without an answer (ENHANCE_YOUR_CALM). `refused`: a URL that can't be requested.
 */
export type FailureKind =
  | 'dnsFailed'
  | 'connectionFailed'
  | 'tlsFailed'
  | 'timeout'
  | 'blockedAddress'
  | 'badResponse'
  | 'throttled'
  | 'refused'
  | 'proxyFailed'
  | 'aborted';

export interface RequestFailure {
  readonly kind: FailureKind;
  readonly detail: string;
  /** The system's error code, if it shows the side at fault (topology/fetch/fault.ts). Absent: it does not. */
  readonly code?: string;
  /** proxyFailed: it may be that the proxy works and the host does not. Absent: it is the proxy. */
  readonly maybeHost?: true;
}

/** True if nothing reached the host, for a reason on our side: the request counts as not made. */
export function isOurs(failure: RequestFailure | null): boolean {
  return failure?.kind === 'aborted' || failure?.kind === 'proxyFailed';
}

/** The end of a request that this client cancelled, or that failed for a known reason. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
  readonly kind: 'timeout' | 'connectionFailed' | 'badResponse' | 'throttled' | 'refused' | 'aborted';
  /** Error code of HTTP/2. Undefined: there is none. */
  readonly code: number | undefined;

  constructor(kind: GaveUp['kind'], message: string, code?: number) {
    super(message);
    this.kind = kind;
    this.code = code;
  }
}

/** The server declares the request unprocessed, so it may be sent again (RFC 9113 §8.7). */
export class NotProcessed extends Error {
  override readonly name = 'NotProcessed';
}

/** A stream that the library ended because the server broke the rules of HTTP/2 (RFC 9113 §5.4.2, §7). */
const brokenHttp2 = /NGHTTP2_(PROTOCOL|COMPRESSION|FLOW_CONTROL|FRAME_SIZE)_ERROR|NGHTTP2_ENHANCE_YOUR_CALM/;

const badResponseCodes = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

/**
 * True if the strict parser rejects the form of the response, so that the lenient parser may read it. Not for a
 * response that ends early: its connection broke, for any parser.
 */
export function isOfForm(error: Error, headers: Headers): boolean {
  if (error.message === 'bad response' || error.message === 'bad upgrade') return true;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ERR_ASSERTION') return true;
  // The library uses this code for any bytes after a Content-Length, in the headers as in the body.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    const isInHead = headers.length === 0;
    const isSaidOnce = headersOf(headers, 'content-length').length === 1;
    return isInHead || !isSaidOnce || headersOf(headers, 'transfer-encoding').length > 0;
  }
  return error.name === 'HTTPParserError' && !error.message.includes('Invalid EOF state');
}

export function failureOf(error: Error): RequestFailure {
  if (error instanceof GaveUp) return { kind: error.kind, detail: error.message };
  if (error instanceof ConnectError) {
    const { kind, message: detail, systemCode: code, maybeHost } = error;
    return { kind, detail, ...(code !== '' && { code }), ...(maybeHost && { maybeHost }) };
  }
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const detail = code === '' ? error.message : `${error.message} (${code})`;
  if (code === 'UND_ERR_INVALID_ARG' || code === 'ERR_INVALID_URL') return { kind: 'refused', detail };
  if (error.name === 'HTTPParserError' || badResponseCodes.has(code)) return { kind: 'badResponse', detail };
  // The library's own errors are about a connection on which the server broke them (§5.4.1).
  if (code === 'ERR_HTTP2_ERROR') return { kind: 'badResponse', detail };
  if (code.startsWith('ERR_HTTP2') && brokenHttp2.test(error.message)) return { kind: 'badResponse', detail };
  // undici reports an unexpected response as a socket error, and a switch of protocols as a failed assertion.
  if (code === 'ERR_ASSERTION' || error.message === 'bad response' || error.message === 'bad upgrade')
    return { kind: 'badResponse', detail };
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS')) return { kind: 'tlsFailed', detail: tlsDetail(detail) };
  return { kind: 'connectionFailed', detail };
}
