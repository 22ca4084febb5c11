import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer } from 'node:tls';
import { compileOverrides } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient, type HttpClientOptions } from '../../../../services/fetcher/http/client.ts';
import { compileRequestRules } from '../../../../services/fetcher/http/request-rules.ts';
import { requestRulesSchema } from '../../../../services/fetcher/http/request-rules-schema.ts';
import { responseRecord } from '../../../../services/fetcher/http/response-record.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { serveSockets } from '../loopback.ts';
import { serveHttpProxy, serveSocks5 } from '../proxy-servers.ts';
import { odd } from './odd-answers.ts';
import { certificate, privateKey } from './tls-fixture.ts';

const clock = new SystemClock();
const headers = ['user-agent', 'test'];

function open(t: TestContext, options: Partial<HttpClientOptions> = {}) {
  const lookup = async () => ({ addresses: ['127.0.0.1'], ttlMs: 1_000 });
  const resolver = createResolver({ clock, lookup, overrides: compileOverrides([]), isBlocked: () => false });
  const client = createHttpClient({ clock, resolver, ...options });
  t.after(() => client.close());
  return client;
}

/** Answers each request with what its path names; keeps the connection open unless its end is the body's. */
async function serve(t: TestContext, answers: Readonly<Record<string, string>>) {
  const seen: { readonly path: string; readonly connection: number; readonly head: string }[] = [];
  let connections = 0;
  const port = await serveSockets(t, (socket: Socket) => {
    const connection = ++connections;
    socket.on('data', (data) => {
      const head = data.toString('latin1');
      const path = decodeURIComponent(head.split(' ')[1]!.slice(1));
      seen.push({ path, connection, head });
      const answer = answers[path] ?? 'HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n';
      socket.write(Buffer.from(answer, 'latin1'));
      if (!/length|chunked/i.test(answer)) socket.end();
    });
  });
  return { seen, url: (path: string) => `http://127.0.0.1:${port}/${encodeURIComponent(path)}` };
}

test('a malformed response is read by a second, lenient request, and later pages of that origin need only one', async (t) => {
  for (const [name, answer] of Object.entries(odd)) {
    const site = await serve(t, { page: answer });
    const client = open(t);
    const first = await client.request({ url: site.url('page'), headers });
    const second = first.misread === true ? await client.request({ url: site.url('page'), headers }) : first;
    assert.deepEqual([second.failure, second.status, second.body.toString()], [null, 200, '<title>T</title>'], name);
    assert.equal(site.seen.length, first.misread === true ? 2 : 1, name);
    if (first.misread !== true) continue;
    assert.equal(first.failure?.kind, 'badResponse', name);
    await client.request({ url: site.url('page'), headers });
    assert.equal(new Set(site.seen.map(({ connection }) => connection)).size, 3, `${name}: a connection served twice`);
  }
});

test('the lenient reader does not repeat a request whose answer ended early', async (t) => {
  const cut = {
    body: 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 50\r\n\r\nhalf',
    kept: 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf',
    chunk: 'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n50\r\nhalf',
    head: 'HTTP/1.1 200 OK\r\nContent-Length: 50\r\nConn',
    nothing: '',
  };
  for (const [name, answer] of Object.entries(cut)) {
    const port = await serveSockets(t, (socket) => void socket.once('data', () => socket.end(answer)));
    const response = await open(t).request({ url: `http://127.0.0.1:${port}/`, headers });
    assert.equal(response.misread, undefined, `${name}: ${JSON.stringify(response.failure)}`);
    assert.notEqual(response.failure, null, name);
  }
});

test('the lenient reader works over TLS and through proxies', async (t) => {
  const answer = (socket: Socket) =>
    void socket.on('error', () => {}).once('data', () => socket.write(Buffer.from(odd['folded by a space']!)));
  const plainPort = await serveSockets(t, answer);
  const secure = createServer({ cert: certificate, key: privateKey }, answer).listen(0, '127.0.0.1');
  await once(secure, 'listening');
  t.after(() => secure.close());
  const securePort = (secure.address() as AddressInfo).port;
  const ways = [
    { url: `https://secure.test:${securePort}/`, proxy: null },
    {
      url: `https://secure.test:${securePort}/`,
      proxy: `http://127.0.0.1:${(await serveHttpProxy(t, { port: securePort })).port}`,
    },
    { url: 'http://a.test/', proxy: `http://127.0.0.1:${(await serveHttpProxy(t, { port: plainPort })).port}` },
    { url: 'http://a.test/', proxy: `socks5://127.0.0.1:${(await serveSocks5(t, { port: plainPort })).port}` },
    {
      url: 'https://secure.test:8443/',
      proxy: `socks5://127.0.0.1:${(await serveSocks5(t, { port: securePort })).port}`,
    },
  ];
  for (const { url, proxy } of ways) {
    const rules = requestRulesSchema.parse(proxy === null ? [] : [{ hosts: ['*'], proxies: [proxy] }]);
    const client = open(t, { ca: certificate, rules: compileRequestRules(rules, clock) });
    const first = await client.request({ url, headers });
    assert.equal(first.misread, true, `${url} ${proxy}: ${JSON.stringify(first.failure)}`);
    const second = await client.request({ url, headers });
    assert.deepEqual([second.failure, second.body.toString()], [null, '<title>T</title>'], `${url} ${proxy}`);
    await client.close();
  }
});

test('a response with two different lengths is a bad response for both readers', async (t) => {
  const site = await serve(t, { page: 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde' });
  const client = open(t);
  for (const misread of [true, undefined]) {
    const response = await client.request({ url: site.url('page'), headers });
    assert.deepEqual([response.failure?.kind, response.misread], ['badResponse', misread]);
  }
});

test('a request that may have changed something is not repeated', async (t) => {
  const site = await serve(t, { page: odd['bare LF']! });
  const manner = { method: 'POST', body: 'a=b', headers: [], secrets: [], proxies: null };
  const client = open(t, { rules: { mannerOf: () => manner } as unknown as NonNullable<HttpClientOptions['rules']> });
  const first = await client.request({ url: site.url('page'), headers });
  assert.deepEqual([first.failure?.kind, first.misread], ['badResponse', undefined]);
  const second = await client.request({ url: site.url('page'), headers });
  assert.equal(second.body.toString(), '<title>T</title>');
  assert.match(site.seen[1]!.head, /content-length: 3\r\nconnection: close\r\n\r\na=b$/);
});

test('the lenient reader keeps the limits on body size, head size and head time', async (t) => {
  const start = odd['bare LF']!;
  const big = `HTTP/1.1 200 OK\nContent-Length: 5000\n\n${'x'.repeat(5_000)}`;
  const site = await serve(t, {
    start,
    big,
    flood: `HTTP/1.1 200 OK\nA: ${'x'.repeat(270_000)}\nContent-Length: 0\n\n`,
    slow: 'HTTP/1.1 200 OK\nContent-Length: 0\n',
  });
  const client = open(t, { limits: { headersTimeoutMs: 300 } });
  await client.request({ url: site.url('start'), headers });
  const get = (path: string, more = {}) => client.request({ url: site.url(path), headers, ...more });
  const cut = await get('big', { bodyBytesMax: 1_000 });
  assert.deepEqual([cut.failure, cut.body.length, cut.truncated], [null, 1_000, true]);
  const unwanted = await get('big', { wants: () => false });
  assert.deepEqual([unwanted.failure, unwanted.status, unwanted.body.length], [null, 200, 0]);
  assert.equal((await get('flood')).failure?.kind, 'badResponse');
  assert.deepEqual((await get('slow')).failure, { kind: 'timeout', detail: 'no response headers in time' });
  assert.equal((await get('start')).failure, null);
});

test('the lenient reader sends requests to one origin one at a time, and they end when the client closes', async (t) => {
  let open1 = 0;
  let most = 0;
  let isSilent = false;
  const port = await serveSockets(t, (socket) => {
    most = Math.max(most, ++open1);
    socket.on('close', () => open1--);
    socket.once('data', () => isSilent || setTimeout(() => socket.end(Buffer.from(odd['bare LF']!)), 20));
  });
  const client = open(t);
  const url = `http://127.0.0.1:${port}/`;
  await client.request({ url, headers });
  await Promise.all([1, 2, 3].map(() => client.request({ url, headers })));
  assert.ok(most <= 2, `${most} connections at once`);
  isSilent = true;
  const waiting = [1, 2].map(() => client.request({ url, headers }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await client.close();
  for (const response of await Promise.all(waiting)) assert.equal(response.failure?.kind, 'aborted');
});

test('archives get the response that was read, and the request as it was sent', async (t) => {
  const site = await serve(t, { page: odd['folded by a space']! });
  const client = open(t, { archive: { what: 'all', bodyBytesMax: 1_000, messageBytesMax: 1_000 } });
  const request = { url: site.url('page'), headers };
  const record = async () => responseRecord(request, await client.request(request), 1_000, { hostKey: 'a' }, true);
  assert.equal(await record(), undefined);
  const { requestHeaders, headerNames, status, body } = (await record())!;
  assert.deepEqual([status, body.toString(), requestHeaders[3]], [200, '<title>T</title>', 'close']);
  assert.deepEqual(headerNames, ['Content-Type', 'Set-Cookie', 'Content-Length']);
});

test('a 408 on a kept connection closes the connection and is not taken for the answer to the next request', async (t) => {
  const site = await serve(t, {
    page: 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    late: 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  });
  const client = open(t);
  assert.equal((await client.request({ url: site.url('late'), headers })).staleConnection, false);
  await client.request({ url: site.url('page'), headers });
  assert.equal((await client.request({ url: site.url('late'), headers })).staleConnection, true);
});
