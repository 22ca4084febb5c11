import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { type CertificateKind, certificateKinds } from '../../../../../lab/judge/suite/check/certificate-kinds.ts';
import { makeAuthority } from '../../../../../lab/judge/suite/secure/certificates.ts';
import { clientHelloOf } from '../../../../../lab/judge/suite/secure/client-hello.ts';

const authority = makeAuthority();

/** Returns the reason of a client that refuses the certificate; empty: it accepts it. */
async function refusalOf(kind: CertificateKind, servername: string): Promise<string> {
  const server = createServer({ key: authority.key, cert: authority.chainFor(kind, servername, 'x.test') });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, servername, ca: authority.root }, () => {
        socket.destroy();
        resolve('');
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  } finally {
    server.close();
  }
}

test('a TLS client accepts the right certificates of the suite, and refuses each wrong one for its fault', async () => {
  const refused: Record<string, string> = {};
  for (const kind of Object.keys(certificateKinds) as CertificateKind[])
    refused[kind] = await refusalOf(kind, 'www.x.test');
  const { issuedByHost, ...others } = refused;
  assert.deepEqual(others, {
    good: '',
    wildcard: '',
    chain: '',
    expired: 'CERT_HAS_EXPIRED',
    early: 'CERT_NOT_YET_VALID',
    otherName: 'ERR_TLS_CERT_ALTNAME_INVALID',
    selfSigned: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    unknown: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    clientOnly: 'INVALID_PURPOSE',
  });
  // Its name differs between releases of Node.
  assert.notEqual(issuedByHost, '');
  assert.equal(await refusalOf('wildcard', 'a.www.x.test'), 'ERR_TLS_CERT_ALTNAME_INVALID');
});

test('a ClientHello is read whole or in pieces, with the name of the host and the protocols', async () => {
  const server = createTcpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: '127.0.0.1', port, servername: 'Www.X.test', ALPNProtocols: ['h2', 'http/1.1'] });
  client.on('error', () => {});
  const [wire] = await once(server, 'connection');
  const [hello] = (await once(wire, 'data')) as [Buffer];
  client.destroy();
  server.close();
  assert.deepEqual(clientHelloOf(hello), { serverName: 'www.x.test', protocols: ['h2', 'http/1.1'] });
  for (const size of [0, 4, 5, 9, hello.length - 1]) assert.equal(clientHelloOf(hello.subarray(0, size)), 'more');
  // The same message in two records (RFC 8446 §5.1).
  const body = hello.subarray(5);
  const record = (part: Buffer) =>
    Buffer.concat([hello.subarray(0, 3), Buffer.of(part.length >> 8, part.length & 255), part]);
  const two = Buffer.concat([record(body.subarray(0, 50)), record(body.subarray(50))]);
  assert.deepEqual(clientHelloOf(two), clientHelloOf(hello));
  const lengthTooLarge = Buffer.from(hello);
  lengthTooLarge[5 + 4 + 34] = 255;
  assert.equal(clientHelloOf(lengthTooLarge), null);
  assert.equal(clientHelloOf(Buffer.from('GET / HTTP/1.1\r\n\r\n')), null);
});
