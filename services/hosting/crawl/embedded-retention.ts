/**
 * Retention of a crawl in one process: its snapshots, and `--keep`.
 *
 * Topics with a retention time lose records by age alone. The changelog and its inputs lose old records only if the
 * oldest whole snapshot covers them (services/frontier/snapshots/trim.ts). Without a snapshot, they keep all.
 */
import { topicNames, topics } from '../../../topology/topics.ts';
import type { SnapshotRepository } from '../../frontier/snapshots/snapshot-repository.ts';
import { trimBelowSnapshots } from '../../frontier/snapshots/trim.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Service } from '../../runtime/metrics/service.ts';
import type { WholeLog } from '../connect/folder-log.ts';
import type { SnapshotRoleFlags } from '../options/snapshots.ts';
import { createSnapshotMeter } from '../state/snapshot-meter.ts';
import { takeSnapshots } from '../state/snapshot-schedule.ts';

export interface Retention {
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly log: WholeLog['log'];
  readonly codec: RecordCodec;
  readonly repository: SnapshotRepository;
  readonly snapshots: SnapshotRoleFlags;
  /** null: everything is kept. */
  readonly keepMs: number | null;
  onNotice(text: string): void;
  /** Gets the progress of snapshots. */
  readonly service: Pick<Service, 'sources'>;
}

const expireEveryMs = 60_000;

export function snapshotPlace({ folder, snapshots }: Pick<Retention, 'folder' | 'snapshots'>): string {
  return snapshots.snapshotTo ?? folder.part('snapshots');
}

/** Applies `--keep` once a minute. If the snapshots' store is unreachable, the next round tries it again. */
export async function expireRegularly(kept: Retention, signal: AbortSignal): Promise<void> {
  const { clock, keepMs, onNotice } = kept;
  while (keepMs !== null && !signal.aborted) {
    const beforeMs = clock.nowMs() - keepMs;
    await expireByAge(kept, beforeMs);
    await trim(kept, beforeMs).catch((error: Error) => onNotice(`old records could not be trimmed: ${error.message}`));
    await clock.sleepUntil(clock.nowMs() + expireEveryMs, signal);
  }
}

async function expireByAge({ log, folder }: Retention, beforeMs: number): Promise<void> {
  const { crawl, partitions } = folder.manifest;
  for (const topic of topicNames) {
    if (topics[topic].retention !== 'time') continue;
    for (let partition = 0; partition < partitions; partition++) {
      await log.expire?.(`${crawl}.${topic}`, partition, beforeMs);
    }
  }
}

async function trim(kept: Retention, olderThanMs: number): Promise<void> {
  const { crawl, partitions } = kept.folder.manifest;
  for (let partition = 0; partition < partitions; partition++) {
    const identity = { crawl, partition, partitions };
    await trimBelowSnapshots({ ...kept, identity, kept: kept.snapshots.snapshotsKept, olderThanMs });
  }
}

export async function snapshotsBeside(kept: Retention, signal: AbortSignal): Promise<void> {
  const { folder, clock, snapshots, onNotice: say } = kept;
  const { snapshotEvery: everyMs, snapshotsKept } = snapshots;
  if (everyMs === undefined) return;
  const args = ['--data', folder.path, '--to', snapshotPlace(kept), '--keep', `${snapshotsKept}`];
  const meter = createSnapshotMeter(everyMs, clock);
  kept.service.sources.add(meter.metrics);
  await takeSnapshots({ everyMs, clock, arguments: () => args, say, meter }, signal);
}
