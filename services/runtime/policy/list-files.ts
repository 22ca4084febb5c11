/**
 * Loads the lists that a policy refers to (topology/url/url-lists.ts) from files.
 *
 * Invariant: a returned list has the hash in the policy. A list that was loaded before, by hash and kind, is shared:
 * a policy with other changes reads no file again. With a folder for copies, each list is stored there under its hash
 * once it was read, so that a restart, or a return to an earlier policy, does not depend on unchanged files.
 */
import { hash, randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { listsOf } from '../../../topology/policy/lists-of.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { listLimits } from '../../../topology/url/list-limits.ts';
import type { CompiledList, ListName, ListSource } from '../../../topology/url/url-lists.ts';
import { compileList, fieldOfList } from '../../../topology/url/url-lists.ts';
import { makeFolder, putFile } from '../disk/durable-names.ts';

export interface ListFiles {
  /** Loads lists that are not loaded yet; the source returns all of `references`. `folder`: folder of the policy. */
  load(references: readonly ListName[], folder: string): Promise<ListSource>;
}

/** `copies`: absolute path; created on demand. */
export function createListFiles(copies?: string): ListFiles {
  /** Lists of the newest policy only; others are dropped. */
  let loaded = new Map<string, CompiledList>();
  return {
    async load(references, folder) {
      const next = new Map<string, CompiledList>();
      for (const reference of references) {
        const key = keyOf(reference);
        next.set(key, next.get(key) ?? loaded.get(key) ?? (await loadList(reference, folder, copies)));
      }
      loaded = next;
      return (reference) => {
        const list = next.get(keyOf(reference));
        if (list === undefined)
          throw invalid(reference, 'the list is not loaded; set a policy that contains this list');
        return list;
      };
    },
  };
}

function keyOf({ sha256, kind }: ListName): string {
  return `${sha256} ${kind}`;
}

async function loadList(reference: ListName, folder: string, copies?: string): Promise<CompiledList> {
  const { kind, name } = reference;
  const kept = copies === undefined ? undefined : await keptCopy(copies, reference.sha256);
  if (kept !== undefined) return compileList(kind, kept.toString('utf8'), name);
  const { bytes, sha256 } = await readList(resolve(folder, reference.path), fieldOfList(reference));
  if (sha256 !== reference.sha256) {
    const why = `${reference.path} has the SHA-256 ${sha256}, not ${reference.sha256}`;
    throw invalid(reference, `${why}; restore that file, or set a policy with its new hash`);
  }
  if (copies !== undefined) await keepCopy(copies, sha256, bytes);
  return compileList(kind, bytes.toString('utf8'), name);
}

/** Undefined if there is none, or it is incomplete. */
async function keptCopy(copies: string, sha256: string): Promise<Buffer | undefined> {
  try {
    const bytes = await readFile(join(copies, sha256));
    return hash('sha256', bytes, 'hex') === sha256 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

async function keepCopy(copies: string, sha256: string, bytes: Buffer): Promise<void> {
  const file = join(copies, sha256);
  await makeFolder(copies);
  // Several partitions may load one list at once.
  await putFile(file, bytes, { aside: `.${randomBytes(4).toString('hex')}.new` });
}

/** Returns the lists in a policy; none if the text is not a policy, which is reported when the policy is decided on. */
export function listsOfText(policyJson: string): readonly ListName[] {
  try {
    return listsOf(parsePolicy(policyJson));
  } catch {
    return [];
  }
}

/** A list's bytes and their hash. Throws INVALID_ARGUMENT, naming `field`, for a file that can't be read or is too large. */
export async function readList(
  path: string,
  field: string,
): Promise<{ readonly bytes: Buffer; readonly sha256: string }> {
  try {
    const { size } = await stat(path);
    if (size > listLimits.fileBytesMax)
      throw new Error(`it has ${size} bytes; at most ${listLimits.fileBytesMax} are allowed; split the list`);
    const bytes = await readFile(path);
    return { bytes, sha256: hash('sha256', bytes, 'hex') };
  } catch (error) {
    const why = `${(error as Error).message}; give a text file with one entry per line`;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${field}: ${why}`, error);
  }
}

function invalid(reference: ListName, why: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `${fieldOfList(reference)}: ${why}`);
}
