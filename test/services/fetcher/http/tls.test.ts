import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient } from '../../../../services/fetcher/http/client.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { certificate, privateKey } from './tls-fixture.ts';

async function ask(test: TestContext, host: string, ca?: string, insecureHost?: string) {
  const names: (string | false | null)[] = [];
  const server = createServer({ key: privateKey, cert: certificate }, (request, response) => {
    names.push((request.socket as TLSSocket).servername);
    response.end('secret');
  });
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = new SystemClock();
  const resolver = createResolver({
    clock,
    lookup: async () => ({ addresses: [], ttlMs: 0 }),
    overrides: compileOverrides([parseResolveOverride('*:127.0.0.1')]),
    isBlocked: () => true,
  });
  const insecure = insecureHost === undefined ? {} : { insecureHosts: new Set([insecureHost]) };
  const client = createHttpClient({ clock, resolver, ...(ca === undefined ? {} : { ca }), ...insecure });
  test.after(async () => {
    await client.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { names, response: await client.request({ url: `https://${host}:${port}/`, headers: [] }) };
}

test('a certificate is checked against the URL’s host name, which is also sent as SNI', async (t) => {
  const { names, response } = await ask(t, 'secure.test', certificate);
  assert.deepEqual([response.failure, response.body.toString()], [null, 'secret']);
  assert.deepEqual(names, ['secure.test']);
});

test('an untrusted certificate, or one of another name, is a TLS failure', async (t) => {
  const selfSigned = await ask(t, 'secure.test');
  assert.equal(selfSigned.response.failure?.kind, 'tlsFailed');
  const otherName = await ask(t, 'other.test', certificate);
  assert.equal(otherName.response.failure?.kind, 'tlsFailed');
  assert.deepEqual([...selfSigned.names, ...otherName.names], []);
});

test('certificates go unchecked only for the host named by --insecure, and its responses say so', async (t) => {
  const named = await ask(t, 'secure.test', undefined, 'secure.test');
  assert.deepEqual([named.response.body.toString(), named.response.unverified], ['secret', true]);
  const otherName = await ask(t, 'other.test', undefined, 'other.test');
  assert.equal(otherName.response.body.toString(), 'secret');
  const below = await ask(t, 'www.secure.test', undefined, 'secure.test');
  assert.equal(below.response.failure?.kind, 'tlsFailed');
  assert.match(below.response.failure?.detail ?? '', /: TLS: self-signed certificate$/);
  assert.equal(below.response.unverified, undefined);
});
