/** A client over a `fetch` of a user's own. */
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import type { HttpClientOptions, HttpRequest } from '../../../../services/fetcher/http/client.ts';
import {
  createFetchClient,
  type FetchFunction,
  type FetchInit,
} from '../../../../services/fetcher/http/fetch-client.ts';
import { createFakeClock } from '../fake-clock.ts';

const url = 'https://a.test/x';

function open(ask: FetchFunction, limits: HttpClientOptions['limits'] = {}) {
  const clock = createFakeClock();
  const client = createFetchClient(ask, { clock, limits } as unknown as HttpClientOptions);
  const request = (own: Partial<HttpRequest> = {}) => client.request({ url, headers: [], ...own } as HttpRequest);
  return { clock, client, request };
}

/** A body in pieces. */
const pieces = (...texts: readonly string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(Buffer.from(text));
      controller.close();
    },
  });

describe('a request through a custom fetch', () => {
  it('a request through a custom fetch has our headers except codings, follows no redirect, and returns the response', async () => {
    const asked: (readonly [string, FetchInit])[] = [];
    const { request, clock } = open(async (to, init) => {
      asked.push([to, init]);
      return new Response(pieces('12', '345'), { status: 203, headers: { etag: '"e"', 'content-encoding': 'gzip' } });
    });
    const startMs = clock.nowMs();
    const answer = await request({ headers: ['accept', '*/*', 'accept-encoding', 'gzip', 'x', '1'] });
    assert.deepEqual(
      [asked[0]![0], asked[0]![1].redirect, asked[0]![1].headers],
      [url, 'manual', { accept: '*/*', x: '1' }],
    );
    const { status, headers, body, truncated, failure, address, endMs, connectMs, firstByteMs } = answer;
    assert.deepEqual(
      {
        status,
        headers,
        body: String(body),
        truncated,
        failure,
        address,
        startMs: answer.startMs,
        endMs,
        connectMs,
        firstByteMs,
      },
      {
        ...{ status: 203, headers: ['etag', '"e"'], body: '12345', truncated: false, failure: null, address: '' },
        ...{ startMs, endMs: startMs, connectMs: 0, firstByteMs: 0 },
      },
    );
    assert.deepEqual([answer.staleConnection, answer.unreached], [false, false]);
  });

  it('a request through a custom fetch reads a body up to its limit, and whole if it ends there', async () => {
    for (const [limit, body, truncated] of [
      [4, '1234', true],
      [5, '12345', false],
      [6, '12345', false],
      [2, '12', true],
    ] as const) {
      const { request } = open(async () => new Response(pieces('12', '345')));
      const answer = await request({ bodyBytesMax: limit });
      assert.deepEqual([String(answer.body), answer.truncated], [body, truncated], `${limit}`);
    }
    const { request } = open(async () => new Response(pieces('12', '345')), { bodyBytesMax: 3 });
    assert.deepEqual([String((await request()).body), (await request()).truncated], ['123', true]);
  });

  it('a request through a custom fetch has no body if the response has none or nobody wants it', async () => {
    const empty = await open(async () => new Response(null, { status: 204 })).request();
    assert.deepEqual([empty.status, empty.body.length, empty.truncated], [204, 0, false]);
    const { request } = open(async () => new Response(pieces('12345'), { headers: { 'content-type': 'image/png' } }));
    const wants: HttpRequest['wants'] = (status, headers) => !(status === 200 && headers.includes('image/png'));
    const unwanted = await request({ wants });
    assert.deepEqual([unwanted.status, unwanted.body.length, unwanted.truncated], [200, 0, false]);
    assert.equal(String((await request({ wants: () => true })).body), '12345');
  });

  it('a request through a custom fetch passes its body to a sink until the sink wants no more', async () => {
    const sink = new PassThrough();
    const { request } = open(async () => new Response(pieces('12', '345')));
    const answer = await request({ sink });
    assert.deepEqual([String(sink.read()), answer.body.length, answer.truncated], ['12345', 0, false]);
    sink.destroy();
    assert.equal((await request({ sink })).truncated, true);
  });

  it('a request through a custom fetch that fails reports the cause of the error', async () => {
    const failing = async (error: unknown) => {
      const answer = await open(() => Promise.reject(error)).request();
      assert.deepEqual(
        [answer.status, answer.headers, answer.body.length, answer.truncated, answer.firstByteMs],
        [0, [], 0, false, 0],
      );
      return [answer.failure!.kind, answer.failure!.detail];
    };
    const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });
    for (const [code, kind] of [
      ['ENOTFOUND', 'dnsFailed'],
      ['EAI_AGAIN', 'dnsFailed'],
      ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
      ['ETIMEDOUT', 'timeout'],
      ['ERR_TLS_CERT_ALTNAME_INVALID', 'tlsFailed'],
      ['SELF_SIGNED_CERT_IN_CHAIN', 'tlsFailed'],
      ['ECONNRESET', 'connectionFailed'],
    ] as const)
      assert.deepEqual(await failing(new TypeError('fetch failed', { cause: coded(code) })), [kind, `x (${code})`]);
    assert.deepEqual(await failing(coded('ENOTFOUND', 'getaddrinfo ENOTFOUND a.test')), [
      'dnsFailed',
      'getaddrinfo ENOTFOUND a.test',
    ]);
    assert.deepEqual(await failing(new AggregateError([coded('ECONNREFUSED')])), [
      'connectionFailed',
      'x (ECONNREFUSED)',
    ]);
    assert.deepEqual(await failing(new DOMException('late', 'TimeoutError')), ['timeout', 'late']);
    assert.deepEqual(await failing('just words'), ['connectionFailed', 'just words']);
  });

  it('a request through a custom fetch ends with the crawl, even if the fetch ignores the abort signal', async () => {
    const { client, request } = open(() => new Promise(() => {}));
    const waiting = request();
    assert.equal(client.stats().inFlight, 1);
    await client.close();
    assert.deepEqual((await waiting).failure, { kind: 'aborted', detail: 'the crawl is over' });
    assert.equal(client.stats().inFlight, 0);
  });
});
