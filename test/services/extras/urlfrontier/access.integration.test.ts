import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectPeer } from '../../../../services/extras/urlfrontier/grpc-peer.ts';
import { urlfrontierService } from '../../../../services/extras/urlfrontier/server.ts';
import { openTlsPair, type TlsPair } from '../../../../services/runtime/http/tls-pair.ts';
import { noOpenssl, writeOwnCertificate } from '../../runtime/http/own-certificate.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { connect, found } from './client.ts';
import { startRig, until } from './rig.ts';

const options = ['--tls-cert', '--tls-key'] as const;
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

test('the server speaks TLS with a certificate and key', { skip: noOpenssl }, async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeOwnCertificate(cert, key);
  const rig = await startRig(1, { tls: openTlsPair({ cert, key, options }, () => {}) });
  assert.equal((await rig.client.unary('GetActive')).state, true);
  const plain = connect(rig.port);
  await assert.rejects(plain.unary('GetActive'), { code: 14 });
  plain.close();
  await rig.close();
});

test('a renewed certificate serves new clients without a restart, and open connections continue', {
  skip: noOpenssl,
}, async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const [nextKey, nextCert] = [join(folder, 'next-key.pem'), join(folder, 'next-cert.pem')];
  writeOwnCertificate(cert, key);
  writeOwnCertificate(nextCert, nextKey);
  const [oldCa, newCa] = [readFileSync(cert), readFileSync(nextCert)];
  const troubles: string[] = [];
  const tls = openTlsPair({ cert, key, options }, (message) => troubles.push(message), 20);
  const rig = await startRig(1, { tls });
  // Who knows the old one alone, and is connected before the files change.
  const { client } = rig;
  assert.equal((await client.unary('GetActive')).state, true);
  renameSync(nextCert, cert);
  const isReported = await until(
    async () => troubles.length,
    (count) => count > 0,
  );
  assert.equal(isReported, 1, 'a certificate without its key does not serve, and is told');
  const early = connect(rig.port, { ca: oldCa });
  assert.equal((await early.unary('GetActive')).state, true, 'the one from before serves meanwhile');
  renameSync(nextKey, key);
  const asks = async () => {
    const renewed = connect(rig.port, { ca: newCa });
    try {
      return (await renewed.unary('GetActive')).state as boolean;
    } catch {
      return false;
    } finally {
      renewed.close();
    }
  };
  assert.equal(await until(asks, (state) => state), true, 'a client that trusts only the new certificate gets through');
  const late = connect(rig.port, { ca: oldCa });
  await assert.rejects(late.unary('GetActive'), { code: 14 });
  for (const [n, standing] of [client, early].entries()) {
    assert.equal((await standing.unary('GetActive')).state, true);
    assert.equal((await standing.all('PutURLs', [found(`http://a.com/${n}`)]))[0].status, 'OK');
  }
  for (const one of [early, late]) one.close();
  await rig.close();
});

test('servers with one certificate trust each other before, during and after its renewal', {
  skip: noOpenssl,
}, async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const [otherKey, otherCert] = [join(folder, 'other-key.pem'), join(folder, 'other-cert.pem')];
  writeOwnCertificate(cert, key);
  copyFileSync(cert, otherCert);
  copyFileSync(key, otherKey);
  const open = (one: string, its: string) => openTlsPair({ cert: one, key: its, options }, () => {}, 20);
  const [tls, otherTls] = [open(cert, key), open(otherCert, otherKey)];
  const asks = async (of: { readonly port: number }, pair: TlsPair) => {
    const peer = connectPeer(`localhost:${of.port}`, { service: urlfrontierService, tls: pair });
    return {
      close: () => peer.close(),
      isHeard: () =>
        peer.unary('GetActive', Buffer.alloc(0)).then(
          () => true,
          () => false,
        ),
    };
  };
  let rig = await startRig(1, { tls });
  const peer = await asks(rig, otherTls);
  assert.equal(await peer.isHeard(), true);
  // The other one has the new files first: it believes the old certificate, too.
  writeOwnCertificate(otherCert, otherKey);
  await until(
    async () => otherTls.now.cert.equals(readFileSync(otherCert)),
    (isRead) => isRead,
  );
  const { port } = rig;
  await rig.close();
  rig = await startRig(1, { tls, port });
  assert.equal(await until(peer.isHeard, (isHeard) => isHeard), true, 'before both have it');
  copyFileSync(otherKey, key);
  copyFileSync(otherCert, cert);
  await until(
    async () => tls.now.cert.equals(readFileSync(otherCert)),
    (isRead) => isRead,
  );
  await rig.close();
  rig = await startRig(1, { tls, port });
  assert.equal(await until(peer.isHeard, (isHeard) => isHeard), true, 'once both have it');
  peer.close();
  await rig.close();
});

test('a client that sends much faster than it reads is slowed down, and gets every acknowledgement', async () => {
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
