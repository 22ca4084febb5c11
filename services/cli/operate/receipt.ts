/**
 * A receipt of what was forgotten: what was ordered, what was removed where, and what could not be reached, signed.
 *
 * It is a JSON Web Signature (RFC 7515, compact) by EdDSA with Ed25519 (RFC 8037); its header holds the public key, so that
 * any library can check it. Whose key that is, the directory of the crawl's identity says, or whoever got one before.
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
  /** Orders in force, as they stand on `control`. */
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

/** `reference`: as `--signature-key` has it. Undefined: the crawl's own, in `file`, which is made where there is none. */
export async function receiptKey(reference: string | undefined, file: string): Promise<KeyObject> {
  if (reference !== undefined) return readKey(reference);
  if (!existsSync(file)) {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    await makeFolder(dirname(file));
    // Two that begin at once: one makes it, and the other takes that.
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
