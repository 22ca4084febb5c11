import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { streamTo } from '../../../../services/extras/dashboard/event-stream.ts';
import type { Viewer } from '../../../../services/extras/dashboard/viewers.ts';

test('a slow viewer gets no further samples, except the end', async (t) => {
  const added: Viewer[] = [];
  const server = createServer((_, response) => {
    streamTo(response, {}, 'one', { add: (viewer) => added.push(viewer), remove: () => {} });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const request = get({ port: (server.address() as AddressInfo).port, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.setEncoding('utf8');
  const [viewer] = added;
  // More than a socket and its buffers take while nobody reads.
  const large = JSON.stringify('x'.repeat(16_000_000));
  assert.equal(viewer?.send({ event: 'told', data: large }), true);
  assert.equal(viewer?.send({ event: 'told', data: '"late"' }), false);
  assert.equal(viewer?.send({ event: 'over', data: '"end"' }), true);
  viewer?.end();
  let read = '';
  for await (const text of response) read += text;
  assert.equal(read, `event: told\ndata: ${large}\n\nevent: over\ndata: "end"\n\n`);
});
