/**
 * Requests signed by their crawler: Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol-00 (1 September 2026): HTTP
 * Message Signatures (RFC 9421) with Ed25519, a tag, and a directory of keys named by `Signature-Agent`.
 *
 * Each request has a separate signature over method, authority, path, query and `Signature-Agent`, with a nonce and for
 * five minutes. So a signature fits no other request, and a site can recognise a repeated one.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { readSecret } from '../../runtime/secret.ts';
import { type Headers, headersOf } from './headers.ts';

export const directoryPath = '/.well-known/http-message-signatures-directory';
export const directoryType = 'application/http-message-signatures-directory+json';

/** The signing part of the configuration: plain data, without a secret. */
export interface Signing {
  /** `env:NAME` or `file:PATH`: a private Ed25519 key, PEM. */
  readonly key: string;
  /** https origin that serves the directory. */
  readonly agent: string;
  /** URL of the published directory. Absent: it is not checked. */
  readonly directory?: string | undefined;
}

export interface Signer {
  /**
   * Returns signature headers, names and values alternating, for a request with the headers `sent`, of which those of a
   * payment are signed, too. `nowMs`: since the Unix epoch.
   */
  headers(method: string, url: string, nowMs: number, sent?: Headers): string[];
  /**
   * Signs with another key from now on. A key that cannot be read here, or is not in the directory, is logged and
   * ignored.
   */
  use(reference: string, nowMs: number): void;
}

/** Validity of a signature in seconds: enough for differing clocks and a slow connection. */
const lifetimeSeconds = 300;
/** A key's file is checked this often, ms: replacing the file rotates the key. */
const lookMs = 30_000;
const label = 'sig1';

export interface DirectoryKey {
  readonly kty?: unknown;
  readonly crv?: unknown;
  readonly x?: unknown;
  readonly kid?: unknown;
  /** Seconds since the Unix epoch. */
  readonly nbf?: unknown;
  readonly exp?: unknown;
}

/** Throws INVALID_ARGUMENT, which names the option and the remedy, if the signatures could not be verified. */
export function createSigner(signing: Signing, nowMs: number, say: (text: string) => void = () => {}): Signer {
  let reference = signing.key;
  let key = readKey(reference);
  let keyId = thumbprint(key);
  if (signing.directory !== undefined) checkDirectory(signing.directory, keyId, nowMs);
  let file = fileOf(reference);
  let changedMs = file === undefined ? 0 : statSync(file).mtimeMs;
  let lookedMs = nowMs;
  const rotate = (path: string) => {
    try {
      const { mtimeMs } = statSync(path);
      if (mtimeMs === changedMs) return;
      const next = readKey(reference);
      changedMs = mtimeMs;
      if (thumbprint(next) === keyId) return;
      key = next;
      keyId = thumbprint(key);
      say(`requests are now signed with key ${keyId}`);
    } catch (error) {
      say(`the signing key could not be reloaded, and the old one stays in use: ${(error as Error).message}`);
    }
  };
  return {
    use(given, atMs) {
      if (given === reference) return;
      try {
        const next = readKey(given);
        const nextId = thumbprint(next);
        if (signing.directory !== undefined) checkDirectory(signing.directory, nextId, atMs);
        const nextFile = fileOf(given);
        changedMs = nextFile === undefined ? 0 : statSync(nextFile).mtimeMs;
        [reference, key, keyId, file] = [given, next, nextId, nextFile];
        say(`requests are now signed with key ${keyId}`);
      } catch (error) {
        say(`the signing key ${given} could not be loaded, and the old one stays in use: ${(error as Error).message}`);
      }
    },
    headers(method, url, atMs, sent = []) {
      if (file !== undefined && Math.abs(atMs - lookedMs) >= lookMs) {
        lookedMs = atMs;
        rotate(file);
      }
      const { host, pathname, search } = new URL(url);
      const created = Math.floor(atMs / 1000);
      const paying = payingIn(sent);
      const names = paying.map(([name]) => ` "${name}"`).join('');
      const covered = `("@method" "@authority" "@path" "@query" "signature-agent";key="${label}"${names})`;
      // Drawn in advance by the machine's generator, many at a time.
      const nonce = randomUUID();
      const parameters = `${covered};created=${created};expires=${created + lifetimeSeconds};keyid="${keyId}";alg="ed25519";nonce="${nonce}";tag="web-bot-auth"`;
      // RFC 9421 §2.5, line by line.
      const base = [
        `"@method": ${method}`,
        `"@authority": ${host}`,
        `"@path": ${pathname}`,
        `"@query": ${search === '' ? '?' : search}`,
        `"signature-agent";key="${label}": "${signing.agent}"`,
        ...paying.map(([name, value]) => `"${name}": ${value}`),
        `"@signature-params": ${parameters}`,
      ].join('\n');
      const value = sign(null, Buffer.from(base), key).toString('base64');
      return [
        ...['signature-agent', `${label}="${signing.agent}"`],
        ...['signature-input', `${label}=${parameters}`],
        ...['signature', `${label}=:${value}:`],
      ];
    },
  };
}

/**
 * Header fields that Cloudflare's pay per crawl requires in a signature, so that the offered price cannot be changed
 * (change of 10 December 2025); and those of x402's payments, for the same reason.
 */
const payingNames = ['crawler-exact-price', 'crawler-max-price', 'payment-signature', 'x-payment'];

function payingIn(sent: Headers): (readonly [name: string, value: string])[] {
  return payingNames.flatMap((name) => {
    const values = headersOf(sent, name);
    // RFC 9421 §2.1: several fields of a name are joined by a comma and a space.
    return values.length === 0 ? [] : [[name, values.map((value) => value.trim()).join(', ')] as const];
  });
}

/** Undefined: it is in no file, and cannot change. */
function fileOf(reference: string): string | undefined {
  return /^file:(.+)$/.exec(reference)?.[1];
}

/** `reference`: as in `Signing`. Throws INVALID_ARGUMENT. */
export function readKey(reference: string): KeyObject {
  const [, kind, name] = /^(env|file):(.+)$/s.exec(reference) ?? [];
  if (kind === undefined || name === undefined) throw invalid(`${reference}: write the key as env:NAME or file:PATH`);
  const pem = readSecret(kind === 'env' ? { env: name } : { file: name }, '--signature-key');
  const remedy =
    'give a private Ed25519 key, as created by crawlstream identity init or openssl genpkey -algorithm ed25519';
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw invalid(`${reference}: ${(error as Error).message}; ${remedy}`);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw invalid(`${reference}: a key of type ${key.asymmetricKeyType}; ${remedy}`);
  return key;
}

/** The public half as a JSON Web Key (RFC 8037), with its thumbprint (RFC 7638) as its name. */
export function publicJwk(key: KeyObject): {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
} {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { kty: 'OKP', crv: 'Ed25519', x, kid: thumbprintOf(x) };
}

export function thumbprint(key: KeyObject): string {
  return publicJwk(key).kid;
}

function thumbprintOf(x: string): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}

/** Returns the problem of a directory for a key; empty: none. `keyId` null: any valid key in it. */
export function directoryProblem(json: string, keyId: string | null, nowMs: number): string {
  let keys: unknown;
  try {
    keys = (JSON.parse(json) as { readonly keys?: unknown } | null)?.keys;
  } catch (error) {
    return `it is not JSON: ${(error as Error).message}`;
  }
  if (!Array.isArray(keys)) return 'it has no keys';
  const usable = (keys as (DirectoryKey | null)[]).filter(
    (one) => one?.kty === 'OKP' && one.crv === 'Ed25519' && typeof one.x === 'string',
  ) as DirectoryKey[];
  const wrong = usable.find((one) => one.kid !== undefined && one.kid !== thumbprintOf(one.x as string));
  if (wrong !== undefined) return `its key ${String(wrong.kid)} does not have its thumbprint as kid`;
  const named = keyId === null ? usable : usable.filter((one) => thumbprintOf(one.x as string) === keyId);
  if (named.length === 0) return keyId === null ? 'it has no Ed25519 key' : `the key ${keyId} is not in it`;
  const isOpen = ({ nbf, exp }: DirectoryKey) =>
    (typeof nbf !== 'number' || nbf * 1000 <= nowMs) && (typeof exp !== 'number' || exp * 1000 > nowMs);
  if (named.some(isOpen)) return '';
  const [{ exp }] = named as [DirectoryKey];
  const over = typeof exp === 'number' && exp * 1000 <= nowMs;
  return over ? `its key has expired, ${new Date(exp * 1000).toISOString()}` : 'its key is not valid yet';
}

function checkDirectory(path: string, keyId: string, nowMs: number): void {
  let json: string;
  try {
    json = readFileSync(path, 'utf8');
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `--signature-directory ${path}: ${(error as Error).message}`, error);
  }
  const problem = directoryProblem(json, keyId, nowMs);
  if (problem === '') return;
  const remedy = 'create a new one with crawlstream identity init, and publish it before a crawl uses it';
  throw new CrawlstreamError('INVALID_ARGUMENT', `--signature-directory ${path}: ${problem}; ${remedy}`);
}

function invalid(message: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `--signature-key ${message}`);
}
