import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import {
  type NameAnswer,
  recordTypes,
  responseCodes,
  startNameServer,
} from '../../../../../lab/judge/suite/names/name-server.ts';

const answers: Readonly<Record<string, NameAnswer>> = {
  'a.test': { addresses: ['127.1.2.3', '127.66.0.1'], ttlSeconds: 0 },
  'alias.test': { alias: 'inside.test', addresses: ['10.0.0.1'] },
  'none.test': { code: responseCodes.noSuchName },
};
const sixth = ['::1', '::ffff:127.66.0.1', 'fd00::1:2'];

test('a system resolver reads addresses, aliases and missing names from the name server', async (t) => {
  const server = await startNameServer({ address: '127.0.0.1', port: 0 }, ({ name, type }) =>
    type === recordTypes.AAAA ? { addresses: sixth } : answers[name]!,
  );
  t.after(() => server.close());
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.port}`]);
  assert.deepEqual(await resolver.resolve4('A.test', { ttl: true }), [
    { address: '127.1.2.3', ttl: 0 },
    { address: '127.66.0.1', ttl: 0 },
  ]);
  assert.deepEqual(await resolver.resolve4('alias.test'), ['10.0.0.1']);
  assert.deepEqual(await resolver.resolve6('a.test'), sixth);
  await assert.rejects(resolver.resolve4('none.test'), { code: 'ENOTFOUND' });
  // Bytes that are no question get no answer, and do not end the server.
  const peer = createSocket('udp4');
  t.after(() => peer.close());
  for (const bytes of [Buffer.alloc(3), Buffer.alloc(40, 0xff)]) peer.send(bytes, server.port, '127.0.0.1');
  peer.send(
    Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 4, 116, 101, 115, 116, 0, 0, 1, 0, 1]),
    server.port,
    '127.0.0.1',
  );
  const [response] = (await once(peer, 'message')) as [Buffer];
  assert.equal(response.readUInt16BE(0), 7);
});

test('a name server answers queries that came while the event loop was blocked for a second', async (t) => {
  const queries = 5_000;
  const server = await startNameServer({ address: '127.0.0.1', port: 0 }, () => ({ addresses: ['127.1.2.3'] }));
  t.after(() => server.close());
  // Another thread asks, since this one is blocked. It spreads the queries over most of that second.
  const crawler = new Worker(
    `const { createSocket } = require('node:dgram');
    const { parentPort, workerData: { port, queries } } = require('node:worker_threads');
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
    const answered = new Set();
    socket.on('message', (bytes) => answered.add(bytes.readUInt16BE(0)));
    let asked = 0;
    const begin = () => {
      const timer = setInterval(() => {
        for (const last = Math.min(queries, asked + 30); asked < last; asked++) {
          const query = Buffer.from([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 4, 116, 101, 115, 116, 0, 0, 1, 0, 1]);
          query.writeUInt16BE(asked, 0);
          socket.send(query, port, '127.0.0.1');
        }
        if (asked === queries) clearInterval(timer);
      }, 5);
    };
    parentPort.on('message', (order) => (order === 'begin' ? begin() : parentPort.postMessage(answered.size)));
    socket.bind(0, '127.0.0.1', () => parentPort.postMessage('ready'));`,
    { eval: true, workerData: { port: server.port, queries } },
  );
  t.after(() => crawler.terminate());
  await once(crawler, 'message');
  crawler.postMessage('begin');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  let answered = 0;
  for (let looks = 100; looks > 0 && answered < queries; looks--) {
    await sleep(50);
    crawler.postMessage('count');
    [answered] = (await once(crawler, 'message')) as [number];
  }
  // A busy machine may stop the thread for longer than the system keeps queries.
  assert.ok(answered >= 0.98 * queries, `${answered} of ${queries}`);
});

test('a name server that cannot have its port says why', async (t) => {
  const server = await startNameServer({ address: '127.0.0.1', port: 0 }, () => ({}));
  t.after(() => server.close());
  await assert.rejects(
    startNameServer({ address: '127.0.0.1', port: server.port }, () => ({})),
    { code: 'EADDRINUSE' },
  );
});
