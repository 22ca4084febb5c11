/** Players of the behaviour cases that a server sends: raw bytes on a socket, read by the product's own client. */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { createResolver } from '../../services/fetcher/connect/resolver.ts';
import { createHttpClient, type HttpResponse } from '../../services/fetcher/http/client.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { isBlockedAddress } from '../../topology/fetch/address.ts';
import { classify } from '../../topology/fetch/outcome.ts';
import { redirectTarget } from '../../topology/fetch/redirect.ts';
import { compilePolicy, defaultPolicy } from '../../topology/policy/policy.ts';
import { serveBytes, serveSite, serveSockets } from '../services/fetcher/loopback.ts';

/** Asserts what a case calls safe. */
export type Player = (t: TestContext) => Promise<void> | void;

const clock = new SystemClock();
const limits = { connectTimeoutMs: 500, headersTimeoutMs: 300, bodyIdleTimeoutMs: 300, totalTimeoutMs: 900 };
const headers = ['user-agent', 'test'];

function open(t: TestContext, isBlocked: (address: string) => boolean = () => false) {
  const lookup = async () => ({ addresses: ['127.0.0.1'], ttlMs: 1_000 });
  const resolver = createResolver({ clock, lookup, overrides: () => undefined, isBlocked });
  const client = createHttpClient({ clock, resolver, limits });
  t.after(() => client.close());
  return client;
}

const ask = (t: TestContext, port: number): Promise<HttpResponse> =>
  open(t).request({ url: `http://127.0.0.1:${port}/`, headers });

/** The client's answer to these bytes; the connection is then closed, unless it `stays`. */
async function answerTo(t: TestContext, parts: readonly (string | Buffer)[], stays = false): Promise<HttpResponse> {
  return ask(t, await serveBytes(t, parts, !stays));
}

function refused(...parts: readonly (string | Buffer)[]): Player {
  return async (t) => assert.notEqual((await answerTo(t, parts)).failure, null);
}

/** Answers `first` to the first request of a connection, and whatever comes later on any with `later`. */
async function twice(t: TestContext, first: string, later: string): Promise<readonly HttpResponse[]> {
  let connections = 0;
  const port = await serveSockets(t, (socket) => {
    connections += 1;
    const mine = connections === 1 ? first : later;
    socket.once('data', () => {
      socket.write(mine);
      socket.on('data', () => socket.write(later));
    });
  });
  const client = open(t);
  const request = { url: `http://127.0.0.1:${port}/`, headers };
  const responses = [await client.request(request)];
  await new Promise((resolve) => setTimeout(resolve, 20));
  return [...responses, await client.request(request)];
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const coded = (coding: string, body: Buffer) => [
  `${ok}content-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`,
  body,
];

function pour(socket: Socket): void {
  const filler = Buffer.alloc(65_536, 'x');
  const more = () => {
    while (!socket.destroyed && socket.write(filler));
  };
  socket.on('drain', more);
  more();
}

/** RFC 1952 §2.3: a comment is a run of bytes up to a zero. */
function withComment(gzip: Buffer, bytes: number): Buffer {
  const header = Buffer.from(gzip.subarray(0, 10));
  header[3] = 0x10;
  return Buffer.concat([header, Buffer.alloc(bytes, 'c'), Buffer.of(0), gzip.subarray(10)]);
}

export const wirePlayers: Readonly<Record<string, Player>> = {
  'body faster than the parser: 10 GB at line speed': async (t) => {
    const port = await serveSockets(t, (socket) => {
      socket.once('data', () => {
        socket.write(`${ok}\r\n`);
        pour(socket);
      });
    });
    const { failure, truncated, body } = await ask(t, port);
    assert.deepEqual([failure, truncated, body.length], [null, true, 2 * 1024 * 1024]);
  },
  'Content-Length: 9223372036854775808': refused(`${ok}content-length: 9223372036854775808\r\n\r\nx`),
  'Content-Length: -1': refused(`${ok}content-length: -1\r\n\r\nx`),
  'two different Content-Length headers': refused(`${ok}content-length: 1\r\ncontent-length: 2\r\n\r\nxy`),
  'both Content-Length and Transfer-Encoding: chunked': async (t) => {
    const smuggling = `${ok}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`;
    const [first, second] = await twice(t, smuggling, `${ok}content-length: 5\r\n\r\nlater`);
    if (first!.failure === null) assert.equal(first!.body.toString(), 'x');
    assert.equal(second!.body.toString(), 'later');
  },
  'missing CRLF after chunk data': refused(`${chunked}3\r\nabc3\r\ndef\r\n0\r\n\r\n`),
  'trailer section never ends': async (t) => {
    const trailers = Array.from({ length: 20_000 }, (_, n) => `x-${n}: ${'y'.repeat(80)}\r\n`).join('');
    assert.notEqual((await answerTo(t, [`${chunked}1\r\nx\r\n0\r\n${trailers}`], true)).failure, null);
  },
  'Transfer-Encoding: chunked, identity': refused(
    `${ok}transfer-encoding: chunked, identity\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
  ),
  'Transfer-Encoding: xchunked': async (t) => {
    const response = await answerTo(t, [`${ok}transfer-encoding: xchunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`]);
    assert.notEqual(response.body.toString(), 'x');
  },
  '100 000 headers': refused(ok, 'x-flood: y\r\n'.repeat(100_000), '\r\n'),
  'headers drip one byte each 5 s (slow loris response)': async (t) => {
    const port = await serveSockets(t, (socket) => {
      socket.once('data', () => {
        const drip = setInterval(() => socket.write('H'), 50);
        socket.write('HTTP/1.1 200 OK\r\nx-drip: ');
        socket.on('close', () => clearInterval(drip));
      });
    });
    assert.equal((await ask(t, port)).failure?.kind, 'timeout');
  },
  'no blank line, then silence': async (t) => {
    assert.equal((await answerTo(t, [ok], true)).failure?.kind, 'timeout');
  },
  'bare CR in header': refused(`${ok}x-a: b\rx-c: d\r\ncontent-length: 1\r\n\r\nx`),
  'obsolete line folding': async (t) => {
    const { failure, headers: got } = await answerTo(t, [`${ok}x-a: b\r\n c\r\ncontent-length: 1\r\n\r\nx`]);
    if (failure === null) assert.match(got[got.indexOf('x-a') + 1]!, /^b\s+c$/);
  },
  'first header starts with white space': async (t) => {
    const { failure, headers: got } = await answerTo(t, ['HTTP/1.1 200 OK\r\n x: y\r\ncontent-length: 1\r\n\r\nx']);
    if (failure === null) assert.ok(!got.includes('x'));
  },
  'header named __proto__ or constructor': async (t) => {
    const { headers: got } = await answerTo(t, [`${ok}__proto__: a\r\nconstructor: b\r\ncontent-length: 1\r\n\r\nx`]);
    assert.equal(got[got.indexOf('__proto__') + 1], 'a');
    assert.equal(got[got.indexOf('constructor') + 1], 'b');
    assert.equal(Object.getPrototypeOf({}), Object.prototype);
  },
  'no status line, body only (HTTP/0.9)': refused('<html>hello</html>'),
  'status code -200': refused('HTTP/1.1 -200 OK\r\ncontent-length: 1\r\n\r\nx'),
  'status 999': async (t) => {
    const { status, failure } = await answerTo(t, ['HTTP/1.1 999 No\r\ncontent-length: 1\r\n\r\nx']);
    assert.equal(failure?.kind ?? classify({ status }), 'badResponse');
  },
  '204 with a body': async (t) => {
    const smuggling = 'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil';
    const [, second] = await twice(t, smuggling, `${ok}content-length: 5\r\n\r\nlater`);
    assert.notEqual(second!.body.toString(), 'evil');
  },
  'connection closed with no byte sent': async (t) => {
    const port = await serveSockets(t, (socket) => socket.once('data', () => socket.end()));
    assert.equal((await ask(t, port)).failure?.kind, 'connectionFailed');
  },
  'gzip bomb: 10 MB to 10 GB': async (t) => {
    const { truncated, body } = await answerTo(t, coded('gzip', gzipSync(Buffer.alloc(1 << 28))));
    assert.deepEqual([truncated, body.length], [true, 2 * 1024 * 1024]);
  },
  '100 Content-Encoding layers': refused(...coded(Array(100).fill('gzip').join(', '), gzipSync('x'))),
  'Content-Encoding: gzip but plain body': async (t) => {
    assert.equal((await answerTo(t, coded('gzip', Buffer.from('plain')))).body.toString(), 'plain');
  },
  'Content-Encoding: deflate with raw deflate (no zlib header)': async (t) => {
    assert.equal((await answerTo(t, coded('deflate', deflateRawSync('raw')))).body.toString(), 'raw');
  },
  'truncated gzip stream': async (t) => {
    const whole = gzipSync(Array.from({ length: 5_000 }, (_, n) => `line ${n}`).join('\n'));
    const { truncated, body } = await answerTo(t, coded('gzip', whole.subarray(0, whole.length >> 1)));
    assert.ok(truncated && body.toString().startsWith('line 0\nline 1\n'));
  },
  'gzip with huge comment field': async (t) => {
    const response = await answerTo(t, coded('gzip', withComment(gzipSync('x'), 1_000_000)));
    assert.equal(response.body.toString(), 'x');
  },
  'unknown Content-Encoding': async (t) => {
    const { failure, body } = await answerTo(t, coded('sdch', Buffer.from([0, 1, 2, 0xff, 0xfe, 0x80, 3, 4])));
    assert.deepEqual([failure?.kind, body.length], ['badResponse', 0]);
    // What is text all the same is no more coded than under a label that is none (Fetch, "handle content codings").
    assert.equal((await answerTo(t, coded('sdch', Buffer.from('<html>')))).body.toString(), '<html>');
  },
  'A to B to A for ever': (t) => hopsEnd(t, (path) => (path === '/a' ? '/b' : '/a')),
  'each redirect to a new unique URL': (t) => hopsEnd(t, (path) => `${path}x`),
  'redirect to http://169.254.169.254/latest/meta-data/': async (t) => {
    const target = redirectTarget('http://a.test/', 302, 'http://169.254.169.254/latest/meta-data/');
    const { failure, address } = await open(t, isBlockedAddress).request({ url: target!, headers });
    assert.deepEqual([failure?.kind, address], ['blockedAddress', '']);
  },
  'redirect to file:///etc/passwd': () => {
    assert.equal(redirectTarget('http://a.test/', 302, 'file:///etc/passwd'), null);
  },
  'https to http': async (t) => {
    assert.equal(redirectTarget('https://a.test/', 301, 'http://a.test/'), 'http://a.test/');
    await sendsNoCredentials(t);
  },
  'redirect to another host': async (t) => {
    // Not followed: it goes through the frontier, to a lease of its own host (test/services/fetcher/leases/lease.test.ts).
    const response = await answerTo(t, ['HTTP/1.1 302 Found\r\nlocation: http://b.test/\r\ncontent-length: 0\r\n\r\n']);
    assert.equal(response.status, 302);
    await sendsNoCredentials(t);
  },
  'redirect whose body is a bad chunk': async (t) => {
    const bytes = 'HTTP/1.1 301 Moved\r\nlocation: /b\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n';
    const port = await serveBytes(t, [bytes]);
    const request = { url: `http://127.0.0.1:${port}/`, headers, wants: () => false };
    const response = await open(t).request(request);
    assert.deepEqual([response.failure, response.headers[1]], [null, '/b']);
  },
  'a host with 1 000 A records': async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `93.184.${n >> 8}.${n & 255}`);
    const lookup = async () => ({ addresses: many, ttlMs: 1_000 });
    const resolver = createResolver({ clock, lookup, overrides: () => undefined, isBlocked: isBlockedAddress });
    const resolution = await resolver.resolve('a.test', 80);
    assert.ok(resolution.ok && resolution.addresses.length <= 8);
  },
  'keep-alive closed while a request is being written': async (t) => {
    let connections = 0;
    const port = await serveSockets(t, (socket) => {
      connections += 1;
      socket.once('data', () => {
        socket.write(`${ok}content-length: 1\r\n\r\nx`);
        socket.once('data', () => socket.destroy());
      });
    });
    const client = open(t);
    const request = { url: `http://127.0.0.1:${port}/`, headers };
    assert.equal((await client.request(request)).failure, null);
    await wait(150);
    const lost = await client.request(request);
    assert.deepEqual([lost.failure?.kind, lost.staleConnection], ['connectionFailed', true]);
    assert.deepEqual([(await client.request(request)).body.toString(), connections], ['x', 2]);
  },
  'second response sent without a request (unsolicited)': async (t) => {
    const two = `${ok}content-length: 1\r\n\r\nx${ok}content-length: 4\r\n\r\nevil`;
    const [first, second] = await twice(t, two, `${ok}content-length: 5\r\n\r\nlater`);
    assert.notEqual(first!.body.toString(), 'evil');
    assert.notEqual(second!.body.toString(), 'evil');
  },
  'server answers 1 MB/s for one host while others wait': async (t) => {
    const slow = await serveSockets(t, (socket) => {
      socket.once('data', () => {
        socket.write(`${ok}content-length: 100000\r\n\r\n`);
        const drip = setInterval(() => socket.write('x'), 50);
        socket.on('close', () => clearInterval(drip));
      });
    });
    const quick = await serveBytes(t, [`${ok}content-length: 1\r\n\r\nx`]);
    const client = open(t);
    let slowIsOver = false;
    const dripping = client.request({ url: `http://127.0.0.1:${slow}/`, headers }).then(() => (slowIsOver = true));
    assert.equal((await client.request({ url: `http://127.0.0.1:${quick}/`, headers })).failure, null);
    assert.equal(slowIsOver, false);
    await dripping;
  },
};

/** Hops are counted along the chain, and the frontier admits no more of them than the policy has. */
async function hopsEnd(t: TestContext, next: (path: string) => string): Promise<void> {
  const site = await serveSite(t, (request, response) => {
    response.writeHead(302, { location: next(request.url ?? '/') }).end();
  });
  const client = open(t);
  const { admit, config } = compilePolicy(defaultPolicy());
  let url = site.url('127.0.0.1', '/a');
  let hop = 0;
  while (admit(url, 0, hop).ok) {
    const response = await client.request({ url, headers });
    url = redirectTarget(url, response.status, response.headers[response.headers.indexOf('location') + 1]!)!;
    hop += 1;
  }
  assert.equal(hop, config.hopsMax + 1);
}

async function sendsNoCredentials(t: TestContext): Promise<void> {
  const site = await serveSite(t, (_, response) => response.writeHead(200, { 'set-cookie': 'a=b' }).end());
  const client = open(t);
  for (let n = 0; n < 2; n++) await client.request({ url: site.url('127.0.0.1', '/'), headers });
  for (const hit of site.hits) {
    assert.equal(hit.headers.cookie, undefined);
    assert.equal(hit.headers.authorization, undefined);
  }
}
