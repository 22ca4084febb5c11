import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { noOpenssl, writeOwnCertificate } from '../runtime/http/own-certificate.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { connect, found } from './client.ts';
import { startRig } from './rig.ts';

const token = 'a-token-of-some-length';

test('with a token, calls of any kind without it are refused', async () => {
  const rig = await startRig(1, { token }, token);
  assert.equal((await rig.client.all('PutURLs', [found('http://a.com/')]))[0].status, 'OK');
  for (const given of [undefined, 'another-token-of-length']) {
    const stranger = connect(rig.port, given === undefined ? {} : { token: given });
    await assert.rejects(stranger.unary('GetStats'), { code: 16 });
    await assert.rejects(stranger.all('GetURLs', {}), { code: 16 });
    await assert.rejects(stranger.all('PutURLs', [found('http://b.com/')]), { code: 16 });
    stranger.close();
  }
  assert.equal((await rig.client.unary('GetStats')).size, 1);
  await rig.close();
});

test('TLS by certificate and key', { skip: noOpenssl }, async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeOwnCertificate(cert, key);
  const rig = await startRig(1, { tls: { cert: readFileSync(cert), key: readFileSync(key) } });
  assert.equal((await rig.client.unary('GetActive')).state, true);
  const plain = connect(rig.port);
  await assert.rejects(plain.unary('GetActive'), { code: 14 });
  plain.close();
  await rig.close();
});

test('a client that sends much faster than it reads is slowed down, and gets every ack', async () => {
  const rig = await startRig();
  const items = Array.from({ length: 9_000 }, (_, n) => found(`http://host-${n % 100}.com/${n}`));
  const acks = await rig.client.all('PutURLs', items);
  assert.equal(acks.length, items.length);
  assert.deepEqual([...new Set(acks.map(({ status }) => status))], ['OK']);
  assert.deepEqual(acks.map(({ ID }) => ID).slice(0, 3), [
    'http://host-0.com/0',
    'http://host-1.com/1',
    'http://host-2.com/2',
  ]);
  await rig.close();
});
