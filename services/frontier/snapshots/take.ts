/**
 * Takes a snapshot of a partition beside its owner, without delaying the owner.
 *
 * The owner's checkpoint is fuzzy (topology/frontier/checkpoint/save-checkpoint.ts): a replay can continue from it, but
 * its rows are from several moments. So the snapshot reads the checkpoint, brings it to the present end of the
 * changelog in memory, and only then writes it: the snapshot and its digest have one position. The written files are
 * read back before the manifest is written. A kill before that leaves unused files.
 */

import { digest } from '../../../topology/frontier/check/digest.ts';
import { checkpointVersion } from '../../../topology/frontier/checkpoint/checkpoint.ts';
import { readLeases } from '../../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../../topology/frontier/checkpoint/save-checkpoint.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from '../restore/job-runner.ts';
import { damaged, newFolder, type SnapshotManifest } from './manifest.ts';
import { rowFiles } from './row-files.ts';
import { snapshotLimits } from './snapshot-limits.ts';
import { type SnapshotRepository, sha256Of } from './snapshot-repository.ts';

export interface TakeSnapshot {
  readonly identity: PartitionIdentity;
  /** The state, at the position of the snapshot. */
  readonly state: FrontierState;
  /** The checkpoint of the state; changes that it lacks are written to it first. */
  readonly store: StateStore;
  readonly repository: SnapshotRepository;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Version of the program. */
  readonly takenBy: string;
  /** Bytes of rows in a file. Absent: 8 MiB. */
  readonly fileBytes?: number;
}

const allRows = { gte: Buffer.from([0]), lt: Buffer.from([0xff]) };

/** Throws SNAPSHOT_DAMAGED if the files read back differ from those written. */
export async function takeSnapshot(options: TakeSnapshot): Promise<SnapshotManifest> {
  const { identity, state, store, repository, clock } = options;
  await runJob(store, readLeases(state));
  await runJob(store, saveCheckpoint(state));
  const { offset, epoch, seq, read } = state.changelog;
  const nowMs = clock.nowMs();
  const folder = newFolder(identity, offset, nowMs);
  const files: SnapshotManifest['files'] = [];
  for await (const { bytes, rows } of rowFiles(store.scan(allRows), options.fileBytes ?? snapshotLimits.fileBytes)) {
    const name = `rows-${files.length}.gz`;
    await repository.objects.put(`${folder}${name}`, bytes);
    files.push({ name, bytes: bytes.length, sha256: sha256Of(bytes), rows });
  }
  const { control, results, discovered } = state.positions;
  const manifest: SnapshotManifest = {
    format: 1,
    crawl: identity.crawl,
    crawlId: repository.crawlId,
    partition: identity.partition,
    partitions: identity.partitions,
    position: offset,
    epoch,
    seq,
    read,
    inputs: { control, results, discovered },
    digest: digest(state),
    checkpointVersion,
    policyVersion: state.policyVersion,
    urls: state.counters.admitted,
    leasesEndMs: leasesEndMs(state),
    takenAt: new Date(nowMs).toISOString(),
    takenBy: options.takenBy,
    files,
    folder,
  };
  await repository.verify(manifest);
  await repository.seal(manifest);
  const back = (await repository.list(identity)).find((one) => one.folder === folder);
  if (back?.manifest === undefined) throw back?.error ?? damaged(folder, 'its manifest cannot be read back');
  return back.manifest;
}

function leasesEndMs({ leases, nowMs }: FrontierState): number {
  let latestMs = nowMs;
  for (const { deadlineMs } of leases.values()) latestMs = Math.max(latestMs, deadlineMs);
  return latestMs;
}
