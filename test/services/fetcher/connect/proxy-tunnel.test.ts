/** What proxies are asked, how they let us in, and whose failure theirs is. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { buildConnector } from 'undici';
import type { ConnectError } from '../../../../services/fetcher/connect/connect-error.ts';
import {
  connectThrough,
  type ProxyServer,
  proxyAuthorization,
  takesWholeUrls,
} from '../../../../services/fetcher/connect/proxy-tunnel.ts';
import { serveSockets, unusedPort } from '../loopback.ts';
import { serveHttpProxy, serveSocks5 } from '../proxy-servers.ts';

const proxyAt = (kind: ProxyServer['kind'], port: number, more: Partial<ProxyServer> = {}): ProxyServer => ({
  ...{ kind, hostname: '127.0.0.1', port, user: '', password: '', resolves: false, label: `${kind}://proxy` },
  ...more,
});

/** Says `hello` to whoever connects. */
async function serveHello(t: TestContext): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}).end('hello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function said(socket: Socket): Promise<string> {
  let text = '';
  for await (const piece of socket) text += piece;
  return text;
}

/** What is connected to by the fetcher's own means; sockets that exist go on as they are. */
function connector() {
  const targets: buildConnector.Options[] = [];
  const connect = ((target: buildConnector.Options, back: buildConnector.Callback) => {
    targets.push(target);
    if (target.httpSocket) return back(null, target.httpSocket);
    const socket = openSocket(Number(target.port), target.hostname);
    socket.once('connect', () => back(null, socket)).once('error', (error) => back(error, null));
  }) as buildConnector.connector;
  return { targets, connect };
}

const target = (protocol: string, port: number): buildConnector.Options => ({
  ...{ protocol, hostname: 'a.test', host: `a.test:${port}`, port: String(port) },
});

async function through(proxy: ProxyServer, protocol: string, port: number, host = 'a.test', timeoutMs = 2_000) {
  const { targets, connect } = connector();
  const socket = await connectThrough({ proxy, connect, timeoutMs }, target(protocol, port), host);
  return { targets, text: await said(socket) };
}
const failing = (kind: string, message: RegExp) => (error: { readonly kind: string; readonly message: string }) => {
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, message);
  return true;
};

test('only plain-HTTP proxies that resolve names get whole URLs, and only for http', () => {
  const takes = (kind: ProxyServer['kind'], resolves: boolean, protocol: string) =>
    takesWholeUrls(proxyAt(kind, 1, { resolves }), protocol);
  assert.equal(takes('http', true, 'http:'), true);
  assert.equal(takes('http', false, 'http:'), false);
  assert.equal(takes('http', true, 'https:'), false);
  for (const kind of ['https', 'socks4', 'socks5'] as const) assert.equal(takes(kind, true, 'http:'), false);
});

test('only proxies with credentials get an authorization header', () => {
  assert.equal(proxyAuthorization(proxyAt('http', 1)), '');
  const basic = proxyAuthorization(proxyAt('http', 1, { user: 'me', password: 'p:w' }));
  assert.equal(basic, `Basic ${Buffer.from('me:p:w').toString('base64')}`);
});

test('an http URL goes to an HTTP proxy without a tunnel', async (t) => {
  const port = await serveHello(t);
  const { targets, text } = await through(proxyAt('http', port, { resolves: true }), 'http:', 80);
  assert.equal(text, 'hello');
  assert.deepEqual(targets, [{ hostname: '127.0.0.1', host: '127.0.0.1', protocol: 'http:', port: String(port) }]);
  await assert.rejects(
    through(proxyAt('http', await unusedPort(), { resolves: true }), 'http:', 80),
    failing('proxyFailed', /^proxy http:\/\/proxy: .*ECONNREFUSED/),
  );
});

test('other URLs go through a tunnel with our own TLS inside', async (t) => {
  const proxy = await serveHttpProxy(t, { port: await serveHello(t), credentials: 'me:pw' });
  const known = proxyAt('http', proxy.port, { user: 'me', password: 'pw' });
  const plain = await through(known, 'http:', 80);
  assert.deepEqual([plain.targets, plain.text], [[], 'hello']);
  const tls = await through(known, 'https:', 443, '2001:db8::1');
  assert.equal(tls.text, 'hello');
  assert.deepEqual(
    tls.targets.map(({ httpSocket, ...one }) => [one, httpSocket instanceof Object]),
    [[target('https:', 443), true]],
  );
  assert.deepEqual(proxy.asked, ['CONNECT a.test:80', 'CONNECT [2001:db8::1]:443']);
  await assert.rejects(
    through(proxyAt('http', proxy.port), 'https:', 443),
    failing('proxyFailed', /^proxy http:\/\/proxy answered 407 for a\.test:443$/),
  );
});

test('a tunnel is open after any 2xx and nothing else', async (t) => {
  const port = await serveHello(t);
  const answered = async (refusal: number) => {
    const proxy = await serveHttpProxy(t, { port, refusal });
    return through(proxyAt('http', proxy.port), 'https:', 443);
  };
  for (const status of [200, 201, 299]) assert.equal((await answered(status)).text, 'hello', `${status}`);
  for (const status of [403, 404, 502, 504])
    await assert.rejects(answered(status), failing('connectionFailed', new RegExp(`answered ${status} for`)));
});

test('a proxy that wants a password, throttles or is broken fails itself; its 503 may mean either', async (t) => {
  const port = await serveHello(t);
  for (const status of [300, 302, 400, 407, 429, 500, 501, 503]) {
    const proxy = await serveHttpProxy(t, { port, refusal: status });
    await assert.rejects(through(proxyAt('http', proxy.port), 'https:', 443), (error: ConnectError) => {
      assert.deepEqual([error.kind, error.maybeHost], ['proxyFailed', status === 503], `${status}`);
      return true;
    });
  }
});

test('a silent proxy fails itself, or reports that the host is unreachable', async (t) => {
  for (const kind of ['http', 'socks5', 'socks4'] as const) {
    const port = await serveSockets(t, () => {});
    await assert.rejects(through(proxyAt(kind, port), 'https:', 443, '192.0.2.1', 300), (error: ConnectError) => {
      assert.deepEqual([error.kind, error.maybeHost], ['proxyFailed', true], `${kind}: ${error.message}`);
      return true;
    });
  }
});

test('SOCKS5 reply codes distinguish a failure of the host from one of the proxy', async (t) => {
  for (const [refusal, kind, maybeHost] of [
    [1, 'proxyFailed', true],
    [2, 'connectionFailed', false],
    [4, 'connectionFailed', false],
    [7, 'proxyFailed', false],
    [8, 'proxyFailed', false],
  ] as const) {
    const proxy = await serveSocks5(t, { port: 1, refusal });
    await assert.rejects(through(proxyAt('socks5', proxy.port), 'https:', 443), (error: ConnectError) => {
      assert.deepEqual([error.kind, error.maybeHost], [kind, maybeHost], `${refusal}: ${error.message}`);
      return true;
    });
  }
});

test('a proxy that refuses a host stays usable', async (t) => {
  const proxy = await serveHttpProxy(t, { port: 1, refusal: 502 });
  const refused = (port: number) => through(proxyAt('http', proxy.port), 'https:', port);
  await assert.rejects(
    refused(443),
    failing('connectionFailed', /^proxy http:\/\/proxy answered 502 for a\.test:443$/),
  );
  await assert.rejects(refused(80), failing('connectionFailed', /^proxy .* answered 502 for a\.test:80: .*port 80/));
});

test('an unreachable proxy fails itself', async () => {
  for (const kind of ['http', 'socks5', 'socks4'] as const)
    await assert.rejects(
      through(proxyAt(kind, await unusedPort()), 'https:', 443, '192.0.2.1'),
      failing('proxyFailed', new RegExp(`^proxy ${kind}://proxy: `)),
    );
});

test('SOCKS5 gets names, and credentials if there are any', async (t) => {
  const port = await serveHello(t);
  const open = await serveSocks5(t, { port });
  const plain = await through(proxyAt('socks5', open.port), 'http:', 81);
  assert.deepEqual([plain.text, plain.targets, open.asked], ['hello', [], ['SOCKS a.test:81']]);
  const closed = await serveSocks5(t, { port, credentials: 'me:pw' });
  const tls = await through(proxyAt('socks5', closed.port, { user: 'me', password: 'pw' }), 'https:', 443, '192.0.2.1');
  assert.deepEqual([tls.text, tls.targets.length, closed.asked], ['hello', 1, ['SOCKS 192.0.2.1:443']]);
  await assert.rejects(
    through(proxyAt('socks5', closed.port, { user: 'me', password: 'no' }), 'https:', 443),
    failing('proxyFailed', /^proxy socks5:\/\/proxy: /),
  );
});

test('a SOCKS5 proxy that cannot reach a host stays usable', async (t) => {
  const proxy = await serveSocks5(t, { port: 1, refusal: 5 });
  await assert.rejects(
    through(proxyAt('socks5', proxy.port), 'https:', 443),
    failing('connectionFailed', /^proxy socks5:\/\/proxy can't reach a\.test port 443: /),
  );
});

test('SOCKS4a gets names and a user', async (t) => {
  let wish = Buffer.alloc(0);
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (bytes) => {
        wish = bytes;
        socket.write(Buffer.from([0, 0x5a, 0, 0, 0, 0, 0, 0]));
        socket.end('hello');
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  await through(proxyAt('socks4', port, { user: 'me', password: '' }), 'http:', 80);
  assert.equal(wish.toString('latin1'), '\x04\x01\x00\x50\x00\x00\x00\x01me\x00a.test\x00');
});
