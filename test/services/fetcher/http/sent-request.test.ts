/** What a connection speaks, and what a record tells of a request. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect as connectPlain, createServer as createPlain, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type ConnectionOptions, connect, createServer, type SecureVersion } from 'node:tls';
import { redactedValue, requestHeadersOf, spokenOn } from '../../../../services/fetcher/http/sent-request.ts';
import { certificate, privateKey } from './tls-fixture.ts';

async function portOf(t: TestContext, server: ReturnType<typeof createPlain>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

function ended(t: TestContext, socket: Socket): void {
  socket.on('error', () => {});
  t.after(() => socket.destroy());
}

test('a connection reports its protocols, the outermost first, and its cipher', async (t) => {
  const server = createServer({ cert: certificate, key: privateKey, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) =>
    ended(t, socket),
  );
  const port = await portOf(t, server);
  const spoken = async (version: SecureVersion, own: ConnectionOptions = {}, isSecure = true) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      rejectUnauthorized: false,
      minVersion: version,
      maxVersion: version,
      ...own,
    });
    ended(t, socket);
    await once(socket, 'secureConnect');
    return spokenOn(socket, isSecure);
  };
  const newest = await spoken('TLSv1.3', { ALPNProtocols: ['h2'] });
  assert.deepEqual(newest.protocols, ['h2', 'tls/1.3']);
  assert.match(newest.cipherSuite, /^TLS_AES_/);
  const older = await spoken('TLSv1.2', { ALPNProtocols: ['http/1.1'] });
  assert.deepEqual(older.protocols, ['http/1.1', 'tls/1.2']);
  assert.match(older.cipherSuite, /^TLS_ECDHE_ECDSA_/);
  assert.deepEqual((await spoken('TLSv1.3')).protocols, ['http/1.1', 'tls/1.3'], 'nothing was agreed on');
  const toProxy = await spoken('TLSv1.3', { ALPNProtocols: ['h2'] }, false);
  assert.deepEqual(toProxy, { protocols: ['http/1.1'], cipherSuite: '' }, 'TLS goes to a proxy alone');
});

test('a connection without TLS reports no TLS', async (t) => {
  const port = await portOf(
    t,
    createPlain((socket) => ended(t, socket)),
  );
  const socket = connectPlain(port, '127.0.0.1');
  ended(t, socket);
  await once(socket, 'connect');
  for (const isSecure of [true, false])
    assert.deepEqual(spokenOn(socket, isSecure), { protocols: ['http/1.1'], cipherSuite: '' });
});

test('a record has the headers of the connection, and no secrets', () => {
  const headers = ['accept', '*/*', 'cookie', 'a=1', 'x-mine', '7', 'authorization', 'Basic x', 'cookie', 'b=2'];
  const sent = { method: 'POST', target: '/', headers, body: 'caf\u00e9', secrets: ['x-mine'] };
  const reported = requestHeadersOf(sent, 'a.test', false);
  assert.deepEqual(reported.headers, [
    ...['host', 'a.test', 'connection', 'keep-alive', 'accept', '*/*', 'cookie', redactedValue],
    ...['x-mine', redactedValue, 'authorization', redactedValue, 'cookie', redactedValue, 'content-length', '5'],
  ]);
  assert.deepEqual(reported.redacted, ['cookie', 'x-mine', 'authorization']);
  assert.equal(reported.body.toString(), 'caf\u00e9');
  const none = requestHeadersOf({ ...sent, headers: [], body: null, secrets: ['body'] }, 'a.test', true);
  assert.deepEqual([none.headers, none.body.length, none.redacted], [['host', 'a.test'], 0, []]);
  const secret = requestHeadersOf({ ...sent, headers: [], secrets: ['body'] }, 'a.test', true);
  assert.deepEqual(
    [secret.headers, secret.body.length, secret.redacted],
    [['host', 'a.test', 'content-length', '5'], 0, ['body']],
  );
});
