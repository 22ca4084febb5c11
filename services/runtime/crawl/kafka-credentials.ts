/**
 * Credentials for brokers and registry. They come from the environment, and secrets from files it names or from itself:
 * never from a command line, which others can list.
 *
 *   CRAWLSTREAM_KAFKA_TLS=1               TLS, with the system's authorities; implied by the next three
 *   CRAWLSTREAM_KAFKA_CA                  file: the authority that signed the brokers' certificates (PEM)
 *   CRAWLSTREAM_KAFKA_CERT, _KEY          files: a certificate of this client and its key (mutual TLS)
 *   CRAWLSTREAM_KAFKA_MECHANISM           plain, scram-sha-256, scram-sha-512 (default), oauthbearer
 *   CRAWLSTREAM_KAFKA_USERNAME            the user; of oauthbearer with a token URL, the client's id
 *   CRAWLSTREAM_KAFKA_PASSWORD, _PASSWORD_FILE   its password, or the client's secret
 *   CRAWLSTREAM_KAFKA_TOKEN_FILE          oauthbearer: a file with the token, read at each login (as Kubernetes projects it)
 *   CRAWLSTREAM_KAFKA_TOKEN_URL, _TOKEN_SCOPE    oauthbearer: where tokens are given for client credentials (RFC 6749 §4.4)
 *   CRAWLSTREAM_KAFKA_RACK                no secret: the zone this process is in, as brokers name theirs (broker.rack)
 *   CRAWLSTREAM_REGISTRY_USERNAME, _PASSWORD, _PASSWORD_FILE, _CA   the same of the schema registry
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { RegistryLogin } from '../avro/confluent-registry.ts';
import { oauthLogin } from '../log/kafka/oauth-login.ts';
import { readSecret } from '../secret.ts';

export interface KafkaCredentials {
  readonly ssl?: boolean | { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly sasl?: object;
}

/** All that is read here. */
export const credentialVariables: readonly string[] = [
  ...['TLS', 'CA', 'CERT', 'KEY', 'MECHANISM', 'USERNAME', 'PASSWORD', 'PASSWORD_FILE'].map((name) => `KAFKA_${name}`),
  ...['TOKEN_FILE', 'TOKEN_URL', 'TOKEN_SCOPE', 'RACK'].map((name) => `KAFKA_${name}`),
  ...['USERNAME', 'PASSWORD', 'PASSWORD_FILE', 'CA'].map((name) => `REGISTRY_${name}`),
].map((name) => `CRAWLSTREAM_${name}`);

const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'];
const tokenMsMax = 10_000;

type Env = NodeJS.ProcessEnv;

/** Throws INVALID_ARGUMENT, naming the variable. */
export function kafkaCredentials(env: Env): KafkaCredentials {
  const sasl = saslOf(env);
  const [ca, cert, key] = [pem(env, 'KAFKA_CA'), pem(env, 'KAFKA_CERT'), pem(env, 'KAFKA_KEY')];
  if ((cert === undefined) !== (key === undefined)) {
    throw bad(cert === undefined ? 'KAFKA_CERT' : 'KAFKA_KEY', 'is missing: a certificate and its key go together');
  }
  const files = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert, key: key! }) };
  const tls = given(env, 'KAFKA_TLS');
  if (tls === '0' && Object.keys(files).length > 0) throw bad('KAFKA_TLS', 'is 0, but certificates are given');
  const ssl = Object.keys(files).length > 0 ? files : tls !== undefined && tls !== '0';
  return { ...(ssl !== false && { ssl }), ...(sasl !== undefined && { sasl }) };
}

/** A pod is not told its zone: it is given to it, or it reads from the leaders. */
export function rackOf(env: Env): { readonly rack?: string } {
  const rack = given(env, 'KAFKA_RACK');
  return rack === undefined ? {} : { rack };
}

export function registryLogin(env: Env): RegistryLogin {
  const username = given(env, 'REGISTRY_USERNAME');
  const ca = pem(env, 'REGISTRY_CA');
  return {
    ...(username !== undefined && { auth: { username, password: password(env, 'REGISTRY') } }),
    ...(ca !== undefined && { ca }),
  };
}

function saslOf(env: Env): object | undefined {
  const username = given(env, 'KAFKA_USERNAME');
  const tokens = given(env, 'KAFKA_TOKEN_FILE') ?? given(env, 'KAFKA_TOKEN_URL');
  const asked = given(env, 'KAFKA_MECHANISM')?.toLowerCase();
  const mechanism = asked ?? (tokens === undefined ? 'scram-sha-512' : 'oauthbearer');
  if (!mechanisms.includes(mechanism))
    throw bad('KAFKA_MECHANISM', `is ${mechanism}: give one of ${mechanisms.join(', ')}`);
  if (mechanism === 'oauthbearer') {
    if (tokens === undefined) throw bad('KAFKA_TOKEN_FILE', 'is missing: oauthbearer needs it, or KAFKA_TOKEN_URL');
    return oauthLogin(tokenProvider(env));
  }
  if (username === undefined) {
    if (asked === undefined) return undefined;
    throw bad('KAFKA_USERNAME', `is missing: ${mechanism} needs it`);
  }
  return { mechanism, username, password: password(env, 'KAFKA') };
}

/** A token for each login: they run out while a process lives. */
function tokenProvider(env: Env): () => Promise<string> {
  const file = given(env, 'KAFKA_TOKEN_FILE');
  if (file !== undefined) return async () => (await readFile(file, 'utf8')).trim();
  const url = given(env, 'KAFKA_TOKEN_URL')!;
  const id = given(env, 'KAFKA_USERNAME');
  if (id === undefined) throw bad('KAFKA_USERNAME', 'is missing: it is the id that the token URL knows this client by');
  const secret = password(env, 'KAFKA');
  const scope = given(env, 'KAFKA_TOKEN_SCOPE');
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
  const authorization = `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
  return async () => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization, accept: 'application/json' },
      body,
      signal: AbortSignal.timeout(tokenMsMax),
    });
    const { access_token: value } = answer.ok ? ((await answer.json()) as { access_token?: unknown }) : {};
    if (typeof value === 'string') return value;
    throw new Error(`${new URL(url).origin} gives no token: it answers ${answer.status}`);
  };
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
