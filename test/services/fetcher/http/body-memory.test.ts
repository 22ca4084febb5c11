/** What bodies cost in memory, by servers that frame them to hurt. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { compileOverrides } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createHttpClient, type HttpClientOptions } from '../../../../services/fetcher/http/client.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { serveSockets } from '../loopback.ts';

const clock = new SystemClock();
const headers = ['user-agent', 'test'];

function open(t: TestContext, limits: NonNullable<HttpClientOptions['limits']>) {
  const lookup = async () => ({ addresses: ['127.0.0.1'], ttlMs: 1_000 });
  const resolver = createResolver({ clock, lookup, overrides: compileOverrides([]), isBlocked: () => false });
  const client = createHttpClient({ clock, resolver, limits });
  t.after(() => client.close());
  return client;
}

/** The most memory that the process held while `act` ran, beyond what it held before, bytes. */
async function peakOf(act: () => Promise<unknown>): Promise<number> {
  const held = () => {
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = held();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, held());
  }, 20);
  await act();
  clearInterval(timer);
  return Math.max(most, held()) - before;
}

test('a body in chunks of one byte takes only the memory of its bytes', async (t) => {
  const bytes = 1_500_000;
  const some = Buffer.from('1\r\nx\r\n'.repeat(10_000));
  const port = await serveSockets(t, (socket) => {
    socket.once('data', async () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n');
      for (let sent = 0; sent < bytes && !socket.destroyed; sent += 10_000)
        if (!socket.write(some)) await new Promise((resolve) => socket.once('drain', resolve));
      socket.end('0\r\n\r\n');
    });
  });
  const client = open(t, { totalTimeoutMs: 60_000 });
  const most = await peakOf(async () => {
    const { body, failure } = await client.request({ url: `http://127.0.0.1:${port}/`, headers });
    assert.equal(failure, null);
    assert.equal(body.length, bytes);
  });
  assert.ok(most < 100_000_000, `${most} bytes`);
});

test('bodies that together exceed the memory wait for each other, and all arrive whole', async (t) => {
  const bytes = 400_000;
  const port = await serveSockets(t, (socket) => {
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${bytes}\r\n\r\n`);
      socket.write(Buffer.alloc(bytes, 'x'));
    });
  });
  const client = open(t, { bodiesBytesMax: 600_000, bodyFreeBytes: 65_536, bodyIdleTimeoutMs: 2_000 });
  const names = Array.from({ length: 12 }, (_, n) => `http://host-${n}.test:${port}/`);
  const responses = await Promise.all(names.map((url) => client.request({ url, headers })));
  assert.deepEqual(
    responses.map(({ body, failure }) => [body.length, failure]),
    names.map(() => [bytes, null]),
  );
});

test('a body that gets no memory in time returns to its queue and is no failure of its host', async (t) => {
  const bytes = 1_000_000;
  const port = await serveSockets(t, (socket) => {
    socket.once('data', (request) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${bytes}\r\n\r\n`);
      // One holds what it has and never ends; the other would come at once.
      socket.write(Buffer.alloc(String(request).includes('/holds') ? bytes - 1 : bytes, 'x'));
    });
  });
  const client = open(t, { bodiesBytesMax: 1_000_000, bodyFreeBytes: 65_536, totalTimeoutMs: 1_500 });
  const holds = client.request({ url: `http://holds.test:${port}/holds`, headers });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const waits = await client.request({ url: `http://waits.test:${port}/`, headers });
  const held = await holds;
  assert.deepEqual([held.failure, held.truncated], [null, true], 'what came of it by then is kept, as cut');
  // Either it waited in vain, or it came once the other had gone.
  assert.ok(waits.failure === null || waits.failure.kind === 'aborted', JSON.stringify(waits.failure));
});
