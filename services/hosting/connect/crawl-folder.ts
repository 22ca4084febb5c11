/**
 * The data folder of the `crawl` command: the log, the state of each partition, and the request.
 *
 *   manifest.json   what can't change              log/              every topic
 *   crawl.json      seeds, policy, options given   state/<p>/        the checkpoint of partition p
 *                                                  crawls/<n>/<p>/   the same, of the served crawl with number n
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { FingerprintKey } from '../../../topology/frontier/state/state.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { storedPolicy } from '../../../topology/policy/validate.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import { putFile } from '../../runtime/disk/durable-names.ts';

export interface CrawlRequest {
  /** Every seed given so far, acked in `discovered`. */
  readonly seeds: readonly string[];
  /** The options' requests so far: policies set in another way since then are only on `control`. */
  readonly policy: PolicyConfig | null;
  /** Options of `crawl` that are not part of the policy, as given: by key, as in a configuration file. */
  readonly options?: GivenOptions;
  /**
   * Digest of the certificates that TLS trusted: of the authorities that options name, and of hosts that are not
   * checked. Empty: no options named any.
   */
  readonly trust?: string;
  /** Private addresses that the crawl could go to, when it last ran. Absent: not known. */
  readonly reach?: string;
}

export type GivenOptions = Readonly<Record<string, boolean | string | readonly string[]>>;

const requestSchema = z.object({
  seeds: z.array(z.string()),
  policy: z.unknown(),
  options: z.record(z.string(), z.union([z.boolean(), z.string(), z.array(z.string())])).optional(),
  trust: z.string().optional(),
  reach: z.string().optional(),
});

const nothing: CrawlRequest = { seeds: [], policy: null };

export function logFolder(folder: DataFolder): string {
  return folder.part('log');
}

export function stateFolder(folder: DataFolder, partition: number): string {
  return join(folder.part('state'), String(partition));
}

/** `number`: number of a served crawl; 0 is the folder's own. */
export function servedStateFolder(folder: DataFolder, number: number, partition: number): string {
  return number === 0 ? stateFolder(folder, partition) : join(folder.part('crawls'), String(number), String(partition));
}

export function fingerprintKeyOf({ fingerprintKey }: Manifest): FingerprintKey {
  return { hi: Number.parseInt(fingerprintKey.slice(0, 8), 16), lo: Number.parseInt(fingerprintKey.slice(8, 16), 16) };
}

export async function readRequest(folder: Pick<DataFolder, 'part'>): Promise<CrawlRequest> {
  const file = folder.part('crawl.json');
  try {
    const {
      seeds,
      policy,
      options = {},
      trust = '',
      reach,
    } = requestSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    return {
      seeds,
      policy: policy === null ? null : storedPolicy(policy),
      options,
      trust,
      ...(reach !== undefined && { reach }),
    };
  } catch (error) {
    // If a file is at the place of the folder, opening it will fail with an error.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return nothing;
    throw new CrawlstreamError(
      'DATA_FOLDER_FOREIGN',
      `${file} cannot be read (${reasonOf(error as Error)}): delete that file and run the same command again`,
      error,
    );
  }
}

/** In one line. */
function reasonOf(error: Error): string {
  if (!(error instanceof z.ZodError)) return error.message;
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`;
}

/** In one step: a crash leaves the file of before or of after. */
export async function writeRequest(folder: DataFolder, request: CrawlRequest): Promise<void> {
  const file = folder.part('crawl.json');
  await putFile(file, `${JSON.stringify(request, null, 2)}\n`);
}
