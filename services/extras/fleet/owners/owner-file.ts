/**
 * The owners of a fleet's crawls (`--owners FILE`): names, keys by reference, and quotas. Memory has only the hashes
 * of keys, so that no output can reveal them.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { invalid } from '../../../../topology/errors.ts';
import { readSecret, secretSchema } from '../../../runtime/secret.ts';
import { ownerLimits } from './owner-limits.ts';

const some = z.int().min(1);

export const ownersSchema = z.array(
  z.strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'use at most 63 lower-case letters, digits, _ and -'),
    key: secretSchema,
    crawlsMax: some.default(ownerLimits.crawlsMax),
    keptMax: some.default(ownerLimits.keptMax),
    /** Most pages in a UTC day. null: no limit. */
    pagesPerDay: some.nullable().default(null),
    bytesPerDay: some.nullable().default(null),
    /** Most hosts that all crawls of the owner know together. */
    hostsMax: some.nullable().default(null),
    /** Largest sum of the weights of running crawls; calls beyond it are refused. */
    weightMax: z.number().positive().nullable().default(null),
    callsPerMinute: some.default(ownerLimits.callsPerMinute),
  }),
);

export interface Owner extends Omit<z.output<typeof ownersSchema>[number], 'key'> {
  /** SHA-256 of the owner's key, hexadecimal. */
  readonly keyHash: string;
}

/** Throws INVALID_ARGUMENT with the owner and the fault, and without any key. */
export function ownersOf(file: z.output<typeof ownersSchema>, env: NodeJS.ProcessEnv = process.env): Owner[] {
  const names = new Set<string>();
  const hashes = new Map<string, string>();
  return file.map(({ key: reference, ...owner }) => {
    const field = `--owners ${owner.name}: key`;
    const key = readSecret(reference, field, env);
    if (key.length < ownerLimits.keyCharsMin || !/^\S+$/.test(key))
      throw invalid(`${field}: the key is too short or contains white space; create one with openssl rand -hex 32`);
    if (names.has(owner.name)) throw invalid(`--owners ${owner.name}: two owners have this name; rename one`);
    names.add(owner.name);
    const keyHash = keyHashOf(key);
    const twin = hashes.get(keyHash);
    if (twin !== undefined) throw invalid(`${field}: ${twin} has the same key; give each owner a different one`);
    hashes.set(keyHash, owner.name);
    return { ...owner, keyHash };
  });
}

export function keyHashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
