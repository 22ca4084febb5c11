import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openConfluentRegistry } from '../../../../services/runtime/avro/confluent-registry.ts';

async function serve(t: TestContext, status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const schema = { type: 'record', name: 'X', fields: [] };

test('a registry address with another path is reported with its status and the usual paths', async (t) => {
  const url = await serve(t, 404, '<h1>Not Found</h1>');
  await assert.rejects(openConfluentRegistry(`${url}/wrong`).idFor('x-value', schema), (error: Error) => {
    assert.match(
      error.message,
      /^the registry at http:\/\/127\.0\.0\.1:\d+\/wrong cannot be used \(it answered 404 to GET /,
    );
    assert.match(error.message, /usual addresses are http:\/\/HOST:8081 .*\/apis\/ccompat\/v7/);
    return true;
  });
});

test('a server that answers with a web page is no registry', async (t) => {
  const url = await serve(t, 200, '<h1>Welcome</h1>');
  await assert.rejects(openConfluentRegistry(url).idFor('x-value', schema), /it answered 200 without JSON to GET/);
});
