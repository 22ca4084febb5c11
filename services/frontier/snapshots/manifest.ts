/**
 * The manifest of a snapshot: the crawl, partition and position, and the list of its files. It is written last, so a
 * snapshot with a manifest is complete. It has a hash of itself, so that changes are detected.
 *
 *   <crawl>/<partition>/<position>-<time>-<chance>/rows-0.gz …, manifest.json
 */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { FingerprintKey } from '../../../topology/frontier/state/state.ts';

/** Grows when older versions of the program can no longer restore the snapshot correctly. */
export const snapshotFormat = 1;

const count = z.int().min(0);
const position = z.object({ offset: count, slice: count });

const manifestSchema = z.object({
  format: z.literal(snapshotFormat),
  crawl: z.string(),
  /** Hash of the fingerprint key: distinguishes a crawl from another one of the same name. */
  crawlId: z.string(),
  partition: count,
  partitions: z.int().min(1),
  /** Offset of the next record of the changelog: the snapshot includes all records before it. */
  position: count,
  /** At that position: the epoch in force, and the sequence number of the newest commit. */
  epoch: z.int(),
  seq: count,
  /** The record before the position (topology/frontier/changes/record-hash.ts). Absent: of an older release. */
  read: z.object({ offset: count, hash: count }).nullable().optional(),
  /** The next record of each input. */
  inputs: z.object({ control: position, results: position, discovered: position }),
  /** Digest of the state (topology/frontier/check/digest.ts), 32 hexadecimal digits. */
  digest: z.string(),
  /** Format of the rows (topology/frontier/checkpoint/checkpoint.ts). */
  checkpointVersion: count,
  policyVersion: count,
  urls: count,
  /** Time by which every lease granted before the snapshot has ended, ms since the Unix epoch. */
  leasesEndMs: count,
  /** ISO 8601, UTC. */
  takenAt: z.string(),
  /** Version of the program that took it. */
  takenBy: z.string(),
  files: z.array(z.object({ name: z.string(), bytes: count, sha256: z.string(), rows: count })),
});

export type SnapshotManifest = Readonly<z.infer<typeof manifestSchema>> & {
  /** Folder of its files; ends in a slash. */
  readonly folder: string;
};

export function crawlIdOf({ hi, lo }: FingerprintKey): string {
  return createHash('sha256').update(`crawlstream ${hi} ${lo}`).digest('hex').slice(0, 16);
}

export function folderOf({ crawl, partition }: Pick<PartitionIdentity, 'crawl' | 'partition'>): string {
  return `${crawl}/${String(partition).padStart(5, '0')}/`;
}

/** A unique folder name. Sorting by name sorts by position. */
export function newFolder(identity: PartitionIdentity, position: number, nowMs: number): string {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '');
  return `${folderOf(identity)}${String(position).padStart(15, '0')}-${time}-${randomBytes(4).toString('hex')}/`;
}

/** When the writing of a snapshot began, from its folder's name; undefined: not a folder of snapshots. */
export function begunAtMs(folder: string): number | undefined {
  const [, d, t, ms] = /-(\d{8})T(\d{6})(\d{3})Z-[0-9a-f]{8}\/$/.exec(folder) ?? [];
  if (d === undefined || t === undefined) return undefined;
  const iso = `${d.replace(/(....)(..)(..)/, '$1-$2-$3')}T${t.replace(/(..)(..)(..)/, '$1:$2:$3')}.${ms}Z`;
  return Date.parse(iso);
}

/** Writes `checkpointVersion` under its name of 0.2.0 too, so that 0.2.0 can read the snapshot. */
export function encodeManifest({ folder: _, ...written }: SnapshotManifest): Buffer {
  const manifest = { ...written, viewVersion: written.checkpointVersion };
  return Buffer.from(`${JSON.stringify({ ...manifest, sha256: hashOf(manifest) }, null, 2)}\n`);
}

/** Throws SNAPSHOT_DAMAGED, DATA_FOLDER_NEWER. */
export function decodeManifest(bytes: Buffer, folder: string): SnapshotManifest {
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(bytes.toString()) as Record<string, unknown>;
  } catch (cause) {
    throw damaged(folder, `its manifest is not JSON (${(cause as Error).message})`, cause);
  }
  if (typeof json['format'] === 'number' && json['format'] > snapshotFormat) {
    const message = `snapshot ${folder} has format ${json['format']}, but this release reads formats up to ${snapshotFormat}: run the newer crawlstream that took it`;
    throw new CrawlstreamError('DATA_FOLDER_NEWER', message);
  }
  const { sha256, ...rest } = json;
  if (sha256 !== hashOf(rest)) throw damaged(folder, 'its manifest was changed after it was written');
  const parsed = manifestSchema.safeParse({ checkpointVersion: rest['viewVersion'], ...rest });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw damaged(folder, `its manifest lacks ${issue?.path.join('.')}`, parsed.error);
  }
  return { ...parsed.data, folder };
}

export function damaged(folder: string, why: string, cause?: unknown): CrawlstreamError {
  return new CrawlstreamError('SNAPSHOT_DAMAGED', `snapshot ${folder} is damaged: ${why}`, cause);
}

function hashOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
