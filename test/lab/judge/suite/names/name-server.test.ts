import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { test } from 'node:test';
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
