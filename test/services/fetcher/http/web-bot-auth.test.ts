import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  createSigner,
  directoryProblem,
  publicJwk,
  readKey,
  thumbprint,
} from '../../../../services/fetcher/http/web-bot-auth.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const nowMs = Date.UTC(2026, 10, 24);
const agent = 'https://bot.example.org';

function pem(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function keyFile(): string {
  const file = join(temporaryFolder(), 'key.pem');
  writeFileSync(file, pem());
  return file;
}

/** The three headers by name. */
function signed(signer: ReturnType<typeof createSigner>, url: string, atMs = nowMs) {
  const headers = signer.headers('GET', url, atMs);
  return Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]!]] : [])));
}

test('what is signed is what RFC 9421 says, line by line', () => {
  const file = keyFile();
  const signer = createSigner({ key: `file:${file}`, agent }, nowMs);
  for (const [url, path, query] of [
    ['https://Example.org:443/a%20b?c=d&e', '/a%20b', '?c=d&e'],
    ['https://example.org/', '/', '?'],
  ] as const) {
    const headers = signed(signer, url);
    const input = /^sig1=(.*)$/.exec(headers['signature-input']!)![1]!;
    assert.match(
      input,
      /;created=1795478400;expires=1795478700;keyid="[\w-]{43}";alg="ed25519";nonce="[0-9a-f-]{36}";tag="web-bot-auth"$/,
    );
    const base = `"@method": GET\n"@authority": example.org\n"@path": ${path}\n"@query": ${query}\n"signature-agent";key="sig1": "${agent}"\n"@signature-params": ${input}`;
    const value = Buffer.from(/^sig1=:(.*):$/.exec(headers['signature']!)![1]!, 'base64');
    assert.ok(verify(null, Buffer.from(base), createPublicKey(readKey(`file:${file}`)), value));
  }
  const nonceOf = () => /nonce="([^"]+)"/.exec(signed(signer, `${agent}/`)['signature-input']!)![1];
  assert.notEqual(nonceOf(), nonceOf());
});

test('the key has the name that RFC 8037 gives its example', () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
  const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
  process.env['TEST_SIGNATURE_KEY'] = Buffer.from(
    `-----BEGIN PRIVATE KEY-----\n${Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(d, 'base64url')]).toString('base64')}\n-----END PRIVATE KEY-----\n`,
  ).toString();
  const key = readKey('env:TEST_SIGNATURE_KEY');
  assert.equal(publicJwk(key).x, x);
  assert.equal(thumbprint(key), 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

test('a key file that is replaced is read anew, and one that cannot be read leaves the key as it was', () => {
  const file = keyFile();
  const said: string[] = [];
  const signer = createSigner({ key: `file:${file}`, agent }, nowMs, (text) => said.push(text));
  const keyAt = (atMs: number) => /keyid="([^"]+)"/.exec(signed(signer, `${agent}/`, atMs)['signature-input']!)![1];
  const first = keyAt(nowMs);
  writeFileSync(file, pem());
  utimesSync(file, 1, 1);
  assert.equal(keyAt(nowMs + 29_999), first, 'a file is looked at twice a minute');
  const second = keyAt(nowMs + 30_000);
  assert.equal(second, thumbprint(readKey(`file:${file}`)));
  assert.notEqual(second, first);
  writeFileSync(file, 'half a k');
  utimesSync(file, 2, 2);
  assert.equal(keyAt(nowMs + 60_000), second);
  assert.deepEqual(
    said.map((text) => text.split(' ').slice(0, 6).join(' ')),
    ['requests are signed with another key', 'requests are signed with the key'],
  );
});

test('a directory is good for a key that is in it, under its own name, in its time', () => {
  const file = keyFile();
  const jwk = publicJwk(readKey(`file:${file}`));
  const problem = (keys: unknown, keyId: string | null = jwk.kid) =>
    directoryProblem(JSON.stringify({ keys }), keyId, nowMs);
  assert.equal(problem([jwk]), '');
  assert.equal(problem([{ ...jwk, nbf: nowMs / 1000, exp: nowMs / 1000 + 1 }]), '');
  assert.match(problem([{ ...jwk, exp: nowMs / 1000 }]), /its key has expired, 2026-11-24/);
  assert.match(problem([{ ...jwk, nbf: nowMs / 1000 + 1 }]), /does not hold yet/);
  assert.match(problem([{ ...jwk, kid: 'other' }]), /not named by its thumbprint/);
  assert.match(problem([], jwk.kid), /is not in it/);
  assert.match(problem([null, { kty: 'RSA' }], null), /no Ed25519 key/);
  assert.match(problem('none'), /it has no keys/);
  assert.match(directoryProblem('{', null, nowMs), /not JSON/);
  assert.match(directoryProblem('null', null, nowMs), /it has no keys/);
});
