import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { createHubRequest } from '../../../../services/extras/push/hub-request.ts';

const ask = createHubRequest(
  () => 'test',
  () => false,
);

test('a hub on a port of another protocol, or of another scheme, is not contacted', async (t) => {
  let contacts = 0;
  const server = createServer((socket) => {
    contacts += 1;
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  });
  // amanda: one of the ports that browsers block.
  server.listen(10_080, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const form = { 'hub.mode': 'subscribe' };
  for (const url of ['http://127.0.0.1:10080/', 'http://localhost:10080/hub', 'ftp://127.0.0.1/']) {
    await assert.rejects(ask(url, form), { code: 'HUB_UNREACHABLE' }, url);
  }
  assert.equal(contacts, 0);
});

test('a hub’s response is read up to its bound, however it is split into chunks', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.end(`${'1\r\nx\r\n'.repeat(1_200_000)}0\r\n\r\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { text } = await ask(`http://127.0.0.1:${port}/`);
  assert.equal(text, 'x'.repeat(1 << 20));
});
