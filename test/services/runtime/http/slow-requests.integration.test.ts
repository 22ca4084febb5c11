/** Clients that take their time with a request, over HTTP and TLS. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { httpLimits } from '../../../../services/runtime/http/http-limits.ts';
import { startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';

test('a request whose head or body comes a byte a second is cut off at its deadline', { timeout: 60_000 }, async () => {
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    onBug: () => {},
  });
  after(() => server.close());
  const port = Number(server.address.split(':')[1]);
  const livesMs = async (begins: string) => {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => {})
      .resume();
    const sinceMs = performance.now();
    let isOpen = true;
    socket.once('close', () => {
      isOpen = false;
    });
    socket.write(begins);
    while (isOpen && performance.now() - sinceMs < 40_000) {
      await sleep(1_000);
      socket.write('x');
    }
    socket.destroy();
    return performance.now() - sinceMs;
  };
  const body = 'POST /x HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n';
  for (const ms of await Promise.all([livesMs('GET /livez HTTP/1.1\r\nx-slow: '), livesMs(body)]))
    assert.ok(ms < httpLimits.requestMs + 8_000, `${ms}`);
});
