import assert from 'node:assert/strict';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type TestContext, test } from 'node:test';
import { startHarness, taskUrls } from '../harness.ts';
import { certificate, privateKey } from '../http/tls-fixture.ts';
import { serveSockets } from '../loopback.ts';

/** Both schemes on one port, as one host. Of its https, only the first `handshakes` connections succeed. */
async function serveBothSchemes(test: TestContext, handshakes: number, answer: RequestListener): Promise<number> {
  const plain = createHttpServer(answer);
  const secure = createHttpsServer({ key: privateKey, cert: certificate }, answer);
  let left = handshakes;
  return serveSockets(test, (socket) => {
    socket.once('data', (first) => {
      const isTls = first[0] === 0x16;
      if (isTls && left-- <= 0) {
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
        return;
      }
      socket.pause();
      socket.unshift(first);
      (isTls ? secure : plain).emit('connection', socket);
      process.nextTick(() => socket.resume());
    });
  });
}

const html = { 'content-type': 'text/html', connection: 'close' };

test('a page whose origin fails by TLS fails alone if the host answers under its other scheme', async (t) => {
  const port = await serveBothSchemes(t, 1, (request, response) => {
    if (request.url === '/robots.txt') response.writeHead(404, html).end();
    else response.writeHead(200, html).end('x');
  });
  const harness = await startHarness(t, { config: { ca: certificate } });
  const at = (scheme: string, path: string) => `${scheme}://secure.test:${port}${path}`;
  const urls = [at('https', '/1'), at('http', '/2'), at('https', '/3'), at('http', '/4')];
  const { outcomes } = await harness.lease({ urls: taskUrls(...urls) });
  assert.deepEqual(
    outcomes.map(({ kind, originOnly }) => [kind, originOnly]),
    [
      ['tlsFailed', true],
      ['fetched', false],
      ['tlsFailed', true],
      ['fetched', false],
    ],
  );
});

test('a TLS failure is the host’s failure if it has no other scheme', async (t) => {
  const port = await serveBothSchemes(t, 1, (request, response) => {
    if (request.url === '/robots.txt' && request.socket.constructor.name === 'TLSSocket') {
      response.writeHead(404, html).end();
    } else request.socket.destroy();
  });
  const harness = await startHarness(t, { config: { ca: certificate } });
  const urls = ['/1', '/2'].map((path) => `https://secure.test:${port}${path}`);
  const { outcomes } = await harness.lease({ urls: taskUrls(...urls) });
  assert.deepEqual(
    outcomes.map(({ kind, originOnly }) => [kind, originOnly]),
    [
      ['tlsFailed', false],
      ['returned', false],
    ],
  );
});
