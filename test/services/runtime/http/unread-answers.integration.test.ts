/** Callers that ask for much and do not read it. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { httpLimits } from '../../../../services/runtime/http/http-limits.ts';
import { startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';
import { until } from '../../until.ts';

const body = 'x'.repeat(8 << 20);

test('a client that does not read gets no more, others do, and all is well once it reads or leaves', {
  timeout: 60_000,
}, async () => {
  let made = 0;
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    onBug: () => {},
    routes: [
      (app) => {
        app.get('/much', async () => {
          made += 1;
          return body;
        });
      },
    ],
  });
  after(() => server.close());
  const url = `http://${server.address}/much`;
  const ask = async (key: string) => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    return { status: response.status, chars: (await response.text()).length };
  };
  const sockets: Socket[] = [];
  for (let n = 0; n < 20; n++) {
    const socket = connect(Number(server.address.split(':')[1]), '127.0.0.1').on('error', () => {});
    socket.pause();
    socket.write('GET /much HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer greedy\r\n\r\n');
    sockets.push(socket);
  }
  after(() => {
    for (const socket of sockets) socket.destroy();
  });
  await until(() => made >= 20);
  assert.equal((await ask('greedy')).status, 429);
  assert.deepEqual(await ask('other'), { status: 200, chars: body.length });
  for (const socket of sockets) socket.destroy();
  await until(async () => (await ask('greedy')).status === 200);
  for (let n = 0; n < 20; n++) assert.equal((await ask('greedy')).status, 200);
  assert.ok(20 * body.length > 2 * httpLimits.unreadBytesMax);
});
