/**
 * Rebuilds a partition's state from its changelog alone, into an empty store, beside whoever owns it.
 *
 * It claims nothing and changes nothing but the store. The changelog must reach back to its first record.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import type { PartitionIdentity } from '../../topology/frontier/decision.ts';
import { readLeases } from '../../topology/frontier/read-rows.ts';
import { saveView } from '../../topology/frontier/save-view.ts';
import type { SeenConfig } from '../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey } from '../../topology/frontier/state.ts';
import { FrontierState } from '../../topology/frontier/state.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log/log.ts';
import type { StateStore } from '../runtime/store/store.ts';
import { runJob } from './job-runner.ts';
import { changelogTopic, type RestoreProgress, restore } from './restore.ts';

export interface Rebuild {
  readonly log: Pick<Log, 'reader' | 'offsets'>;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  readonly seen?: SeenConfig | undefined;
  /** Empty. */
  readonly store: StateStore;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The first record that is not wanted. Absent: to the end, as it is now. */
  readonly to?: number;
  readonly onProgress?: (progress: RestoreProgress) => void;
}

/** Throws CHANGELOG_GAP where the changelog no longer begins at its beginning, or ends before `to`. */
export async function rebuild(options: Rebuild): Promise<FrontierState> {
  const { log, identity, store } = options;
  const { start, end } = await log.offsets(changelogTopic(identity.crawl), identity.partition);
  const to = options.to ?? end;
  if (start > 0) throw gap(identity.partition, `begins at ${start}: what came before has been trimmed`);
  if (to > end) throw gap(identity.partition, `ends at ${end}, before ${to}`);
  const state = new FrontierState(options.key, options.seen);
  await restore({ ...options, state, to });
  await runJob(store, readLeases(state));
  await runJob(store, saveView(state));
  return state;
}

function gap(partition: number, what: string): CrawlstreamError {
  return new CrawlstreamError('CHANGELOG_GAP', `the changelog of partition ${partition} ${what}`);
}
