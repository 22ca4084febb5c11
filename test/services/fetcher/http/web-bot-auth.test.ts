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
function signed(signer: ReturnType<typeof createSigner>, url: string, atMs = nowMs, sent?: readonly string[]) {
  const headers = signer.headers('GET', url, atMs, sent);
  return Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]!]] : [])));
}

test('the signature base equals that of RFC 9421, line by line', () => {
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

test('the key id is the thumbprint that RFC 8037 gives for its example key', () => {
  const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
  const d = 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A';
  process.env['TEST_SIGNATURE_KEY'] = Buffer.from(
    `-----BEGIN PRIVATE KEY-----\n${Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(d, 'base64url')]).toString('base64')}\n-----END PRIVATE KEY-----\n`,
  ).toString();
  const key = readKey('env:TEST_SIGNATURE_KEY');
  assert.equal(publicJwk(key).x, x);
  assert.equal(thumbprint(key), 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

test('a replaced key file is read again, and an unreadable one leaves the old key in use', () => {
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
    ['requests are now signed with key', 'the signing key could not be'],
  );
});

test('a key directory is valid for a key that it holds, under its own name, until it expires', () => {
  const file = keyFile();
  const jwk = publicJwk(readKey(`file:${file}`));
  const problem = (keys: unknown, keyId: string | null = jwk.kid) =>
    directoryProblem(JSON.stringify({ keys }), keyId, nowMs);
  assert.equal(problem([jwk]), '');
  assert.equal(problem([{ ...jwk, nbf: nowMs / 1000, exp: nowMs / 1000 + 1 }]), '');
  assert.match(problem([{ ...jwk, exp: nowMs / 1000 }]), /its key has expired, 2026-11-24/);
  assert.match(problem([{ ...jwk, nbf: nowMs / 1000 + 1 }]), /is not valid yet/);
  assert.match(problem([{ ...jwk, kid: 'other' }]), /does not have its thumbprint/);
  assert.match(problem([], jwk.kid), /is not in it/);
  assert.match(problem([null, { kty: 'RSA' }], null), /no Ed25519 key/);
  assert.match(problem('none'), /it has no keys/);
  assert.match(directoryProblem('{', null, nowMs), /not JSON/);
  assert.match(directoryProblem('null', null, nowMs), /it has no keys/);
});

/** The name of the key that a request is signed by. */
const keyOf = (signer: ReturnType<typeof createSigner>, atMs = nowMs) =>
  /keyid="([^"]+)"/.exec(signed(signer, `${agent}/`, atMs)['signature-input']!)![1];
const nameOf = (file: string) => thumbprint(readKey(`file:${file}`));

/** Of some keys: their directory, in a file. */
function directoryOf(...files: string[]): string {
  const path = join(temporaryFolder(), 'directory.json');
  writeFileSync(path, JSON.stringify({ keys: files.map((file) => publicJwk(readKey(`file:${file}`))) }));
  return path;
}

test('payment headers are signed, too, in a fixed order, with several values as one', () => {
  const file = keyFile();
  const signer = createSigner({ key: `file:${file}`, agent }, nowMs);
  const sent = ['x-payment', ' b ', 'accept', '*/*', 'crawler-max-price', 'USD 1', 'x-payment', 'c'];
  const headers = signed(signer, `${agent}/`, nowMs, sent);
  const input = /^sig1=(.*)$/.exec(headers['signature-input']!)![1]!;
  assert.match(
    input,
    /^\("@method" "@authority" "@path" "@query" "signature-agent";key="sig1" "crawler-max-price" "x-payment"\);/,
  );
  assert.equal(headers['signature-agent'], `sig1="${agent}"`);
  const base = `"@method": GET\n"@authority": bot.example.org\n"@path": /\n"@query": ?\n"signature-agent";key="sig1": "${agent}"\n"crawler-max-price": USD 1\n"x-payment": b, c\n"@signature-params": ${input}`;
  const value = Buffer.from(/^sig1=:(.*):$/.exec(headers['signature']!)![1]!, 'base64');
  assert.ok(verify(null, Buffer.from(base), createPublicKey(readKey(`file:${file}`)), value));
  for (const name of ['crawler-exact-price', 'payment-signature'])
    assert.match(signed(signer, `${agent}/`, nowMs, [name, 'x'])['signature-input']!, new RegExp(`"${name}"\\)`));
});

test('another key is used once an event names it, if it is usable, and its file is watched from then on', () => {
  const [first, second, third] = [keyFile(), keyFile(), keyFile()] as const;
  const said: string[] = [];
  const directory = directoryOf(first, second);
  const signer = createSigner({ key: `file:${first}`, agent, directory }, nowMs, (text) => said.push(text));
  signer.use(`file:${first}`, nowMs);
  assert.deepEqual([keyOf(signer), said], [nameOf(first), []], 'the same');
  for (const reference of [`file:${third}`, 'file:/nowhere', 'key.pem']) signer.use(reference, nowMs);
  assert.equal(keyOf(signer), nameOf(first));
  assert.deepEqual(
    said.splice(0).map((text) => /signing key (\S+) could not be loaded/.exec(text)?.[1]),
    [`file:${third}`, 'file:/nowhere', 'key.pem'],
  );
  signer.use(`file:${second}`, nowMs);
  const id = nameOf(second);
  assert.equal(keyOf(signer), id);
  assert.deepEqual(said.splice(0), [`requests are now signed with key ${id}`]);
  utimesSync(first, 1, 1);
  assert.equal(keyOf(signer, nowMs + 30_000), id, 'the first key’s file is none of ours any more');
  assert.deepEqual(said, []);
  writeFileSync(second, pem());
  utimesSync(second, 3, 3);
  assert.equal(keyOf(signer, nowMs + 60_000), nameOf(second));
  assert.equal(said.length, 1);
});

test('a key from an environment variable watches no file', () => {
  process.env['TEST_SIGNATURE_KEY'] = pem();
  const file = keyFile();
  const said: string[] = [];
  const signer = createSigner({ key: `file:${file}`, agent }, nowMs, (text) => said.push(text));
  signer.use('env:TEST_SIGNATURE_KEY', nowMs);
  const id = thumbprint(readKey('env:TEST_SIGNATURE_KEY'));
  writeFileSync(file, 'half a k');
  assert.equal(keyOf(signer, nowMs + 60_000), id);
  assert.equal(said.length, 1);
  assert.equal(keyOf(createSigner({ key: 'env:TEST_SIGNATURE_KEY', agent }, nowMs), nowMs + 60_000), id);
});

test('a key file is checked every half minute, even if the wall clock is set back or forward', () => {
  const file = keyFile();
  utimesSync(file, 1, 1);
  const said: string[] = [];
  const signer = createSigner({ key: `file:${file}`, agent }, nowMs, (text) => said.push(text));
  const id = nameOf(file);
  const content = pem();
  writeFileSync(file, content);
  utimesSync(file, 1, 1);
  assert.equal(keyOf(signer, nowMs - 30_000), id, 'of the same time');
  utimesSync(file, 2, 2);
  assert.equal(keyOf(signer, nowMs - 59_999), id);
  assert.equal(keyOf(signer, nowMs - 60_000), nameOf(file));
  assert.equal(said.length, 1);
  utimesSync(file, 3, 3);
  keyOf(signer, nowMs);
  assert.equal(said.length, 1, 'the same key, as if it was touched');
});

test('a key or directory that no site could verify is refused, with the option’s name', () => {
  const [file, other] = [keyFile(), keyFile()] as const;
  const rsa = join(temporaryFolder(), 'rsa.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 512 });
  writeFileSync(rsa, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const broken = join(temporaryFolder(), 'broken.pem');
  writeFileSync(broken, 'half a k');
  for (const [reference, message] of [
    ['key.pem', /^--signature-key key\.pem: write the key as env:NAME or file:PATH/],
    ['env:', /^--signature-key env:: write the key/],
    [`file:${rsa}`, /^--signature-key .*a key of type rsa/],
    [`file:${broken}`, /^--signature-key .*; give a private Ed25519 key/],
  ] as const)
    assert.throws(() => readKey(reference), { code: 'INVALID_ARGUMENT', message });
  const signer = (directory: string) => createSigner({ key: `file:${file}`, agent, directory }, nowMs);
  assert.throws(() => signer('/nowhere'), { code: 'INVALID_ARGUMENT', message: /^--signature-directory \/nowhere: / });
  assert.throws(() => signer(directoryOf(other)), {
    code: 'INVALID_ARGUMENT',
    message: /is not in it; .*identity init/,
  });
  assert.equal(keyOf(signer(directoryOf(other, file))), nameOf(file));
});

test('a directory is valid if one of its keys is', () => {
  const jwk = publicJwk(readKey(`file:${keyFile()}`));
  const problem = (keys: unknown, keyId: string | null = null) =>
    directoryProblem(JSON.stringify({ keys }), keyId, nowMs);
  assert.equal(problem([jwk]), '');
  const { kid: _, ...unnamed } = jwk;
  assert.equal(problem([unnamed], jwk.kid), '', 'its name may be left out');
  for (const broken of [{ kty: 'EC' }, { crv: 'X25519' }, { x: 1 }])
    assert.match(problem([{ ...jwk, ...broken }]), /no Ed25519 key/);
  const over = { ...jwk, exp: nowMs / 1000 };
  assert.equal(problem([over, jwk]), '');
  assert.match(problem([{ ...over, nbf: nowMs / 1000 + 1 }]), /has expired/);
  assert.equal(problem([{ ...jwk, nbf: 'x', exp: 'x' }]), '', 'what is no time says nothing');
});
