/**
 * Credentials for brokers and registry. They come from the environment, and secrets from files it names or from itself:
 * never from a command line, which others can list.
 *
 *   CRAWLSTREAM_KAFKA_TLS=1               TLS, with the system's authorities; implied by the next three
 *   CRAWLSTREAM_KAFKA_CA                  file: the authority that signed the brokers' certificates (PEM)
 *   CRAWLSTREAM_KAFKA_CERT, _KEY          files: a certificate of this client and its key (mutual TLS)
 *   CRAWLSTREAM_KAFKA_MECHANISM           plain, scram-sha-256, scram-sha-512 (default), oauthbearer, aws-msk-iam
 *   CRAWLSTREAM_KAFKA_USERNAME            the user; of oauthbearer with a token URL, the client's id
 *   CRAWLSTREAM_KAFKA_PASSWORD, _PASSWORD_FILE   its password, or the client's secret
 *   CRAWLSTREAM_KAFKA_TOKEN_FILE          oauthbearer: a file with the token, read at each login (as Kubernetes projects it)
 *   CRAWLSTREAM_KAFKA_TOKEN_URL, _TOKEN_SCOPE    oauthbearer: where tokens are given for client credentials (RFC 6749 §4.4)
 *   CRAWLSTREAM_KAFKA_RACK                no secret: the zone this process is in, as brokers name theirs (broker.rack)
 *   CRAWLSTREAM_KAFKA_AWS_REGION          aws-msk-iam: the brokers' region (default: AWS_REGION); credentials as AWS's tools find them
 *   CRAWLSTREAM_REGISTRY_USERNAME, _PASSWORD, _PASSWORD_FILE, _CA   the same of the schema registry
 *   CRAWLSTREAM_REGISTRY_SUBJECTS         no secret: what subjects are named after, topic, record or topic-record
 *   CRAWLSTREAM_REGISTRY_TOKEN_FILE, _TOKEN_URL, _TOKEN_SCOPE       a bearer token in place of the password
 */
import { readFileSync } from 'node:fs';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { RegistryLogin } from '../avro/confluent-registry.ts';
import { subjectStrategies } from '../avro/registry-subject.ts';
import { mskToken } from '../log/kafka/msk-token.ts';
import { oauthLogin } from '../log/kafka/oauth-login.ts';
import { awsCredentials } from '../objects/aws-credentials.ts';
import { readSecret } from '../secret.ts';
import { productVersion } from '../version.ts';
import { fileToken, grantedToken } from './token-source.ts';

export interface KafkaCredentials {
  readonly ssl?: boolean | { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly sasl?: object;
}

/** All that is read here. */
export const credentialVariables: readonly string[] = [
  ...['TLS', 'CA', 'CERT', 'KEY', 'MECHANISM', 'USERNAME', 'PASSWORD', 'PASSWORD_FILE'].map((name) => `KAFKA_${name}`),
  ...['TOKEN_FILE', 'TOKEN_URL', 'TOKEN_SCOPE', 'AWS_REGION', 'RACK'].map((name) => `KAFKA_${name}`),
  ...['USERNAME', 'PASSWORD', 'PASSWORD_FILE', 'CA', 'SUBJECTS', 'TOKEN_FILE', 'TOKEN_URL', 'TOKEN_SCOPE'].map(
    (name) => `REGISTRY_${name}`,
  ),
].map((name) => `CRAWLSTREAM_${name}`);

export const kafkaMechanisms: readonly string[] = [
  'plain',
  'scram-sha-256',
  'scram-sha-512',
  'oauthbearer',
  'aws-msk-iam',
];

type Env = NodeJS.ProcessEnv;

/** Throws INVALID_ARGUMENT, naming the variable. */
export function kafkaCredentials(env: Env): KafkaCredentials {
  const sasl = saslOf(env);
  const [ca, cert, key] = [pem(env, 'KAFKA_CA'), pem(env, 'KAFKA_CERT'), pem(env, 'KAFKA_KEY')];
  if ((cert === undefined) !== (key === undefined)) {
    throw bad(cert === undefined ? 'KAFKA_CERT' : 'KAFKA_KEY', 'is missing: set both a certificate and its key');
  }
  const files = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert, key: key! }) };
  const tls = tlsOf(env);
  if (tls === false && Object.keys(files).length > 0)
    throw bad('KAFKA_TLS', `is ${given(env, 'KAFKA_TLS')}, but certificates are set: remove one of them`);
  const ssl = Object.keys(files).length > 0 ? files : tls === true;
  return { ...(ssl !== false && { ssl }), ...(sasl !== undefined && { sasl }) };
}

function tlsOf(env: Env): boolean | undefined {
  const text = given(env, 'KAFKA_TLS');
  if (text === undefined) return undefined;
  const on = { '1': true, true: true, '0': false, false: false }[text];
  if (on === undefined) throw bad('KAFKA_TLS', `is ${text}: give 1 or 0`);
  return on;
}

/** A pod does not know its zone: it is configured, or it reads from the leaders. */
export function rackOf(env: Env): { readonly rack?: string } {
  const rack = given(env, 'KAFKA_RACK');
  return rack === undefined ? {} : { rack };
}

export function registryLogin(env: Env): RegistryLogin {
  const username = given(env, 'REGISTRY_USERNAME');
  const ca = pem(env, 'REGISTRY_CA');
  const token = tokenOf(env, 'REGISTRY', true);
  const asked = given(env, 'REGISTRY_SUBJECTS');
  const subjects = subjectStrategies.find((one) => one === asked);
  if (asked !== undefined && subjects === undefined) {
    throw bad('REGISTRY_SUBJECTS', `is ${asked}: give one of ${subjectStrategies.join(', ')}`);
  }
  return {
    ...(subjects !== undefined && { subjects }),
    ...(token !== undefined && { token }),
    ...(username !== undefined && token === undefined && { auth: { username, password: password(env, 'REGISTRY') } }),
    ...(ca !== undefined && { ca }),
  };
}

function saslOf(env: Env): object | undefined {
  const username = given(env, 'KAFKA_USERNAME');
  const tokens = given(env, 'KAFKA_TOKEN_FILE') ?? given(env, 'KAFKA_TOKEN_URL');
  const asked = given(env, 'KAFKA_MECHANISM')?.toLowerCase();
  const mechanism = asked ?? (tokens === undefined ? 'scram-sha-512' : 'oauthbearer');
  if (!kafkaMechanisms.includes(mechanism))
    throw bad('KAFKA_MECHANISM', `is ${mechanism}: give one of ${kafkaMechanisms.join(', ')}`);
  if (mechanism === 'aws-msk-iam') return mskLogin(env);
  if (mechanism === 'oauthbearer') {
    if (tokens === undefined)
      throw bad('KAFKA_TOKEN_FILE', 'is missing: oauthbearer needs this variable, or KAFKA_TOKEN_URL');
    // Each login has a new token: tokens expire while a process lives.
    return oauthLogin(tokenOf(env, 'KAFKA', false)!);
  }
  if (username === undefined) {
    if (asked === undefined) return undefined;
    throw bad('KAFKA_USERNAME', `is missing: ${mechanism} needs this variable`);
  }
  return { mechanism, username, password: password(env, 'KAFKA') };
}

/** undefined: no variable names one. */
function tokenOf(env: Env, of: 'KAFKA' | 'REGISTRY', keeps: boolean): (() => Promise<string>) | undefined {
  const file = given(env, `${of}_TOKEN_FILE`);
  if (file !== undefined) return fileToken(file);
  const url = given(env, `${of}_TOKEN_URL`);
  if (url === undefined) return undefined;
  const id = given(env, `${of}_USERNAME`);
  if (id === undefined) {
    throw bad(`${of}_USERNAME`, 'is missing: set the client id for the token URL');
  }
  const scope = given(env, `${of}_TOKEN_SCOPE`);
  password(env, of);
  // Read again for each token, as a file with it may be replaced.
  return grantedToken({ url, id, secret: () => password(env, of), scope }, keeps);
}

/** IAM of Amazon MSK: signed again for each login. */
function mskLogin(env: Env): object {
  const region = given(env, 'KAFKA_AWS_REGION') ?? env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  if (!region) throw bad('KAFKA_AWS_REGION', 'and AWS_REGION are missing: set the region of the brokers');
  const credentials = awsCredentials(region, env);
  return oauthLogin(async () => mskToken(region, await credentials(), Date.now(), `crawlstream/${productVersion}`));
}

function password(env: Env, of: 'KAFKA' | 'REGISTRY'): string {
  const file = given(env, `${of}_PASSWORD_FILE`);
  const name = `CRAWLSTREAM_${of}_PASSWORD`;
  return file === undefined ? (env[name] ?? '') : readSecret({ file }, `${name}_FILE`);
}

function pem(env: Env, name: string): string | undefined {
  const file = given(env, name);
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw bad(name, `can't be read: ${(error as Error).message}`);
  }
}

function given(env: Env, name: string): string | undefined {
  const value = env[`CRAWLSTREAM_${name}`];
  return value === '' ? undefined : value;
}

function bad(name: string, why: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `the environment variable CRAWLSTREAM_${name} ${why}`);
}
