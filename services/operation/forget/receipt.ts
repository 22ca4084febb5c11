/**
 * Signs a receipt of a removal: the orders, the removed copies by place, and the places that could not be reached.
 *
 * It is a JSON Web Signature (RFC 7515, compact) by EdDSA with Ed25519 (RFC 8037). Its header contains the public key,
 * so any library can check the signature. The directory of the crawl's identity, or an earlier receipt, shows whether
 * that key is the crawl's.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { NotReached, Place } from '../../application/processor/holding.ts';
import { publicJwk, readKey } from '../../fetcher/http/web-bot-auth.ts';
import { makeFile, makeFolder } from '../../runtime/disk/durable-names.ts';

export interface Receipt {
  readonly receipt: 'crawlstream-forget-1';
  readonly crawl: string;
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
  /** Orders in force, from `control`. */
  readonly purged: readonly {
    readonly hostKey: string;
    /** Null: the whole host. */
    readonly url: string | null;
    readonly at: string;
    readonly by: string;
    /** Partition and offset. */
    readonly control: string;
  }[];
  /** URLs that their sites no longer allow the use of. */
  readonly withdrawn: number;
  readonly places: readonly Place[];
  /** Places with copies that were not reached. */
  readonly notReached: readonly NotReached[];
}

/** `reference`: as in `--signature-key`. Undefined: the crawl's key in `file`, which is created if missing. */
export async function receiptKey(reference: string | undefined, file: string): Promise<KeyObject> {
  if (reference !== undefined) return readKey(reference);
  if (!existsSync(file)) {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    await makeFolder(dirname(file));
    // If two processes start at once, one creates the file, and the other reads it.
    await makeFile(file, pem, `${process.pid}`, { mode: 0o600 });
  }
  return readKey(`file:${file}`);
}

export function signReceipt(receipt: object, key: KeyObject): string {
  const { kid, ...jwk } = publicJwk(key);
  const header = { alg: 'EdDSA', typ: 'JOSE', kid, jwk };
  const text = [header, receipt].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}
