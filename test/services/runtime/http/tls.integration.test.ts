/** `--http` over TLS, as clients meet it, and members of a crawl that ask each other. */
import assert from 'node:assert/strict';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { memberAsker } from '../../../../services/runtime/http/ask-member.ts';
import { startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';
import { openTlsPair } from '../../../../services/runtime/http/tls-pair.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { noOpenssl, writeOwnCertificate } from './own-certificate.ts';

const token = 'a-token-of-some-length';
const options = ['--http-cert', '--http-key'] as const;

async function shownBy(port: number): Promise<string> {
  const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', resolve);
    socket.once('error', reject);
  });
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

test('a renewed certificate is used without a restart, and an unusable one is not', {
  skip: noOpenssl,
}, async () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  const next = [join(folder, 'next.crt'), join(folder, 'next.key')] as const;
  writeOwnCertificate(cert, key);
  writeOwnCertificate(...next);
  const troubles: string[] = [];
  const tls = openTlsPair({ cert, key, options }, (message) => troubles.push(message), 20);
  let reported = 0;
  const unwatch = tls.watch(() => reported++);
  const server = await startHttpServer({
    listen: { host: '0.0.0.0', port: 0 },
    token,
    tls,
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: 'up 1\n' }),
    routes: [(app) => void app.get('/told', () => ({ reported: true }))],
    onBug: (error) => assert.fail(error as Error),
  });
  const port = Number(server.address.split(':').pop());
  const until = async (what: string, holds: () => Promise<boolean> | boolean) => {
    for (let n = 0; n < 500; n++) {
      if (await holds()) return;
      await sleep(20);
    }
    assert.fail(`waited 10 s for ${what}`);
  };
  try {
    const first = await shownBy(port);
    // The certificate comes before its key: between the two, what served before serves.
    renameSync(next[0], cert);
    await until('the half renewal to be told', () => troubles.length > 0);
    assert.match(troubles[0]!, /--http-cert .* and --http-key .* do not match .* old certificate stays in use$/);
    assert.equal(await shownBy(port), first);
    renameSync(next[1], key);
    await until('the new certificate', async () => (await shownBy(port)) !== first);
    writeFileSync(cert, 'no certificate');
    await until('the damage to be told', () => troubles.length > 1);
    assert.equal(troubles.length, 2, 'once for each change');
    assert.equal(reported, 1, 'whoever watches beside the server is told, too');
    unwatch();
    assert.notEqual(await shownBy(port), first);

    const plain = connect(port, '127.0.0.1');
    plain.end('GET /told HTTP/1.1\r\nHost: localhost\r\n\r\n');
    let answer = '';
    for await (const chunk of plain) answer += chunk;
    assert.doesNotMatch(answer, /reported/, 'nothing is told in plain text');
  } finally {
    await server.close();
  }
});

test('members with one certificate trust each other, whatever it names; other members must be named', {
  skip: noOpenssl,
}, async () => {
  const folder = temporaryFolder();
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key'), options } as const;
  writeOwnCertificate(files.cert, files.key);
  const asked: (string | undefined)[] = [];
  const server = await startHttpServer({
    listen: { host: '0.0.0.0', port: 0 },
    token,
    tls: openTlsPair(files, () => {}),
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    routes: [
      (app) =>
        void app.get('/told', ({ headers }) => {
          asked.push(headers.authorization);
          return { reported: true };
        }),
    ],
    onBug: (error) => assert.fail(error as Error),
  });
  const address = `https://127.0.0.1:${server.address.split(':').pop()}`;
  const certificate = () => readFileSync(files.cert);
  try {
    // The certificate names localhost, not 127.0.0.1.
    assert.deepEqual(await memberAsker({ token, certificate })(address, '/told', 5_000), {
      status: 200,
      body: { reported: true },
    });
    assert.equal(await memberAsker({ certificate })(address, '/told', 5_000), undefined, 'without the token');
    const other = { cert: join(folder, 'other.crt'), key: join(folder, 'other.key') };
    writeOwnCertificate(other.cert, other.key);
    const stranger = memberAsker({ token, certificate: () => readFileSync(other.cert) });
    assert.equal(await stranger(address, '/told', 5_000), undefined, 'who shows another certificate gets no token');
    assert.equal(await memberAsker({ token })(address, '/told', 5_000), undefined, 'nor who shows one nobody signed');
    assert.equal(asked.length, 1);
  } finally {
    await server.close();
  }
});

test('a missing or invalid certificate is refused by its option', () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  assert.throws(() => openTlsPair({ cert, key, options }, () => {}), {
    code: 'INVALID_ARGUMENT',
    message: /^--http-cert .*ENOENT/,
  });
  writeFileSync(cert, 'x');
  writeFileSync(key, 'y');
  assert.throws(() => openTlsPair({ cert, key, options }, () => {}), {
    code: 'INVALID_ARGUMENT',
    message: /do not match .*give a certificate and its own key, both in PEM$/,
  });
});
