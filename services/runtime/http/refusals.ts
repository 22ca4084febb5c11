/**
 * A single form of refusals: `{"error": CODE, "message": one line}`. It is also used when the framework or Node refuses
 * a request before a route gets it: for headers that cannot be parsed, an invalid path, or a body that is not JSON.
 */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { httpLimits } from './http-limits.ts';

export interface Problem {
  readonly error: string;
  readonly message: string;
}

export function problem(error: string, message: string): Problem {
  return { error, message };
}

/** By status, if there is no more specific message. */
const byStatus: Readonly<Record<number, Problem>> = {
  400: problem('BAD_REQUEST', 'the request is not valid HTTP: check its line, its headers and its length'),
  408: problem('TIMEOUT', `the request did not arrive within ${httpLimits.requestMs / 1_000}s: send it faster`),
  413: problem('TOO_LARGE', 'the body is too large: send a smaller one'),
  414: problem('TOO_LONG', 'the path is too long: send a shorter one'),
  415: problem('UNSUPPORTED_TYPE', 'the type of the body is not supported: send content-type: application/json'),
  417: problem('EXPECTATION_FAILED', 'only Expect: 100-continue is supported: leave out the header Expect'),
  431: problem('TOO_LONG', 'the headers are too long: send fewer or shorter ones'),
};

/** By the framework's own codes, because its messages describe its internals. */
const byCode: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'the path is not valid: percent-encode it as UTF-8',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is not valid JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'the body is empty: send JSON, or leave out the header content-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as content-length says',
};

/**
 * The error that a caller receives for an error of the framework, or of a route with a status. `bodyBytesMax`: limit
 * of the route.
 */
export function problemOf(
  error: { readonly code?: string; readonly message: string },
  status: number,
  bodyBytesMax?: number,
): Problem {
  const { code = 'BAD_REQUEST' } = error;
  if (!code.startsWith('FST_')) return problem(code, error.message);
  if (status === 413 && bodyBytesMax !== undefined)
    return problem('TOO_LARGE', `the body is too large: send at most ${bodyBytesMax} bytes`);
  const known = byStatus[status] ?? byStatus[400]!;
  return problem(known.error, byCode[code] ?? (status === 400 ? error.message : known.message));
}

/** Answers a connection on which no valid request arrived, and closes it. */
export function refuseConnection(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  // Before the handshake nothing can be answered: what is written would wait for it, and the socket with it.
  if (/^ERR_(?:TLS|SSL)_/.test(error.code ?? '')) return void socket.destroy();
  if (socket.writable && socket.bytesWritten === 0) socket.write(rawRefusal(statusOfParsing(error.code)));
  socket.destroySoon();
}

function statusOfParsing(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}

function rawRefusal(status: number): string {
  const body = JSON.stringify(byStatus[status]);
  const length = Buffer.byteLength(body);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${length}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

/** Returns the refusal for a status with which Node answers directly. */
export function problemOfStatus(status: number): Problem {
  return byStatus[status]!;
}
