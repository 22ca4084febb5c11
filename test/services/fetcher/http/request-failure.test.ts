/** What errors of a client mean. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ConnectError } from '../../../../services/fetcher/connect/connect-error.ts';
import { failureOf, GaveUp, isOurs } from '../../../../services/fetcher/http/request-failure.ts';

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

it('an error of the HTTP client becomes a kind of outcome, with its message and code', () => {
  const parser = new Error('Invalid header');
  parser.name = 'HTTPParserError';
  const cases: readonly (readonly [error: Error, kind: string, detail: string])[] = [
    [coded('x', 'UND_ERR_INVALID_ARG'), 'refused', 'x (UND_ERR_INVALID_ARG)'],
    [coded('x', 'ERR_INVALID_URL'), 'refused', 'x (ERR_INVALID_URL)'],
    [parser, 'badResponse', 'Invalid header'],
    [coded('x', 'UND_ERR_HEADERS_OVERFLOW'), 'badResponse', 'x (UND_ERR_HEADERS_OVERFLOW)'],
    [coded('x', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'), 'badResponse', 'x (UND_ERR_RES_CONTENT_LENGTH_MISMATCH)'],
    [
      coded('Stream closed with error code NGHTTP2_PROTOCOL_ERROR', 'ERR_HTTP2_STREAM_ERROR'),
      'badResponse',
      'Stream closed with error code NGHTTP2_PROTOCOL_ERROR (ERR_HTTP2_STREAM_ERROR)',
    ],
    [
      coded('Stream closed with error code NGHTTP2_REFUSED_STREAM', 'ERR_HTTP2_STREAM_ERROR'),
      'connectionFailed',
      'Stream closed with error code NGHTTP2_REFUSED_STREAM (ERR_HTTP2_STREAM_ERROR)',
    ],
    [new Error('NGHTTP2_PROTOCOL_ERROR'), 'connectionFailed', 'NGHTTP2_PROTOCOL_ERROR'],
    [coded('bad response', 'UND_ERR_SOCKET'), 'badResponse', 'bad response (UND_ERR_SOCKET)'],
    [new Error('bad upgrade'), 'badResponse', 'bad upgrade'],
    [
      coded('wrong version', 'ERR_SSL_WRONG_VERSION_NUMBER'),
      'tlsFailed',
      'TLS: wrong version (ERR_SSL_WRONG_VERSION_NUMBER)',
    ],
    [
      coded('not its name', 'ERR_TLS_CERT_ALTNAME_INVALID'),
      'tlsFailed',
      'TLS: not its name (ERR_TLS_CERT_ALTNAME_INVALID)',
    ],
    [coded('reset', 'ECONNRESET'), 'connectionFailed', 'reset (ECONNRESET)'],
    [new Error('other side closed'), 'connectionFailed', 'other side closed'],
    [new GaveUp('timeout', 'too slow'), 'timeout', 'too slow'],
    [new ConnectError('dnsFailed', 'no such name'), 'dnsFailed', 'no such name'],
  ];
  for (const [error, kind, detail] of cases) assert.deepEqual(failureOf(error), { kind, detail }, detail);
});

it('a request that we gave up, or that no proxy let through, is charged to our side', () => {
  for (const kind of ['aborted', 'proxyFailed'] as const) assert.equal(isOurs({ kind, detail: '' }), true, kind);
  for (const kind of ['timeout', 'connectionFailed', 'refused'] as const)
    assert.equal(isOurs({ kind, detail: '' }), false, kind);
  assert.equal(isOurs(null), false);
});
