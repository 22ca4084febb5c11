/**
 * The outcome of an audit as a statement to publish: the records read, the rules used, and the findings.
 *
 * The hashes bind it to the records. With a key, it is also signed (Ed25519, RFC 8032, over the JSON of the statement
 * as in the file), which says who vouches for it. Neither proves that a fetcher recorded what it did; they prove that
 * exactly these records were judged.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ReadPart } from './read-chain.ts';

export interface Statement {
  readonly says: string;
  readonly crawl: string;
  /** Version of the program that judged. */
  readonly version: string;
  /** ISO 8601. */
  readonly madeAt: string;
  readonly firstRequestAt: string | null;
  readonly lastRequestAt: string | null;
  readonly fetches: number;
  readonly hosts: number;
  readonly addresses: number;
  readonly violations: number;
  /** Requests recorded by releases that did not note their robots.txt. */
  readonly unproven: number;
  /** TLS requests without certificate check. Absent: a release that checked all. */
  readonly unverified?: number;
  /** Requests without robots.txt, by exemptions of the policy, with the reasons. Absent: there were none. */
  readonly exempt?: { readonly requests: number; readonly hosts: number; readonly reasons: readonly string[] };
  /** Payments for pages, by currency, with their number. Absent: none. */
  readonly paid?: { readonly payments: number; readonly spent: readonly string[] };
  /** Leases without a reported end, as after a kill. */
  readonly cutOff: number;
  readonly unreadable: number;
  readonly skewMs: number;
  readonly noticeMs: number;
  readonly read: readonly ReadPart[];
}

export interface SignedStatement {
  readonly statement: Statement;
  /** Null: there was no key. `publicKey`: PEM. `value`: base64. */
  readonly signature: { readonly algorithm: 'Ed25519'; readonly publicKey: string; readonly value: string } | null;
}

/** `pem`: PKCS #8, as `openssl genpkey -algorithm ed25519` makes it. Throws INVALID_ARGUMENT. */
export function readSigningKey(pem: string, field: string): KeyObject {
  const remedy = 'give a private Ed25519 key, as created by openssl genpkey -algorithm ed25519';
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${field}: ${(error as Error).message}; ${remedy}`, error);
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new CrawlstreamError('INVALID_ARGUMENT', `${field}: a key of type ${key.asymmetricKeyType}; ${remedy}`);
}

export function signStatement(statement: Statement, key: KeyObject | null): SignedStatement {
  if (key === null) return { statement, signature: null };
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  const value = sign(null, bytesOf(statement), key).toString('base64');
  return { statement, signature: { algorithm: 'Ed25519', publicKey, value } };
}

/** True if the statement is unchanged since it was signed by the key that it names. */
export function isIntact({ statement, signature }: SignedStatement): boolean {
  if (signature === null) return false;
  try {
    return verify(null, bytesOf(statement), signature.publicKey, Buffer.from(signature.value, 'base64'));
  } catch {
    return false;
  }
}

function bytesOf(statement: Statement): Buffer {
  return Buffer.from(JSON.stringify(statement));
}
