/** What archives are told of an exchange, told from the exchange alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HttpRequest, HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { responseRecord } from '../../../../services/fetcher/http/response-record.ts';
import { requestHeadersOf } from '../../../../services/fetcher/http/sent-request.ts';

const request = { url: 'https://a.test:8443/x?y', headers: ['accept', '*/*'] } as unknown as HttpRequest;
const answer = (given: object) =>
  ({
    ...{ status: 200, failure: null, startMs: 1_000, endMs: 1_234, address: '192.0.2.1', headers: ['a', 'b'] },
    ...{ rawBody: Buffer.from('12345'), body: Buffer.alloc(0), truncated: false, staleConnection: false, ...given },
  }) as unknown as HttpResponse;
const record = (given: object, asked: Partial<HttpRequest> = {}, failures = false, most = 5) =>
  responseRecord({ ...request, ...asked }, answer(given), most, { hostKey: 'a.test:8443', kind: 'page' }, failures);

describe('a record of an exchange that failed', () => {
  const cut = { status: 0, failure: { kind: 'connectionFailed', detail: 'reset' } };

  it('a record of a failed exchange exists only if failures are wanted, and holds no request if none was sent', () => {
    assert.equal(responseRecord(request, answer(cut), 5, { hostKey: 'a.test' }), undefined);
    const reported = record(cut, {}, true)!;
    assert.deepEqual(
      [reported.failure, reported.requestHeaders, reported.requestBody.length],
      ['connectionFailed', [], 0],
    );
  });
});

describe('a record of an exchange', () => {
  it('a record of an exchange holds the request and the response', () => {
    const reported = record({})!;
    const { url, hostKey, kind, fetchedAtMs, durationMs, address, status, headers, body, requestMethod } = reported;
    assert.deepEqual(
      {
        url,
        hostKey,
        kind,
        fetchedAtMs,
        durationMs,
        address,
        status,
        headers,
        body: Buffer.from(body).toString(),
        requestMethod,
      },
      {
        ...{ url: request.url, hostKey: 'a.test:8443', kind: 'page', fetchedAtMs: 1_234, durationMs: 234, status: 200 },
        ...{ address: '192.0.2.1', headers: ['a', 'b'], body: '12345', requestMethod: 'GET' },
      },
    );
    assert.deepEqual(reported.requestHeaders, ['host', 'a.test:8443', 'connection', 'keep-alive', 'accept', '*/*']);
    assert.deepEqual(
      [
        reported.truncated,
        reported.truncatedBy,
        reported.failure,
        reported.detail,
        reported.bodyFile,
        reported.bodyBytes,
        reported.bodyDigest,
      ],
      [false, '', '', '', '', 0, ''],
    );
  });

  it('a record of an exchange holds the bytes on the wire if they are known', () => {
    const sent = { method: 'POST', target: '/x', headers: ['accept', 'text/html'], body: 'q=1', secrets: [] };
    const wire = {
      ...{ sent, statusText: 'Fine', rawHeaders: ['A', 'b', 'Content-Type', 'x'].map((text) => Buffer.from(text)) },
      spoken: { protocols: ['h2', 'tls/1.3'], cipherSuite: 'TLS_AES_128_GCM_SHA256' },
    };
    const reported = record({ wire })!;
    assert.deepEqual(
      [
        reported.requestMethod,
        reported.requestTarget,
        Buffer.from(reported.requestBody).toString(),
        reported.statusText,
      ],
      ['POST', '/x', 'q=1', 'Fine'],
    );
    assert.deepEqual(reported.requestHeaders, ['host', 'a.test:8443', 'accept', 'text/html', 'content-length', '3']);
    assert.deepEqual([reported.headerNames, reported.protocols], [['A', 'Content-Type'], wire.spoken.protocols]);
    assert.equal(reported.cipherSuite, 'TLS_AES_128_GCM_SHA256');
    const older = record({ wire: { ...wire, spoken: { protocols: ['http/1.1', 'h2'], cipherSuite: '' } } })!;
    assert.deepEqual(older.requestHeaders.slice(2, 4), ['connection', 'keep-alive']);
  });

  it('a record of an exchange says why its body ends early', () => {
    const why = (given: object, wants?: boolean) => {
      const asked = wants === undefined ? {} : { wants: () => wants };
      const { truncated, truncatedBy, body } = record(given, asked as Partial<HttpRequest>)!;
      assert.equal(truncated, truncatedBy !== '');
      return `${truncatedBy} ${body.length}`;
    };
    assert.deepEqual([why({ rawBody: Buffer.alloc(6) }), why({ rawBody: Buffer.alloc(5) })], ['length 5', ' 5']);
    assert.equal(why({ truncated: true }), 'length 5');
    assert.deepEqual(
      [why({}, true), why({}, false), why({ truncated: true }, false)],
      [' 5', 'unspecified 5', 'length 5'],
    );
    // These have none that could be unread.
    assert.deepEqual([why({ status: 204 }, false), why({ status: 304 }, false)], [' 5', ' 5']);
    assert.equal(why({ headers: ['content-length', '0'] }, false), ' 5');
    const file = { name: 'f', bytes: 9, digest: 'd' };
    const kept = record({ kept: { bytes: Buffer.from('k'), file, length: 9, truncatedBy: 'time' } })!;
    assert.deepEqual(
      [Buffer.from(kept.body).toString(), kept.truncatedBy, kept.bodyFile, kept.bodyBytes, kept.bodyDigest],
      ['k', 'time', 'f', 9, 'd'],
    );
  });

  it('a failed exchange has a record if failures are wanted, except failures of our own side', () => {
    const failed = (kind: string, status = 0) => ({ status, failure: { kind, detail: 'why' } });
    const is = (given: object, failures: boolean) => record(given, {}, failures) !== undefined;
    assert.deepEqual(
      [is(failed('timeout'), false), is(failed('timeout', 200), false), is({ status: 0 }, false)],
      [...[false, false, false]],
    );
    assert.deepEqual([is(failed('badResponse', 200), false), is(failed('badResponse'), false)], [true, false]);
    assert.deepEqual(
      [is(failed('timeout'), true), is(failed('timeout', 200), true), is({ status: 0 }, true)],
      [...[true, true, true]],
    );
    for (const kind of ['aborted', 'proxyFailed'])
      assert.deepEqual([is(failed(kind), true), is(failed(kind, 200), true)], [false, false]);
    const stale = { staleConnection: true };
    assert.deepEqual([is({ ...failed('connectionFailed'), ...stale }, true), is(stale, true)], [false, true]);
    const reported = record(failed('timeout'), {}, true)!;
    assert.deepEqual(
      [reported.failure, reported.detail, reported.requestHeaders, reported.requestMethod],
      ['timeout', 'why', [], 'GET'],
    );
  });
});

describe('a request record', () => {
  const reported = (headers: readonly string[], body: string | null = null, secrets: readonly string[] = []) =>
    requestHeadersOf({ method: 'GET', target: '/', headers, body, secrets }, 'a.test', true);

  it('a request record hides secret values, by name or by rule, and lists which', () => {
    const names = ['authorization', 'cookie', 'x-token', 'client-secret', 'password', 'api-key', 'x-apikey', 'session'];
    const more = ['signature', 'payment', 'x-payment', 'x-ours'];
    const open = ['accept', 'signature-input', 'repayment', 'x-signature'];
    const { headers, redacted } = reported(
      [...names, ...more, ...open].flatMap((name) => [name, 'v']),
      null,
      ['x-ours'],
    );
    assert.deepEqual(redacted, [...names, ...more]);
    assert.deepEqual(headers, [
      ...['host', 'a.test'],
      ...[...names, ...more].flatMap((name) => [name, '[redacted]']),
      ...open.flatMap((name) => [name, 'v']),
    ]);
    assert.deepEqual(reported(['cookie', '1', 'cookie', '2']).redacted, ['cookie']);
  });

  it('a request record holds the body with its length, or only the length of a secret body', () => {
    const open = reported([], '\u20ac');
    assert.deepEqual(
      [open.headers, open.body.toString(), open.redacted],
      [['host', 'a.test', 'content-length', '3'], '\u20ac', []],
    );
    const secret = reported(['cookie', '1'], '\u20ac', ['body']);
    assert.deepEqual(
      [secret.headers.slice(4), secret.body.length, secret.redacted],
      [['content-length', '3'], 0, ['cookie', 'body']],
    );
  });
});
