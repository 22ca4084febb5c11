import assert from 'node:assert/strict';
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, it } from 'node:test';
import { createReadChain } from '../../../../services/extras/audit/read-chain.ts';
import {
  isIntact,
  readSigningKey,
  type Statement,
  signStatement,
} from '../../../../services/extras/audit/statement.ts';
import type { LogRecord } from '../../../../services/runtime/log/log.ts';

/** The secret key of RFC 8032 §7.1, test 1, behind the head that PKCS #8 gives an Ed25519 key (RFC 8410 §7). */
const der = Buffer.from(
  '302e020100300506032b6570042204209d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  'hex',
);
const pem = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  .export({ type: 'pkcs8', format: 'pem' })
  .toString();
const statement: Statement = {
  ...{ says: 'kept', crawl: 'news', version: '1.0.0', madeAt: '2026-01-31T00:00:00.000Z' },
  ...{ firstRequestAt: null, lastRequestAt: null, fetches: 3, hosts: 2, addresses: 1, violations: 0 },
  ...{ unproven: 0, cutOff: 0, unreadable: 0, skewMs: 100, noticeMs: 10_000, read: [] },
};

describe('a statement', () => {
  it('a statement is signed over its JSON, and another implementation of Ed25519 verifies it', () => {
    const { signature } = signStatement(statement, readSigningKey(pem, '--sign-with'));
    assert.equal(signature?.algorithm, 'Ed25519');
    const key = createPublicKey(signature.publicKey);
    const raw = key.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex');
    assert.equal(raw, 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
    assert.ok(verify(null, Buffer.from(JSON.stringify(statement)), key, Buffer.from(signature.value, 'base64')));
    assert.match(signature.publicKey, /^-----BEGIN PUBLIC KEY-----\n/);
  });

  it('a statement is intact as signed, and not once a word, the key or the signature differs', () => {
    const signed = signStatement(statement, readSigningKey(pem, '--sign-with'));
    const signature = signed.signature!;
    assert.equal(isIntact(signed), true);
    assert.equal(isIntact(JSON.parse(JSON.stringify(signed))), true);
    const others = [
      { statement: { ...statement, violations: 1 }, signature },
      { statement, signature: { ...signature, value: signature.value.replace(/^./, (a) => (a === 'A' ? 'B' : 'A')) } },
      { statement, signature: { ...signature, publicKey: 'no key' } },
      { statement, signature: { ...signature, publicKey: publicKeyOfAnother() } },
      signStatement(statement, null),
    ];
    assert.deepEqual(others.map(isIntact), [false, false, false, false, false]);
    assert.equal(signStatement(statement, null).signature, null);
  });

  it('a statement accepts Ed25519 keys only, and names the field of another', () => {
    const remedy = 'give a private Ed25519 key, as created by openssl genpkey -algorithm ed25519';
    assert.throws(() => readSigningKey('no key', '--sign-with'), {
      code: 'INVALID_ARGUMENT',
      message: new RegExp(`^--sign-with: .+; ${remedy}$`),
    });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const ec = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    assert.throws(() => readSigningKey(ec, '--sign-with'), {
      code: 'INVALID_ARGUMENT',
      message: `--sign-with: a key of type ec; ${remedy}`,
    });
  });
});

function publicKeyOfAnother(): string {
  return generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

describe('the inputs of an audit', () => {
  const record = (topic: string, partition: number, offset: number, text: string): LogRecord =>
    ({ topic, partition, offset, value: Buffer.from(text) }) as LogRecord;

  it('the inputs of an audit are listed by topic and partition: offsets, and a hash of offset, length and value of each record', () => {
    const chain = createReadChain();
    const records = [
      record('crawl.results', 1, 2 ** 33 + 5, 'first'),
      record('crawl.results', 0, 7, ''),
      record('crawl.control', 1, 0, 'one'),
      record('crawl.results', 1, 2 ** 33 + 6, 'a second'),
      record('crawl.results', 1, 2 ** 33 + 9, 'x'.repeat(300)),
    ];
    for (const one of records) chain.take(one);
    // As the module's own words have it, put together as one text of hexadecimal digits.
    const sha256 = (...those: readonly LogRecord[]) => {
      const hex = those.map(
        ({ offset, value }) =>
          offset.toString(16).padStart(16, '0') + value.length.toString(16).padStart(8, '0') + value.toString('hex'),
      );
      return createHash('sha256')
        .update(Buffer.from(hex.join(''), 'hex'))
        .digest('hex');
    };
    assert.deepEqual(chain.end(), [
      { topic: 'crawl.control', partition: 1, first: 0, last: 0, records: 1, sha256: sha256(records[2]!) },
      { topic: 'crawl.results', partition: 0, first: 7, last: 7, records: 1, sha256: sha256(records[1]!) },
      {
        ...{ topic: 'crawl.results', partition: 1, first: 2 ** 33 + 5, last: 2 ** 33 + 9, records: 3 },
        sha256: sha256(records[0]!, records[3]!, records[4]!),
      },
    ]);
  });
});
