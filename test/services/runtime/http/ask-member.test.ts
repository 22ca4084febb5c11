/** Questions of one member of a crawl to another. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { makeAuthority } from '../../../../lab/judge/suite/secure/certificates.ts';
import { memberAsker } from '../../../../services/runtime/http/ask-member.ts';
import { certificate, privateKey } from '../../fetcher/http/tls-fixture.ts';
import { until } from '../../until.ts';

const withinMs = 60_000;

async function member(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: { readonly url: string | undefined; readonly headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url, headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a member is asked with the token of the crawl, and its answer has a status and JSON', async (t) => {
  const { asked, address } = await member(t, (_, response) => response.writeHead(404).end('{"error":"NONE"}'));
  const answer = await memberAsker({ token: 'secret' })(address, '/v1/x?y=1', withinMs, { 'x-from': 'me' });
  assert.deepEqual(answer, { status: 404, body: { error: 'NONE' } });
  const [{ url, headers } = { url: '', headers: {} }] = asked;
  assert.deepEqual([url, headers['authorization'], headers['x-from']], ['/v1/x?y=1', 'Bearer secret', 'me']);
  await memberAsker({})(address, '/', withinMs);
  assert.equal(asked[1]!.headers['authorization'], undefined);
});

test('a member that refuses the token, fails or answers no JSON counts as one without an answer', async (t) => {
  for (const [status, body] of [
    [401, '{}'],
    [403, '{}'],
    [500, '{}'],
    [503, '{}'],
    [200, 'no JSON'],
  ] as const) {
    const { address } = await member(t, (_, response) => response.writeHead(status).end(body));
    assert.equal(await memberAsker({})(address, '/', withinMs), undefined, `${status} ${body}`);
  }
  const { address } = await member(t, (_, response) => response.writeHead(499).end('{}'));
  assert.deepEqual(await memberAsker({})(address, '/', withinMs), { status: 499, body: {} });
});

test('a redirect is not followed, so the token goes to no other address', async (t) => {
  const other = await member(t, (_, response) => response.end('{}'));
  const { address } = await member(t, (_, response) =>
    response.writeHead(302, { location: `http://${other.address}/` }).end('{}'),
  );
  assert.equal(await memberAsker({ token: 'secret' })(address, '/', withinMs), undefined);
  assert.deepEqual(other.asked, []);
});

test('a member that cannot be reached, or never answers, counts as one without an answer', async (t) => {
  const silent = await member(t, () => {});
  assert.equal(await memberAsker({})(silent.address, '/', 20), undefined);
  assert.equal(await memberAsker({})('127.0.0.1:1', '/', withinMs), undefined);
});

test('a member over TLS is one that shows the same certificate, whatever name is in it', async (t) => {
  const server = createSecureServer({ cert: certificate, key: privateKey }, (_, response) => response.end('{"a":1}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let renewed = '';
  const ask = memberAsker({ certificate: () => Buffer.from(`${certificate}${renewed}`) });
  for (const more of ['', '\n', '\n']) {
    renewed = more;
    assert.deepEqual(await ask(address, '/', withinMs), { status: 200, body: { a: 1 } });
  }
  assert.equal(await memberAsker({})(address, '/', withinMs), undefined);
});

test('connections to members end when the certificate that they showed is replaced', async (t) => {
  const server = createSecureServer({ cert: certificate, key: privateKey }, (_, response) => response.end('{"a":1}'));
  // The client keeps its connection as long as the server does.
  server.keepAliveTimeout = 600_000;
  const sockets: { readonly destroyed: boolean }[] = [];
  server.on('secureConnection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let renewed = '';
  const ask = memberAsker({ certificate: () => Buffer.from(`${certificate}${renewed}`) });
  await ask(address, '/', withinMs);
  const earlier = sockets.length;
  assert.ok(earlier > 0);
  renewed = '\n';
  assert.deepEqual(await ask(address, '/', withinMs), { status: 200, body: { a: 1 } });
  await until(() => sockets.slice(0, earlier).every(({ destroyed }) => destroyed));
  assert.equal(sockets.at(-1)!.destroyed, false);
});

test('another certificate of an authority that is trusted counts only if it names the address', async (t) => {
  const authority = makeAuthority();
  const named = async (name: string) => {
    const cert = authority.chainFor('good', name, '');
    const server = createSecureServer({ cert, key: authority.key }, (_, response) => response.end('{"a":1}'));
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    return `https://localhost:${(server.address() as AddressInfo).port}`;
  };
  // The root is our own certificate, and signed both.
  const ask = memberAsker({ certificate: () => Buffer.from(authority.root) });
  assert.deepEqual(await ask(await named('localhost'), '/', withinMs), { status: 200, body: { a: 1 } });
  assert.equal(await ask(await named('other.test'), '/', withinMs), undefined);
});
