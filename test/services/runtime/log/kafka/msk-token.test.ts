/** The token for IAM of Amazon MSK, beside the one that AWS's own signer makes. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { test } from 'node:test';
import { SignatureV4 } from '@smithy/signature-v4';
import { kafkaCredentials } from '../../../../../services/runtime/crawl/kafka-credentials.ts';
import { mskToken } from '../../../../../services/runtime/log/kafka/msk-token.ts';

/** As the signer takes them. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | Uint8Array) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  }
  update(chunk: string | Uint8Array): void {
    this.#hash.update(chunk);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

async function signedByAws(region: string, session: string | undefined, nowMs: number): Promise<URLSearchParams> {
  const signer = new SignatureV4({
    ...{ service: 'kafka-cluster', region, sha256: Sha256 as never, applyChecksum: false },
    credentials: { ...credentials, ...(session !== undefined && { sessionToken: session }) },
  });
  const hostname = `kafka.${region}.amazonaws.com`;
  const request = {
    ...{ method: 'GET', protocol: 'https:', hostname, path: '/', headers: { host: hostname } },
    query: { Action: 'kafka-cluster:Connect' },
  };
  const signed = await signer.presign(request as never, { expiresIn: 900, signingDate: new Date(nowMs) });
  return new URLSearchParams(signed.query as Record<string, string>);
}

test('the token has the signature of AWS’s own signer, for a user and for a role', async () => {
  const nowMs = Date.UTC(2026, 10, 25, 20, 0, 7, 123);
  for (const [region, session] of [
    ['eu-central-1', undefined],
    ['us-gov-west-1', 'a/session+token=='],
  ] as const) {
    const token = mskToken(region, { ...credentials, sessionToken: session }, nowMs, 'crawlstream/1');
    assert.match(token, /^[\w-]+$/, 'base64url without padding');
    const url = new URL(Buffer.from(token, 'base64url').toString());
    assert.equal(url.origin, `https://kafka.${region}.amazonaws.com`);
    const ours = Object.fromEntries(url.searchParams);
    assert.equal(ours['User-Agent'], 'crawlstream/1');
    delete ours['User-Agent'];
    assert.deepEqual(ours, Object.fromEntries(await signedByAws(region, session, nowMs)));
  }
});

test('a login by IAM sends a signed token, and missing settings are named', async () => {
  const env = {
    CRAWLSTREAM_KAFKA_MECHANISM: 'AWS-MSK-IAM',
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const { sasl } = kafkaCredentials(env) as { sasl: { mechanism: string; authenticationProvider: Provider } };
  assert.equal(sasl.mechanism, 'oauthbearer');
  let message = '';
  const saslAuthenticate = async ({ request }: { request: { encode(): Promise<Buffer> } }) => {
    message = (await request.encode()).subarray(4).toString();
  };
  await sasl.authenticationProvider({ saslAuthenticate }).authenticate();
  const [, token = '', end] = /^n,,.auth=Bearer ([\w-]+)(..)$/s.exec(message) ?? [];
  assert.equal(end, '\u0001\u0001');
  const url = new URL(Buffer.from(token, 'base64url').toString());
  assert.equal(url.host, 'kafka.eu-west-1.amazonaws.com');
  const signedMs = Date.parse(
    url.searchParams.get('X-Amz-Date')!.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  assert.ok(Math.abs(signedMs - Date.now()) < 60_000);
  assert.throws(() => kafkaCredentials({ CRAWLSTREAM_KAFKA_MECHANISM: 'aws-msk-iam' }), {
    code: 'INVALID_ARGUMENT',
    message: /CRAWLSTREAM_KAFKA_AWS_REGION and AWS_REGION are missing/,
  });
});

type Provider = (host: object) => { authenticate(): Promise<void> };
