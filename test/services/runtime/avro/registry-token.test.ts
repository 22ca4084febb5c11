/** A registry that asks for a bearer token, which runs out. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { openConfluentRegistry } from '../../../../services/runtime/avro/confluent-registry.ts';
import { registryLogin } from '../../../../services/runtime/crawl/kafka-credentials.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  after(() => server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('each call to the registry has a token, which is kept and renewed before it expires', async () => {
  let granted = 0;
  let seconds = 3_600;
  const issuer = await serve((request, response) => {
    const isRight = request.headers.authorization === `Basic ${Buffer.from('me:hush').toString('base64')}`;
    if (isRight) granted += 1;
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isRight ? { access_token: `token-${granted}`, expires_in: seconds } : {}));
  });
  const schema = { type: 'record', name: 'R', fields: [{ name: 'a', type: 'string' }] };
  const seen: string[] = [];
  const registry = await serve((request, response) => {
    seen.push(`${request.headers.authorization}`);
    response.setHeader('content-type', 'application/vnd.schemaregistry.v1+json');
    if (request.headers.authorization !== `Bearer token-${granted}`) return response.writeHead(401).end('{}');
    if (/versions$/.test(request.url!)) return response.end('[1]');
    if (/versions\/1$/.test(request.url!)) return response.end('{"id":7,"version":1}');
    return response.end(JSON.stringify({ schema: JSON.stringify(schema) }));
  });
  const env = {
    CRAWLSTREAM_REGISTRY_TOKEN_URL: issuer,
    CRAWLSTREAM_REGISTRY_USERNAME: 'me',
    CRAWLSTREAM_REGISTRY_PASSWORD: 'hush',
  };
  const login = registryLogin(env);
  assert.equal(login.auth, undefined, 'the password is the issuer’s alone');
  assert.equal(await openConfluentRegistry(registry, login).idFor('s', schema), 7);
  assert.ok(seen.length >= 3, 'our own calls, and those of the client');
  assert.deepEqual([...new Set(seen)], ['Bearer token-1']);
  seconds = 10;
  const short = registryLogin(env);
  assert.equal(await openConfluentRegistry(registry, short).idFor('s', schema), 7);
  assert.ok(granted >= 3, 'one that runs out in a moment is not kept');
  assert.throws(() => registryLogin({ CRAWLSTREAM_REGISTRY_TOKEN_URL: issuer }), {
    message: /CRAWLSTREAM_REGISTRY_USERNAME is missing/,
  });
});
