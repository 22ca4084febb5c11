/**
 * Brings a partition's state up to a point of its changelog, and its checkpoint with it, a slice at a time.
 *
 * Other partitions of the process work on between the slices; the checkpoint is the replayer's to write.
 */

import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { frontierServiceLimits } from '../service-limits.ts';
import { changelogTopic } from './changelog-topic.ts';
import { Replayer } from './replayer.ts';

export { changelogTopic };

/** Progress of the restore of a partition, in records of its changelog. */
export interface RestoreProgress {
  readonly partition: number;
  readonly records: number;
  readonly recordsTotal: number;
  /** URLs in the state so far. */
  readonly urls: number;
  readonly elapsedMs: number;
  /** Remaining time at the rate so far, ms. 0: finished. */
  readonly leftMs: number;
}

export interface Restore {
  readonly log: Pick<Log, 'reader' | 'offsets'>;
  readonly identity: PartitionIdentity;
  readonly state: FrontierState;
  /** Store of the checkpoint. */
  readonly store: StateStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Offset of the first record that is not applied. */
  readonly to: number;
  /** Called after each slice of a restore that takes long enough to wait for, and at its end. */
  readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Bytes of changelog between two writes of the checkpoint. Absent: 64 MiB. */
  readonly saveBytes?: number;
}

/** Returns, in words, why a service that restores these partitions is not ready; null: it is ready. */
export function waitsForText(partitions: readonly number[]): string | null {
  if (partitions.length === 0) return null;
  return `restoring partition${partitions.length === 1 ? '' : 's'} ${partitions.join(', ')}`;
}

/** Returns false if the signal aborted. Throws the errors of `replay` if the changelog cannot be followed. */
export async function restore({
  log,
  identity,
  state,
  store,
  clock,
  to,
  onProgress,
  signal,
  saveBytes = frontierServiceLimits.restoreSaveBytes,
}: Restore): Promise<boolean> {
  const from = state.changelog.offset;
  const beganMs = clock.nowMs();
  let [reportedMs, sliceBytes, reports] = [beganMs, 0, false];
  const report = (nowMs: number) => {
    const [records, recordsTotal, elapsedMs] = [state.changelog.offset - from, to - from, nowMs - beganMs];
    const leftMs = Math.round((elapsedMs * (recordsTotal - records)) / Math.max(1, records));
    const { partition } = identity;
    onProgress?.({ partition, records, recordsTotal, urls: state.counters.admitted, elapsedMs, leftMs });
    reportedMs = nowMs;
    reports = true;
  };
  const { restoreSliceBytes, restoreReportMs } = frontierServiceLimits;
  const topic = changelogTopic(identity.crawl);
  const replayer = new Replayer({ log, identity }, state, store, saveBytes);
  for await (const record of recordsOf(log, topic, identity.partition, from, to)) {
    if (signal?.aborted) return false;
    await replayer.take(record);
    sliceBytes += record.value.length;
    if (sliceBytes < restoreSliceBytes) continue;
    sliceBytes = 0;
    const nowMs = clock.nowMs();
    if (nowMs - reportedMs >= restoreReportMs) report(nowMs);
    await turnOfOthers();
  }
  if (reports) report(clock.nowMs());
  return true;
}
