/**
 * Rebuilds a partition's state from its changelog, into an empty store, while another process may own it: from the
 * changelog's first record, or from a snapshot and what comes after it.
 *
 * It claims nothing and changes nothing but the store.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { readLeases } from '../../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../../topology/frontier/checkpoint/save-checkpoint.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey, FrontierState } from '../../../topology/frontier/state/state.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from '../restore/job-runner.ts';
import { changelogTopic, type RestoreProgress } from '../restore/restore.ts';
import { bringUp, firstOf } from './bring-up.ts';
import { type StartingStates, startingStates } from './starting-states.ts';

export interface Rebuild {
  readonly log: Pick<Log, 'reader' | 'offsets'>;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  readonly seen?: SeenConfig | undefined;
  /** Empty. */
  readonly store: StateStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Snapshots to begin with, rather than with the changelog's first record. Absent: none. */
  readonly repository?: StartingStates['repository'];
  readonly onNotice?: StartingStates['onNotice'];
  /** Offset of the first record that is not applied. Absent: to the current end. */
  readonly to?: number;
  readonly onProgress?: (progress: RestoreProgress) => void;
}

/** Throws CHANGELOG_GAP if the changelog ends before `to`, OFFSET_OUT_OF_RANGE if no starting state reaches it. */
export async function rebuild(options: Rebuild): Promise<FrontierState> {
  const { log, identity, store } = options;
  const { end } = await log.offsets(changelogTopic(identity.crawl), identity.partition);
  const to = options.to ?? end;
  if (to > end) {
    const message = `the changelog of partition ${identity.partition} ends at ${end}, before ${to}`;
    throw new CrawlstreamError('CHANGELOG_GAP', message);
  }
  const candidates = startingStates({ ...options, to });
  const state = (await bringUp(await firstOf(candidates), candidates, { ...options, to }))!;
  await runJob(store, readLeases(state));
  await runJob(store, saveCheckpoint(state));
  return state;
}
