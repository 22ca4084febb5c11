/**
 * Copies a snapshot into a partition's store, and verifies it: hashes of the files while they are read, and the
 * digest of the state afterwards.
 *
 * The row that completes a checkpoint (`metaKey`) is written last, and synced: a kill on the way leaves a folder
 * without a checkpoint, and the next start begins again.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { digest, earlierDigest } from '../../../topology/frontier/check/digest.ts';
import { metaKey } from '../../../topology/frontier/checkpoint/checkpoint.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey, FrontierState } from '../../../topology/frontier/state/state.ts';
import type { StateStore, StoreOp } from '../../runtime/store/store.ts';
import { clearCheckpoint, loadCheckpoint } from '../restore/load-checkpoint.ts';
import { damaged, type SnapshotManifest } from './manifest.ts';
import { snapshotLimits } from './snapshot-limits.ts';
import type { SnapshotRepository } from './snapshot-repository.ts';

/** Throws SNAPSHOT_DAMAGED, and leaves no checkpoint, if the state is not the one that was saved. */
export async function restoreSnapshot(
  repository: Pick<SnapshotRepository, 'rows'>,
  manifest: SnapshotManifest,
  store: StateStore,
  key: FingerprintKey,
  seen?: SeenConfig,
): Promise<FrontierState> {
  await clearCheckpoint(store);
  let meta: StoreOp | undefined;
  for await (const rows of repository.rows(manifest)) {
    let [batch, bytes]: [StoreOp[], number] = [[], 0];
    for (const [rowKey, value] of rows) {
      const row = { key: rowKey, value };
      if (rowKey.equals(metaKey)) meta = row;
      else batch.push(row);
      bytes += rowKey.length + value.length;
      if (bytes < snapshotLimits.restoreBatchBytes) continue;
      await store.write(batch);
      [batch, bytes] = [[], 0];
    }
    await store.write(batch);
  }
  if (meta === undefined) throw damaged(manifest.folder, 'its position is missing');
  await store.write([meta], { sync: true });
  try {
    return await loaded(manifest, store, key, seen);
  } catch (error) {
    await clearCheckpoint(store);
    throw error;
  }
}

async function loaded(
  manifest: SnapshotManifest,
  store: StateStore,
  key: FingerprintKey,
  seen: SeenConfig | undefined,
): Promise<FrontierState> {
  const { folder } = manifest;
  let state: FrontierState | undefined;
  try {
    state = await loadCheckpoint(store, key, seen);
  } catch (error) {
    const isOfRows = error instanceof CrawlstreamError && ['INVALID_RECORD', 'UNSUPPORTED'].includes(error.code);
    throw isOfRows ? damaged(folder, error.message, error) : error;
  }
  if (state === undefined) throw damaged(folder, 'its rows were written by another release');
  if (state.changelog.offset !== manifest.position)
    throw damaged(folder, `its state is at offset ${state.changelog.offset}`);
  const found = digest(state);
  if (found !== manifest.digest && earlierDigest(state) !== manifest.digest)
    throw damaged(folder, `its state has digest ${found}, not ${manifest.digest}`);
  return state;
}
