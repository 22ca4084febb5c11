/**
 * Brings a partition's state up to a point of its changelog, and its view with it, a slice at a time.
 *
 * Invariants: the view is written as of a record that was replayed, so a kill at any point leaves a view to go on from;
 * what waits to be written is bounded, whatever the length of the changelog, and left to the caller at the end. Other
 * partitions of the process work on between the slices.
 */

import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { CrawlstreamError } from '../../topology/errors.ts';
import { type Claim, type Commit, decodeChangelog } from '../../topology/frontier/changelog.ts';
import type { PartitionIdentity } from '../../topology/frontier/decision.ts';
import { replay } from '../../topology/frontier/partition.ts';
import { readLeases } from '../../topology/frontier/read-rows.ts';
import { saveView } from '../../topology/frontier/save-view.ts';
import type { FrontierState } from '../../topology/frontier/state.ts';
import { frontierServiceLimits } from '../../topology/limits.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log/log.ts';
import { recordsOf } from '../runtime/log/records-of.ts';
import type { StateStore } from '../runtime/store/store.ts';
import { runJob } from './job-runner.ts';

/** How far the restore of a partition has come, in records of its changelog. */
export interface RestoreProgress {
  readonly partition: number;
  readonly records: number;
  readonly recordsTotal: number;
  /** URLs in the state so far. */
  readonly urls: number;
  readonly elapsedMs: number;
  /** At the pace so far. 0: done. */
  readonly leftMs: number;
}

export interface Restore {
  readonly log: Pick<Log, 'reader'>;
  readonly identity: PartitionIdentity;
  readonly state: FrontierState;
  /** Where the view is kept. */
  readonly store: StateStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The first record that is not wanted. */
  readonly to: number;
  /** Told after each slice that takes long enough to wait for, and at the end of such a restore. */
  readonly onProgress?: ((progress: RestoreProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Changelog between two writes of the view. Absent: 64 MiB. */
  readonly saveBytes?: number;
}

export function changelogTopic(crawl: string): string {
  return `${crawl}.frontier-changelog`;
}

/** What a service waits for while it restores these; null: nothing. */
export function waitsForText(partitions: readonly number[]): string | null {
  if (partitions.length === 0) return null;
  return `restoring partition${partitions.length === 1 ? '' : 's'} ${partitions.join(', ')}`;
}

/** False: the signal aborted. Throws what `replay` throws on a changelog that can't be followed. */
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
  let [toldMs, sliceBytes, unsavedBytes, tells] = [beganMs, 0, 0, false];
  const tell = (nowMs: number) => {
    const [records, recordsTotal, elapsedMs] = [state.changelog.offset - from, to - from, nowMs - beganMs];
    const leftMs = Math.round((elapsedMs * (recordsTotal - records)) / Math.max(1, records));
    const { partition } = identity;
    onProgress?.({ partition, records, recordsTotal, urls: state.counters.admitted, elapsedMs, leftMs });
    toldMs = nowMs;
    tells = true;
  };
  const { restoreSliceBytes, restoreTellMs } = frontierServiceLimits;
  const topic = changelogTopic(identity.crawl);
  for await (const { offset, value } of recordsOf(log, topic, identity.partition, from, to)) {
    if (signal?.aborted) return false;
    const record = decodeChangelog(value);
    // What comes back into the queue has to be known.
    if (record.kind === 'claim' && record.endsLeases) await runJob(store, readLeases(state));
    apply(identity.partition, state, offset, record);
    sliceBytes += value.length;
    unsavedBytes += value.length;
    // A long replay fills the seen test's table as ingest does.
    const job = state.seen.stalled ? state.seen.work(false) : null;
    if (job !== null) await runJob(store, job);
    if (unsavedBytes >= saveBytes && !state.isAhead) {
      await runJob(store, readLeases(state));
      await runJob(store, saveView(state));
      unsavedBytes = 0;
    }
    if (sliceBytes < restoreSliceBytes) continue;
    sliceBytes = 0;
    const nowMs = clock.nowMs();
    if (nowMs - toldMs >= restoreTellMs) tell(nowMs);
    await turnOfOthers();
  }
  if (tells) tell(clock.nowMs());
  return true;
}

/** Throws STATE_DIVERGED, and says of which partition. */
function apply(partition: number, state: FrontierState, offset: number, record: Claim | Commit): void {
  try {
    replay(state, offset, record);
  } catch (error) {
    if (!(error instanceof CrawlstreamError && error.code === 'STATE_DIVERGED')) throw error;
    const remedy = 'delete its state folder, and if that does not help, report it with the changelog';
    throw new CrawlstreamError('STATE_DIVERGED', `partition ${partition}: ${error.message}: ${remedy}`, error);
  }
}
