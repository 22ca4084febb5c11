/** Logins of brokers and of the registry, from environment variables: which precede which, and what is refused. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  credentialVariables,
  kafkaCredentials,
  rackOf,
  registryLogin,
} from '../../../../services/runtime/crawl/kafka-credentials.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const folder = temporaryFolder();
const fileOf = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const [ca, cert, key, secret, token] = [
  fileOf('ca.pem', 'the authority'),
  fileOf('cert.pem', 'the certificate'),
  fileOf('key.pem', 'the key'),
  fileOf('secret', 'of a file\n'),
  fileOf('token', ' token \n'),
];

type Variables = Readonly<Record<string, string>>;
const envOf = (variables: Variables) =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [`CRAWLSTREAM_${name}`, value]));
const kafka = (variables: Variables) => kafkaCredentials(envOf(variables));

test('brokers are asked with what the variables give, and nothing without them', () => {
  const user = { KAFKA_USERNAME: 'me', KAFKA_PASSWORD: 'hush' };
  const login = (mechanism: string, password = 'hush') => ({ sasl: { mechanism, username: 'me', password } });
  for (const [variables, credentials] of [
    [{}, {}],
    [{ KAFKA_TLS: '' }, {}],
    [{ KAFKA_TLS: '0' }, {}],
    [{ KAFKA_TLS: '1' }, { ssl: true }],
    [{ KAFKA_CA: ca }, { ssl: { ca: 'the authority' } }],
    [{ KAFKA_CERT: cert, KAFKA_KEY: key }, { ssl: { cert: 'the certificate', key: 'the key' } }],
    [
      { KAFKA_TLS: '1', KAFKA_CA: ca, KAFKA_CERT: cert, KAFKA_KEY: key },
      { ssl: { ca: 'the authority', cert: 'the certificate', key: 'the key' } },
    ],
    [user, login('scram-sha-512')],
    [{ KAFKA_USERNAME: 'me' }, login('scram-sha-512', '')],
    [{ ...user, KAFKA_PASSWORD_FILE: secret }, login('scram-sha-512', 'of a file')],
    [{ ...user, KAFKA_MECHANISM: 'plain' }, login('plain')],
    [{ ...user, KAFKA_MECHANISM: 'SCRAM-SHA-256' }, login('scram-sha-256')],
    [
      { ...user, KAFKA_TLS: '1' },
      { ssl: true, ...login('scram-sha-512') },
    ],
  ] as const)
    assert.deepEqual(kafka(variables), credentials, JSON.stringify(variables));
});

test('variables that contradict each other, or lack one, are refused by name', () => {
  for (const [variables, message] of [
    [{ KAFKA_CERT: cert }, /CRAWLSTREAM_KAFKA_KEY is missing: set both a certificate and its key$/],
    [{ KAFKA_KEY: key }, /CRAWLSTREAM_KAFKA_CERT is missing: set both/],
    [{ KAFKA_TLS: '0', KAFKA_CA: ca }, /CRAWLSTREAM_KAFKA_TLS is 0, but certificates are set: remove one of them/],
    [{ KAFKA_CA: join(folder, 'none') }, /CRAWLSTREAM_KAFKA_CA can't be read: ENOENT/],
    [
      { KAFKA_MECHANISM: 'gssapi' },
      /CRAWLSTREAM_KAFKA_MECHANISM is gssapi: give one of plain, scram-sha-256, scram-sha-512, oauthbearer, aws-msk-iam$/,
    ],
    [{ KAFKA_MECHANISM: 'plain' }, /CRAWLSTREAM_KAFKA_USERNAME is missing: plain needs this variable/],
    [
      { KAFKA_MECHANISM: 'oauthbearer' },
      /CRAWLSTREAM_KAFKA_TOKEN_FILE is missing: oauthbearer needs this variable, or KAFKA_TOKEN_URL/,
    ],
    [
      { KAFKA_TOKEN_URL: 'http://127.0.0.1:9/' },
      /CRAWLSTREAM_KAFKA_USERNAME is missing: set the client id for the token URL/,
    ],
    [
      { KAFKA_MECHANISM: 'aws-msk-iam' },
      /CRAWLSTREAM_KAFKA_AWS_REGION and AWS_REGION are missing: set the region of the brokers/,
    ],
    [{ KAFKA_USERNAME: 'me', KAFKA_PASSWORD_FILE: join(folder, 'none') }, /CRAWLSTREAM_KAFKA_PASSWORD_FILE: ENOENT/],
    [{ KAFKA_USERNAME: 'me', KAFKA_PASSWORD_FILE: folder }, /CRAWLSTREAM_KAFKA_PASSWORD_FILE: .* is a folder/],
    [{ KAFKA_TOKEN_URL: 'http://127.0.0.1:9/', KAFKA_USERNAME: 'me', KAFKA_PASSWORD_FILE: folder }, /PASSWORD_FILE: /],
  ] as const)
    assert.throws(() => kafka(variables), { code: 'INVALID_ARGUMENT', message }, JSON.stringify(variables));
});

interface TokenLogin {
  readonly mechanism: string;
  authenticationProvider(exchange: { saslAuthenticate: (one: Exchange) => Promise<void> }): {
    authenticate(): Promise<void>;
  };
}
interface Exchange {
  readonly request: { encode(): Promise<Buffer> };
  readonly response: { decode(raw: Buffer | null): Promise<string>; parse(answer: string): Promise<void> };
}

/** The first message of a login (RFC 7628 §3.1), without its length of 32 bits. */
async function messageOf(login: TokenLogin): Promise<string> {
  let message: Buffer = Buffer.alloc(0);
  const saslAuthenticate = async ({ request }: Exchange) => void (message = await request.encode());
  await login.authenticationProvider({ saslAuthenticate }).authenticate();
  assert.equal(message.readInt32BE(0), message.length - 4);
  return message.toString('utf8', 4);
}

test('a token file precedes a user, and is read again at each login', async () => {
  const login = kafka({ KAFKA_TOKEN_FILE: token, KAFKA_USERNAME: 'me', KAFKA_PASSWORD: 'hush' }).sasl as TokenLogin;
  assert.equal(login.mechanism, 'oauthbearer');
  assert.equal(await messageOf(login), 'n,,\u0001auth=Bearer token\u0001\u0001');
  writeFileSync(token, 'another');
  assert.equal(await messageOf(login), 'n,,\u0001auth=Bearer another\u0001\u0001');
  const stated = kafka({ KAFKA_TOKEN_FILE: token, KAFKA_MECHANISM: 'OAuthBearer' }).sasl as TokenLogin;
  assert.equal(stated.mechanism, 'oauthbearer');
  const user = kafka({ KAFKA_TOKEN_FILE: token, KAFKA_MECHANISM: 'plain', KAFKA_USERNAME: 'me' }).sasl;
  assert.deepEqual(user, { mechanism: 'plain', username: 'me', password: '' });
});

test('a token that a broker refuses is a refused login, and an empty answer is a success', async () => {
  const login = kafka({ KAFKA_TOKEN_FILE: token }).sasl as TokenLogin;
  const answers: Exchange['response'][] = [];
  const saslAuthenticate = async ({ response }: Exchange) => void answers.push(response);
  await login.authenticationProvider({ saslAuthenticate }).authenticate();
  const [answer] = answers;
  const withLength = (text: string) => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)]);
  assert.equal(await answer!.decode(null), '');
  assert.equal(await answer!.decode(withLength('{"status":"invalid_token"}')), '{"status":"invalid_token"}');
  await answer!.parse('');
  await assert.rejects(answer!.parse('{"status":"invalid_token"}'), {
    name: 'KafkaJSSASLAuthenticationError',
    message: 'the token was rejected: {"status":"invalid_token"}',
  });
});

test('the login of Amazon MSK is a token, in the region that is named first', async () => {
  const own = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const hostOf = async (regions: Variables) => {
    const login = kafkaCredentials({ ...envOf({ KAFKA_MECHANISM: 'aws-msk-iam' }), ...own, ...regions }).sasl;
    const [, text = ''] = /Bearer ([\w-]+)/.exec(await messageOf(login as TokenLogin)) ?? [];
    return new URL(Buffer.from(text, 'base64url').toString()).host;
  };
  const all = { CRAWLSTREAM_KAFKA_AWS_REGION: 'r-1', AWS_REGION: 'r-2', AWS_DEFAULT_REGION: 'r-3' };
  assert.equal(await hostOf(all), 'kafka.r-1.amazonaws.com');
  assert.equal(await hostOf({ ...all, CRAWLSTREAM_KAFKA_AWS_REGION: '' }), 'kafka.r-2.amazonaws.com');
  assert.equal(await hostOf({ AWS_DEFAULT_REGION: 'r-3' }), 'kafka.r-3.amazonaws.com');
});

test('the registry is asked with a user, or with a token in its place', () => {
  const login = (variables: Variables) => registryLogin(envOf(variables));
  const user = { REGISTRY_USERNAME: 'me', REGISTRY_PASSWORD: 'hush' };
  assert.deepEqual(login({}), {});
  assert.deepEqual(login(user), { auth: { username: 'me', password: 'hush' } });
  assert.deepEqual(login({ REGISTRY_USERNAME: 'me', REGISTRY_PASSWORD_FILE: secret, REGISTRY_CA: ca }), {
    ...{ auth: { username: 'me', password: 'of a file' }, ca: 'the authority' },
  });
  assert.deepEqual(login({ REGISTRY_PASSWORD: 'hush', REGISTRY_SUBJECTS: 'topic-record' }), {
    subjects: 'topic-record',
  });
  assert.throws(() => login({ REGISTRY_SUBJECTS: 'name' }), {
    ...{
      code: 'INVALID_ARGUMENT',
      message: /CRAWLSTREAM_REGISTRY_SUBJECTS is name: give one of topic, record, topic-record$/,
    },
  });
  const { token: ofFile, ...rest } = login({ ...user, REGISTRY_TOKEN_FILE: token });
  assert.deepEqual([typeof ofFile, rest], ['function', {}]);
});

test('a rack is named, or there is none', () => {
  assert.deepEqual(rackOf(envOf({ KAFKA_RACK: 'a-1' })), { rack: 'a-1' });
  assert.deepEqual(rackOf(envOf({ KAFKA_RACK: '' })), {});
  assert.deepEqual(rackOf({}), {});
});

test('the variables that a process knows are those that are read', () => {
  const asked = new Set<string>();
  const reading = (variables: Variables) =>
    new Proxy<Record<string, string>>(envOf(variables), {
      get: (target, name) => {
        asked.add(String(name));
        return target[String(name)];
      },
    });
  const issuer = 'http://127.0.0.1:9/';
  for (const variables of [
    { KAFKA_TOKEN_URL: issuer, KAFKA_USERNAME: 'me' },
    { KAFKA_MECHANISM: 'aws-msk-iam', KAFKA_AWS_REGION: 'r-1' },
  ])
    kafkaCredentials(reading(variables));
  registryLogin(reading({ REGISTRY_TOKEN_URL: issuer, REGISTRY_USERNAME: 'me' }));
  rackOf(reading({}));
  assert.deepEqual(
    [...asked].filter((name) => name.startsWith('CRAWLSTREAM_')).sort(),
    [...credentialVariables].sort(),
  );
});
