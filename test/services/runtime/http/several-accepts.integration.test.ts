/** A busy event loop has few turns: connections do not wait for one each. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startHttpServer } from '../../../../services/runtime/http/http-server.ts';
import { Probes } from '../../../../services/runtime/http/probes.ts';
import { openTlsPair, type TlsPair } from '../../../../services/runtime/http/tls-pair.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { noOpenssl, writeOwnCertificate } from './own-certificate.ts';

const callers = 200;

/** Another process opens a connection for each caller at once. Returns how many were answered. */
async function ask(port: number, isSecure: boolean): Promise<number> {
  const connect = isSecure ? "require('tls').connect({ rejectUnauthorized: false, " : "require('net').connect({ ";
  const script = `
    let answered = 0;
    for (let n = 0; n < ${callers}; n++) {
      const socket = ${connect} host: '127.0.0.1', port: ${port} });
      socket.write('GET /turn HTTP/1.1\\r\\nhost: 127.0.0.1\\r\\nconnection: close\\r\\n\\r\\n');
      let text = '';
      socket.on('data', (part) => { text += part; });
      socket.on('error', () => {});
      socket.on('close', () => { if (text.startsWith('HTTP/1.1 200')) answered += 1; });
    }
    process.on('exit', () => process.stdout.write(String(answered)));`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (part: Buffer) => {
    text += part;
  });
  await once(child, 'close');
  return Number(text);
}

/** A loop that has something to do in each turn, and a server that notes in which turns it answers. */
async function startBusy(tls?: TlsPair) {
  let turn = 0;
  const answeredIn: number[] = [];
  const server = await startHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    tls,
    probes: new Probes(),
    metrics: async () => ({ type: 'text/plain', text: '' }),
    onBug: () => {},
    routes: [(app) => app.get('/turn', () => answeredIn.push(turn))],
  });
  const busy = setInterval(() => {
    const endMs = performance.now() + 20;
    while (performance.now() < endMs);
    turn += 1;
  }, 1);
  after(async () => {
    clearInterval(busy);
    await server.close();
  });
  return { server, answeredIn, port: Number(server.address.split(':')[1]), rest: () => clearInterval(busy) };
}

for (const isSecure of [false, true])
  test(`${callers} callers ${isSecure ? 'with TLS ' : ''}are answered in less than half as many turns of a busy loop`, {
    timeout: 60_000,
    skip: isSecure && noOpenssl,
  }, async () => {
    const folder = temporaryFolder();
    const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    if (isSecure) writeOwnCertificate(cert, key);
    const tls = isSecure ? openTlsPair({ cert, key, options: ['--http-cert', '--http-key'] }, () => {}) : undefined;
    const { answeredIn, port } = await startBusy(tls);
    // The copies of the socket come a moment after the server.
    let fewest = Number.POSITIVE_INFINITY;
    for (let n = 0; n < 5 && fewest >= callers / 2; n++) {
      answeredIn.length = 0;
      assert.equal(await ask(port, isSecure), callers);
      fewest = Math.min(fewest, answeredIn.at(-1)! - answeredIn[0]!);
    }
    assert.ok(fewest < callers / 2, `${fewest} turns`);
  });

test('a server ends with connections that its copies accepted', { timeout: 30_000 }, async () => {
  const { server, port, rest } = await startBusy();
  assert.equal(await ask(port, false), callers);
  rest();
  const kept = await Promise.all(Array.from({ length: 64 }, () => fetch(`http://127.0.0.1:${port}/livez`)));
  assert.ok(kept.every(({ status }) => status === 200));
  await server.close();
  await assert.rejects(fetch(`http://127.0.0.1:${port}/livez`));
});

test('a client that says nothing over TLS, or leaves before the handshake, is cut off, and the server can end', {
  timeout: 60_000,
  skip: noOpenssl,
}, async () => {
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  writeOwnCertificate(cert, key);
  const { server, port, rest } = await startBusy(
    openTlsPair({ cert, key, options: ['--http-cert', '--http-key'] }, () => {}),
  );
  assert.equal(await ask(port, true), callers);
  rest();
  const sockets = Array.from({ length: 64 }, (_, n) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      .on('error', () => {})
      .resume();
    if (n % 2 === 0) socket.end();
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'end')));
  for (const socket of sockets) socket.destroy();
  await server.close();
});
