/**
 * The manifest of a data folder: the facts of a crawl that can never change, because stored state depends on them. It
 * is `manifest.json` in the folder, written once, before anything else.
 */
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';

/** Grows when older versions of the program can no longer read the folder correctly. */
export const manifestFormat = 1;

const manifestSchema = z.object({
  format: z.literal(manifestFormat),
  /** Name of the crawl: prefix of its topics. */
  crawl: z.string().min(1),
  /** Partitions of every topic. */
  partitions: z.int().min(1),
  /** Partition key of topics: the host, or the registrable domain. */
  keyMode: z.enum(['host', 'domain']),
  /** Hash of the public-suffix list: where registrable domains end, and so partition keys in `domain` mode. */
  pslHash: z.string(),
  /** Versions of the normaliser and of the fingerprint behind the seen test. */
  seenKeyVersion: z.int().min(0),
  fingerprintVersion: z.int().min(0),
  /** Clients of the crawl's leases: fetchers by `tasks`, or clients of the pull API. Absent: fetchers. */
  sink: z.enum(['tasks', 'pull']).optional(),
  /** 16 random bytes, hexadecimal: the key of this crawl's fingerprints, against flooding. */
  fingerprintKey: z.string().regex(/^[0-9a-f]{32}$/),
  /** ISO 8601, UTC. */
  createdAt: z.string(),
  /** Version of the program that made the folder. */
  createdBy: z.string(),
});

export type Manifest = Readonly<z.infer<typeof manifestSchema>>;

/** Facts from the crawl's configuration; the other fields belong to the folder. */
export type ManifestFacts = Omit<Manifest, 'format' | 'fingerprintKey' | 'createdAt' | 'createdBy'>;

/** Throws DATA_FOLDER_NEWER or DATA_FOLDER_FOREIGN. */
export function parseManifest(text: string, file: string): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw damaged(file, (cause as Error).message, cause);
  }
  const format = (json as { format?: unknown } | null)?.format;
  if (typeof format === 'number' && format > manifestFormat) {
    const message = `${file} has format ${format}, but this release reads formats up to ${manifestFormat}: run the newer crawlstream that created it, or use another --data`;
    throw new CrawlstreamError('DATA_FOLDER_NEWER', message);
  }
  const parsed = manifestSchema.safeParse(json);
  if (parsed.success) return Object.freeze(parsed.data);
  const issue = parsed.error.issues[0];
  throw damaged(file, `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`, parsed.error);
}

function damaged(file: string, why: string, cause: unknown): CrawlstreamError {
  const message = `${file} can't be read as a manifest (${why}): restore it from a backup, or choose another --data`;
  return new CrawlstreamError('DATA_FOLDER_FOREIGN', message, cause);
}

/**
 * Throws DATA_FOLDER_FOREIGN for another crawl, and TOPIC_MISMATCH for a changed field that must not change; the
 * message names the field and the remedy.
 */
export function checkManifest(manifest: Manifest, wanted: Partial<ManifestFacts>, place: string): void {
  if (wanted.crawl !== undefined && wanted.crawl !== manifest.crawl) {
    const message = `${place} belongs to crawl "${manifest.crawl}", not "${wanted.crawl}": choose another --data, or --crawl ${manifest.crawl}`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message);
  }
  if (wanted.sink !== undefined && wanted.sink !== (manifest.sink ?? 'tasks')) {
    const served = manifest.sink === 'pull';
    const message = `${place} ${served ? 'is served to clients by crawlstream urlfrontier' : 'is crawled by fetchers'}, and a crawl cannot do both: ${otherFolder.slice(3)}, or another --crawl`;
    throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message);
  }
  for (const field of ['partitions', 'keyMode', 'seenKeyVersion', 'fingerprintVersion', 'pslHash'] as const) {
    const value = wanted[field];
    if (value === undefined || value === manifest[field]) continue;
    // With partitions by host, nothing that is stored depends on the list, so a newer one may be used.
    if (field === 'pslHash' && manifest.keyMode === 'host') continue;
    const message = `${place} was made with ${field} ${manifest[field]}, not ${value}: ${remedies[field](manifest)}`;
    throw new CrawlstreamError('TOPIC_MISMATCH', message);
  }
}

const otherFolder = 'or start a new crawl in another --data';
const remedies = {
  partitions: (m: Manifest) => `remove --partitions or set it to ${m.partitions}, ${otherFolder}`,
  keyMode: (m: Manifest) => `set the partition key to ${m.keyMode}, ${otherFolder}`,
  seenKeyVersion: (m: Manifest) => `use crawlstream ${m.createdBy}, ${otherFolder}`,
  fingerprintVersion: (m: Manifest) => `use crawlstream ${m.createdBy}, ${otherFolder}`,
  pslHash: (m: Manifest) => `use the public-suffix list of crawlstream ${m.createdBy}, ${otherFolder}`,
};
