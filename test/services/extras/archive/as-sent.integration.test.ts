/** What an archive says of requests and connections, held against the bytes that a host saw, by a reader that is not ours. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { certificate, privateKey } from '../../fetcher/http/tls-fixture.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { checkByWarcio, fieldsOf, readByWarcio, type WarcioRecord, warcioMissing } from './warcio.ts';

/** A host that keeps every request as it came, and answers by its target. */
async function startHost(answers: Readonly<Record<string, string>>) {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (;;) {
        const head = text.indexOf('\r\n\r\n') + 4;
        const length = Number(/content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
        if (head === 3 || text.length < head + length) return;
        const request = text.slice(0, head + length);
        text = text.slice(head + length);
        seen.push(request);
        socket.write(answers[request.split(' ')[1]!] ?? 'HTTP/1.1 404 Nope\r\nContent-Length: 0\r\n\r\n', 'latin1');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { seen, port: (server.address() as AddressInfo).port };
}

async function archiveOf(seed: string, port: number, ...more: string[]): Promise<WarcioRecord[]> {
  const data = join(temporaryFolder(), 'data');
  const way = ['--resolve', `*.test:${port}:127.0.0.1`, '--delay', '0', '--data', data, '--with', 'archive'];
  const { code, stderr } = await runCommand(['crawl', seed, ...way, '--contact', 'me@example.org', ...more]);
  assert.equal(code, 0, stderr);
  const folder = join(data, 'archive');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.warc.gz'))
    .map((name) => join(folder, name));
  await checkByWarcio(files);
  return readByWarcio(files);
}

test('a request record is what the host received, without secrets, and lists what was left out', {
  skip: warcioMissing,
}, async () => {
  const page = '<a href="/search">search</a>';
  const { seen, port } = await startHost({
    '/': `HTTP/1.1 200 Tout va bien\r\nContent-TYPE: text/html\r\ntransfer-encoding: chunked\r\n\r\n${page.length.toString(16)}\r\n${page}\r\n0\r\n\r\n`,
    '/search': 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5\r\n\r\nfound',
  });
  const folder = temporaryFolder();
  const rules = join(folder, 'rules.json');
  const key = join(folder, 'key.pem');
  writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const origin = `http://plain.test:${port}`;
  writeFileSync(
    rules,
    JSON.stringify([
      {
        hosts: ['plain.test'],
        headers: { 'x-plain': 'yes', 'x-inner': 'confidential' },
        cookies: { visit: 'v1s1t' },
        redact: ['X-Inner'],
      },
      { urls: [`${origin}/search`], method: 'POST', body: 'q=frogs&n=1', contentType: 'text/plain' },
    ]),
  );
  const signing = ['--signature-key', `file:${key}`, '--signature-agent', 'https://crawler.example'];
  const records = await archiveOf(`${origin}/`, port, '--requests', rules, ...signing);
  const reported = records.filter(({ type }) => type === 'request');
  assert.equal(reported.length, seen.length);
  assert.ok(seen.some((request) => request.startsWith('POST /search') && request.endsWith('q=frogs&n=1')));
  const withoutSecrets = (request: string) =>
    request.replaceAll(/^(cookie|x-inner|signature): .*$/gim, (_, name: string) => `${name}: [redacted]`);
  assert.deepEqual(
    reported.map(({ block }) => block.toString('latin1').toLowerCase()).sort(),
    seen.map((request) => withoutSecrets(request).toLowerCase()).sort(),
  );
  assert.ok(reported.every(({ block }) => /^signature-input: sig1=\(/m.test(block.toString())));
  for (const metadata of records.filter(({ type }) => type === 'metadata')) {
    assert.match(metadata.block.toString(), /^requestRedacted: x-inner, cookie, signature\r$/m);
  }
  const everything = records.map(({ block }) => block.toString('latin1')).join('');
  assert.doesNotMatch(everything, /confidential|v1s1t/);
  const answer = records.find(({ type, url }) => type === 'response' && url === `${origin}/`)!;
  assert.equal(
    answer.block.toString(),
    `HTTP/1.1 200 Tout va bien\r\nContent-TYPE: text/html\r\nx-crawler-transfer-encoding: chunked\r\n\r\n${page}`,
  );
  assert.deepEqual(fieldsOf(answer, 'WARC-Protocol'), ['http/1.1']);
  const [info] = records;
  assert.equal(info!.type, 'warcinfo');
  assert.match(info!.block.toString(), /^operator: me@example\.org\r$/m);
  assert.match(info!.block.toString(), /^http-header-user-agent: crawlstream\/.*\(\+me@example\.org\)\r$/m);
  assert.match(info!.block.toString(), /^policyVersion: \d+\r\npolicyHash: [0-9a-f]{32}\r$/m);
});

test('a record over TLS has HTTP/2 or HTTP/1.1, the TLS version and the cipher suite', {
  skip: warcioMissing,
}, async () => {
  const server = createSecureServer({ key: privateKey, cert: certificate, allowHTTP1: true }, (request, response) => {
    response.setHeader('content-type', 'text/html');
    response.writeHead(request.url === '/' ? 200 : 404).end('<p>here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const authority = join(temporaryFolder(), 'ca.pem');
  writeFileSync(authority, certificate);
  for (const [spoken, options] of [
    ['h2', []],
    ['http/1.1', ['--no-http2']],
  ] as const) {
    const records = await archiveOf(`https://secure.test:${port}/`, port, '--ca', authority, ...options);
    const exchanged = records.filter(({ type }) => type === 'request' || type === 'response');
    assert.equal(exchanged.length, 4, 'a page and robots.txt');
    for (const record of exchanged) {
      assert.deepEqual(fieldsOf(record, 'WARC-Protocol'), [spoken, 'tls/1.3']);
      assert.match(fieldsOf(record, 'WARC-Cipher-Suite')[0]!, /^TLS_(AES|CHACHA20)/);
      assert.deepEqual(fieldsOf(record, 'WARC-IP-Address'), ['127.0.0.1']);
    }
  }
});
