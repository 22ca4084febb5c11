/** A registry that makes two versions of a schema that is registered twice at the same moment, as Apicurio does. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConfluentRegistry } from '../../../../services/runtime/avro/confluent-registry.ts';

const slowMs = 20;
const schema = { type: 'record', name: 'X', fields: [{ name: 'a', type: 'int' }] };

/** `registered`: schemas in the order of their versions; ids are versions. */
async function serve(t: TestContext): Promise<{ readonly url: string; readonly registered: string[] }> {
  const registered: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    const answer = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const { method, url } = request;
    const [, id] = /\/(?:schemas\/ids|versions)\/(\d+)$/.exec(url!) ?? [];
    if (method === 'PUT' || url!.startsWith('/config')) return answer(200, { compatibilityLevel: 'FULL_TRANSITIVE' });
    if (method === 'POST') {
      await sleep(slowMs);
      const at = registered.push((JSON.parse(body) as { schema: string }).schema);
      await sleep(slowMs);
      return answer(200, { id: at });
    }
    if (id !== undefined)
      return answer(200, {
        subject: 'x-value',
        version: Number(id),
        id: Number(id),
        schema: registered[Number(id) - 1],
      });
    if (registered.length === 0) return answer(404, { error_code: 40401, message: 'no such subject' });
    return answer(
      200,
      registered.map((_, at) => at + 1),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, registered };
}

test('roles of a process that start at once register a subject once', async (t) => {
  const { url, registered } = await serve(t);
  const registry = openConfluentRegistry(url);
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => registry.idFor('x-value', schema))), [1, 1, 1]);
  assert.equal(registered.length, 1);
});

test('processes that register a subject at the same moment write with the same id', async (t) => {
  const { url, registered } = await serve(t);
  const registries = [1, 2, 3].map(() => openConfluentRegistry(url));
  const ids = await Promise.all(registries.map((registry) => registry.idFor('x-value', schema)));
  assert.deepEqual(ids, [1, 1, 1]);
  assert.ok(registered.length >= 1);
});
