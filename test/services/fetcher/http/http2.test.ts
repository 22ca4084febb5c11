import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient, type HttpClientOptions } from '../../../../services/fetcher/http/client.ts';
import { headersOf } from '../../../../services/fetcher/http/headers.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { certificate, privateKey } from './tls-fixture.ts';

const limits = { bodyBytesMax: 1_000, headersTimeoutMs: 300, bodyIdleTimeoutMs: 300, totalTimeoutMs: 3_000 };

/** A server that offers both, and what was asked of it, by protocol. */
async function serve(t: TestContext, answer: (stream: ServerHttp2Stream, path: string) => void, allowHTTP1 = true) {
  const asked: string[] = [];
  let sessions = 0;
  const server = createSecureServer({ key: privateKey, cert: certificate, allowHTTP1 }, (request, response) => {
    asked.push(`${request.httpVersion} ${request.url}`);
    if (request.httpVersion === '1.1') response.end('one');
  });
  server.on('session', (session) => {
    sessions += 1;
    session.on('error', () => {});
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    answer(stream, headers[':path'] ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { asked, sessions: () => sessions, url: (path: string) => `https://secure.test:${port}${path}` };
}

function open(t: TestContext, more: Partial<HttpClientOptions> = {}) {
  const clock = new SystemClock();
  const resolver = createResolver({
    clock,
    lookup: async () => ({ addresses: [], ttlMs: 0 }),
    overrides: compileOverrides([parseResolveOverride('*:127.0.0.1')]),
    isBlocked: () => true,
  });
  const client = createHttpClient({ clock, resolver, ca: certificate, limits, ...more });
  t.after(() => client.close());
  return (url: string) => client.request({ url, headers: ['user-agent', 'test'] });
}

test('HTTP/2 is used where the server offers it, over one connection; HTTP/1.1 if HTTP/2 is switched off', async (t) => {
  const server = await serve(t, (stream) => {
    stream.respond({ ':status': 200, 'set-cookie': ['a=1', 'b=2'] });
    stream.end('two');
  });
  const get = open(t);
  const first = await get(server.url('/a'));
  assert.equal(first.failure, null);
  assert.equal(first.body.toString(), 'two');
  assert.deepEqual(headersOf(first.headers, 'set-cookie'), ['a=1', 'b=2']);
  await get(server.url('/b'));
  assert.equal(server.sessions(), 1);
  const old = await open(t, { http2: false })(server.url('/c'));
  assert.equal(old.body.toString(), 'one');
  assert.deepEqual(server.asked, ['2.0 /a', '2.0 /b', '1.1 /c']);
});

test('HTTP/2 keeps the limits: a large body is cut, a silent and a dripping one time out', async (t) => {
  const server = await serve(t, (stream, path) => {
    if (path === '/silent') return;
    stream.respond({ ':status': 200 });
    if (path === '/large') stream.end(Buffer.alloc(100_000, 'x'));
    if (path !== '/drip') return;
    const drip = setInterval(() => (stream.destroyed ? clearInterval(drip) : stream.write('.')), 20);
  });
  const get = open(t);
  const large = await get(server.url('/large'));
  assert.deepEqual([large.body.length, large.truncated, large.failure], [1_000, true, null]);
  assert.equal((await get(server.url('/silent'))).failure?.detail, 'no response headers in time');
  assert.equal((await get(server.url('/drip'))).failure?.detail, 'not complete in time');
  assert.equal(server.sessions(), 2, 'after a time-out, another connection is used');
});

test('a server that breaks HTTP/2 costs only its own request', async (t) => {
  const server = await serve(t, (stream, path) => {
    if (path === '/reset') return stream.close(8);
    if (path === '/go-away') return stream.session?.goaway(0);
    if (path === '/gone') return stream.session?.destroy();
    if (path === '/short') stream.respond({ ':status': 200, 'content-length': '10' });
    else if (path === '/flood') {
      const many = Array.from({ length: 2_000 }, (_, i) => [`x${i}`, 'y'.repeat(40)]);
      stream.respond({ ':status': 200, ...Object.fromEntries(many) });
    } else stream.respond({ ':status': 200 });
    stream.end('fine');
  });
  const get = open(t);
  const failed: Record<string, string> = {};
  for (const path of ['/reset', '/go-away', '/gone', '/short', '/flood']) {
    failed[path] = (await get(server.url(path))).failure?.kind ?? 'none';
    // As the fetcher does: an idle connection that was closed says nothing of the server.
    let after = await get(server.url('/fine'));
    if (after.staleConnection) after = await get(server.url('/fine'));
    assert.equal(after.body.toString(), 'fine', `after ${path}`);
  }
  assert.deepEqual(failed, {
    '/reset': 'connectionFailed',
    '/go-away': 'timeout',
    '/gone': 'connectionFailed',
    '/short': 'badResponse',
    '/flood': 'badResponse',
  });
});
