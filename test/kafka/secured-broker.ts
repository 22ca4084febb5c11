/**
 * A broker as production has them: TLS, four ways to log in, and an authorizer that forbids what is not allowed.
 *
 * Certificates and token keys are made here, for this run. Users: `admin`, who may do everything, and those named.
 */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { kafkaJars } from '../../lab/kafka/components.ts';

const run = promisify(execFile);

export interface SecuredBroker extends Pick<TestBroker, 'brokers' | 'stop'> {
  readonly folder: string;
  /** File with the certificate of the authority that the broker's is signed by. */
  readonly ca: string;
  /** The same for an authority that signed nothing here. */
  readonly otherCa: string;
  /** A key and certificate for 127.0.0.1, as files. */
  readonly server: { readonly key: string; readonly cert: string };
  /** A token for `user`, signed. */
  tokenOf(user: string): string;
  /** Gives a user a password for SCRAM. */
  addScramUser(user: string, password: string): Promise<void>;
}

export const passwordOf = (user: string) => `${user}-secret`;

export async function startSecuredBroker(users: readonly string[]): Promise<SecuredBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-secured-'));
  const certificates = await makeCertificates(folder);
  const tokens = await makeTokens(folder);
  const plain = ['admin', ...users].map((user) => `user_${user}="${passwordOf(user)}"`).join(' ');
  const login = 'org.apache.kafka.common.security';
  const of = (mechanism: string) => `listener.name.client.${mechanism}.sasl`;
  const broker = await startBroker({
    own: true,
    protocol: 'SASL_SSL',
    flags: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file://${tokens.jwks}`],
    settings: {
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': certificates.keystore,
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': certificates.ca,
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
      'sasl.mechanism.inter.broker.protocol': 'PLAIN',
      [`${of('plain')}.jaas.config`]: `${login}.plain.PlainLoginModule required username="admin" password="${passwordOf('admin')}" ${plain};`,
      [`${of('scram-sha-256')}.jaas.config`]: `${login}.scram.ScramLoginModule required;`,
      [`${of('scram-sha-512')}.jaas.config`]: `${login}.scram.ScramLoginModule required;`,
      [`${of('oauthbearer')}.jaas.config`]: `${login}.oauthbearer.OAuthBearerLoginModule required;`,
      [`${of('oauthbearer')}.server.callback.handler.class`]: `${login}.oauthbearer.OAuthBearerValidatorCallbackHandler`,
      [`${of('oauthbearer')}.oauthbearer.jwks.endpoint.url`]: `file://${tokens.jwks}`,
      [`${of('oauthbearer')}.oauthbearer.expected.audience`]: 'kafka',
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      // The controller's own listener has no login here.
      'super.users': 'User:admin;User:ANONYMOUS',
    },
  });
  return {
    ...certificates,
    folder,
    brokers: broker.brokers,
    tokenOf: tokens.tokenOf,
    addScramUser: (user, password) => addScramUser(folder, broker.brokers, certificates.ca, user, password),
    stop: async () => {
      await broker.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeCertificates(folder: string) {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['ca', 'other-ca'])
    await openssl('req', '-x509', ...curve, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`);
  await openssl('req', ...curve, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
  await writeFile(file('san'), 'subjectAltName=IP:127.0.0.1\n');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'san', '-days', '2'];
  await openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem');
  const both = await Promise.all(['server.key', 'server.pem'].map((name) => readFile(file(name), 'utf8')));
  await writeFile(file('server-keystore.pem'), both.join(''));
  const server = { key: file('server.key'), cert: file('server.pem') };
  return { ca: file('ca.pem'), otherCa: file('other-ca.pem'), keystore: file('server-keystore.pem'), server };
}

async function makeTokens(folder: string) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwks = join(folder, 'jwks.json');
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' };
  await writeFile(jwks, JSON.stringify({ keys: [key] }));
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokenOf = (sub: string) => {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = { sub, aud: 'kafka', iat: seconds, exp: seconds + 3600, scope: [] };
    const text = `${part({ alg: 'RS256', kid: 'test', typ: 'JWT' })}.${part(claims)}`;
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
  };
  return { jwks, tokenOf };
}

/** By Kafka's own tool: kafkajs has no such request. */
async function addScramUser(folder: string, brokers: string, ca: string, user: string, password: string) {
  const config = join(folder, 'admin.properties');
  const login = `username="admin" password="${passwordOf('admin')}";`;
  await writeFile(
    config,
    [
      'security.protocol=SASL_SSL',
      'sasl.mechanism=PLAIN',
      `sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required ${login}`,
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${ca}`,
      '',
    ].join('\n'),
  );
  const tool = ['-XX:TieredStopAtLevel=1', '-cp', `${await kafkaJars()}/*`, 'kafka.admin.ConfigCommand'];
  for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-512']) {
    const credential = ['--alter', '--add-config', `${mechanism}=[password=${password}]`];
    const entity = ['--entity-type', 'users', '--entity-name', user, ...credential];
    await run('java', [...tool, '--bootstrap-server', brokers, '--command-config', config, ...entity]);
  }
}
