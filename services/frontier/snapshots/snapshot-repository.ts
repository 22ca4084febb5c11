/**
 * The snapshots of a crawl in an object store: what there is, whether it is whole, and which are kept.
 *
 * A snapshot counts once its manifest is there, which is written last; files without one belong to a process that is
 * still taking a snapshot, or has died. Reading checks each file's length and hash before a row of it is used.
 */
import { createHash } from 'node:crypto';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { ObjectStore } from '../../runtime/objects/objects.ts';
import { begunAtMs, damaged, decodeManifest, encodeManifest, folderOf, type SnapshotManifest } from './manifest.ts';
import { rowsOfFile, type StoredRow } from './row-files.ts';
import { snapshotLimits } from './snapshot-limits.ts';

/** A snapshot, or one that is damaged: that is listed, but cannot be used. */
export type StoredSnapshot =
  | { readonly folder: string; readonly manifest: SnapshotManifest; readonly error?: undefined }
  | { readonly folder: string; readonly manifest?: undefined; readonly error: CrawlstreamError };

export interface SnapshotRepository {
  readonly objects: ObjectStore;
  readonly crawlId: string;
  /** The snapshots of one partition, the furthest first. Another crawl's are left out. */
  list(identity: PartitionIdentity): Promise<StoredSnapshot[]>;
  /** The saved rows, in key order. Throws SNAPSHOT_DAMAGED at the first file that differs from the manifest. */
  rows(manifest: SnapshotManifest): AsyncGenerator<readonly StoredRow[]>;
  /** Reads and checks everything. Throws SNAPSHOT_DAMAGED. */
  verify(manifest: SnapshotManifest): Promise<void>;
  /** Writes the manifest, which completes the snapshot. All its files must exist. */
  seal(manifest: SnapshotManifest): Promise<void>;
  /**
   * Keeps the newest `kept` usable snapshots, removes older ones and the files of dead processes, and returns the
   * remaining ones.
   */
  prune(identity: PartitionIdentity, kept: number, nowMs: number): Promise<SnapshotManifest[]>;
}

const manifestName = 'manifest.json';

export function createSnapshotRepository(objects: ObjectStore, crawlId: string): SnapshotRepository {
  const list = async (identity: PartitionIdentity): Promise<StoredSnapshot[]> => {
    const names = await objects.list(folderOf(identity));
    const folders = names.filter((name) => name.endsWith(`/${manifestName}`)).map(folderOfName);
    const stored: StoredSnapshot[] = [];
    // Sorting by name sorts by position.
    for (const folder of folders.reverse()) {
      const bytes = await objects.get(`${folder}${manifestName}`);
      if (bytes === undefined) continue;
      const one = decoded(bytes, folder);
      if (one.manifest === undefined || one.manifest.crawlId === crawlId) stored.push(one);
    }
    return stored;
  };

  const file = async (manifest: SnapshotManifest, { name, bytes, sha256 }: SnapshotManifest['files'][number]) => {
    const found = await objects.get(`${manifest.folder}${name}`);
    if (found === undefined) throw damaged(manifest.folder, `${name} is missing`);
    if (found.length !== bytes) throw damaged(manifest.folder, `${name} has ${found.length} bytes, not ${bytes}`);
    if (sha256Of(found) !== sha256) throw damaged(manifest.folder, `${name} was changed after it was written`);
    return found;
  };

  async function* rows(manifest: SnapshotManifest): AsyncGenerator<readonly StoredRow[]> {
    for (const one of manifest.files) {
      const bytes = await file(manifest, one);
      yield await rowsOfFile(bytes).catch((error: Error) => {
        throw damaged(manifest.folder, `${one.name} is not a file of rows: ${error.message}`);
      });
    }
  }

  const verify = async (manifest: SnapshotManifest) => {
    for (const one of manifest.files) await file(manifest, one);
  };

  /** The manifest is removed first, so that a snapshot is never half there. */
  const remove = async (folder: string, names: readonly string[]) => {
    await objects.remove([`${folder}${manifestName}`]);
    await objects.remove(names.filter((name) => name.startsWith(folder)));
  };

  return {
    objects,
    crawlId,
    list,
    rows,
    verify,
    seal: (manifest) => objects.put(`${manifest.folder}${manifestName}`, encodeManifest(manifest)),
    async prune(identity, kept, nowMs) {
      const names = await objects.list(folderOf(identity));
      const stored = await list(identity);
      const good = stored.flatMap(({ manifest }) => manifest ?? []);
      const [keep, old] = [good.slice(0, kept), good.slice(kept)];
      for (const { folder } of old) await remove(folder, names);
      const sealed = new Set(names.filter((name) => name.endsWith(`/${manifestName}`)).map(folderOfName));
      const newest = [...sealed].map(positionIn).sort().at(-1) ?? '';
      for (const folder of new Set(names.map(folderOfName))) {
        // The snapshot at the furthest position may still be being written, whatever the clocks of two machines say.
        // It is removed only once there is a further one.
        if (positionIn(folder) > newest) continue;
        const begunMs = begunAtMs(folder);
        const isStale = begunMs !== undefined && nowMs - begunMs > snapshotLimits.unfinishedMs;
        if (isStale && !sealed.has(folder)) await remove(folder, names);
      }
      return keep;
    },
  };
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The position as text that sorts like the number. */
function positionIn(folder: string): string {
  return folder.replace(/-\d{8}T\d{9}Z-[0-9a-f]{8}\/$/, '');
}

function folderOfName(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

function decoded(bytes: Buffer, folder: string): StoredSnapshot {
  try {
    return { folder, manifest: decodeManifest(bytes, folder) };
  } catch (error) {
    if (!(error instanceof CrawlstreamError)) throw error;
    return { folder, error };
  }
}
