/** A certificate and its key in two files, which are renewed one after the other. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTlsPair } from '../../../../services/runtime/http/tls-pair.ts';
import { certificate, privateKey } from '../../fetcher/http/tls-fixture.ts';
import { until } from '../../until.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const options = ['--tls-cert', '--tls-key'] as const;

function written() {
  const folder = temporaryFolder();
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem'), options };
  writeFileSync(files.cert, certificate);
  writeFileSync(files.key, privateKey);
  return files;
}

test('a pair is read when it is opened, and one that cannot be used is refused by its options', () => {
  const { now } = openTlsPair(written(), assert.fail);
  assert.deepEqual([now.cert.toString(), now.key.toString()], [certificate, privateKey]);
  const broken = written();
  writeFileSync(broken.key, 'no key');
  assert.throws(() => openTlsPair(broken, assert.fail), {
    code: 'INVALID_ARGUMENT',
    message: /^--tls-cert .*cert\.pem and --tls-key .*key\.pem do not match \(.*\): give a certificate and its own key/,
  });
  for (const [name, message] of [
    ['cert', /^--tls-cert .*cert\.pem: ENOENT/],
    ['key', /^--tls-key .*key\.pem: ENOENT/],
  ] as const) {
    const files = written();
    rmSync(files[name]);
    assert.throws(() => openTlsPair(files, assert.fail), { code: 'INVALID_ARGUMENT', message });
  }
});

test('a renewed pair reaches each listener once, and half of one is reported once and reaches none', async () => {
  const files = written();
  const trouble: string[] = [];
  const pair = openTlsPair(files, (message) => trouble.push(message), 1);
  const [one, two]: string[][] = [[], []];
  const stop = pair.watch(({ cert }) => one!.push(cert.toString()));
  pair.watch(({ cert }) => two!.push(cert.toString()));
  const someLooks = async () => {
    let polls = 0;
    await until(() => polls++ > 10);
  };
  writeFileSync(files.key, 'no key');
  await until(() => trouble.length > 0);
  await someLooks();
  assert.equal(trouble.length, 1);
  assert.match(trouble[0]!, /do not match .*; the old certificate stays in use$/);
  assert.equal(pair.now.key.toString(), privateKey);
  writeFileSync(files.key, privateKey);
  await someLooks();
  writeFileSync(files.key, 'no key');
  await until(() => trouble.length > 1);
  assert.deepEqual([one, two], [[], []], 'the pair in use came back');
  const renewed = `${certificate}\n`;
  writeFileSync(files.cert, renewed);
  writeFileSync(files.key, privateKey);
  await until(() => one!.length > 0 && two!.length > 0);
  await someLooks();
  assert.deepEqual([one, two, pair.now.cert.toString()], [[renewed], [renewed], renewed]);
  stop();
  writeFileSync(files.key, `${privateKey}\n`);
  await until(() => two!.length > 1);
  assert.equal(one!.length, 1);
});

test('files are read again once somebody listens again', async () => {
  const files = written();
  const pair = openTlsPair(files, assert.fail, 1);
  pair.watch(() => assert.fail())();
  writeFileSync(files.cert, `${certificate}\n`);
  let got = 0;
  const stop = pair.watch(() => (got += 1));
  await until(() => got === 1);
  stop();
});
