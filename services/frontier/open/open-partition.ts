/**
 * Opens a partition: loads its checkpoint, replays the changelog to its end, claims it, and replays up to the claim.
 *
 * The offset of the claim is the new epoch; later records of an earlier owner are void for every reader. At a claim,
 * every reader looks in the log for the newest records that it has read, because the log may have lost them. A
 * checkpoint is discarded if it disagrees with the changelog, or leads to a state that differs from a check on the
 * way: the newest snapshot replaces it, or the changelog from its beginning (starting-states.ts). docs/design.md
 * §4.2–4.3, §4.14.
 */
import { randomBytes } from 'node:crypto';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Claim } from '../../../topology/frontier/changes/changelog.ts';
import { encodeClaim } from '../../../topology/frontier/changes/changelog.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey, FrontierState } from '../../../topology/frontier/state/state.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log/log.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { runJob } from '../restore/job-runner.ts';
import { changelogTopic, type RestoreProgress } from '../restore/restore.ts';
import type { SnapshotRepository } from '../snapshots/snapshot-repository.ts';
import { bringUp, firstOf } from './bring-up.ts';
import { startingStates } from './starting-states.ts';

export interface OpenPartition {
  readonly log: Log;
  readonly store: StateStore;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  readonly seen?: SeenConfig | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A state that has followed the changelog up to here; the store has its checkpoint. Absent: the store's checkpoint is loaded. */
  readonly warm?: FrontierState | undefined;
  /** True if the fetchers of earlier owners are known to be gone: the embedded log. */
  readonly endsLeases: boolean;
  /** Names the claim. Absent: 128 random bits. */
  readonly nonce?: () => string;
  readonly onProgress?: (progress: RestoreProgress) => void;
  /** Snapshots to restore from if the checkpoint is unusable. Absent: there are none. */
  readonly repository?: Pick<SnapshotRepository, 'list' | 'rows'> | undefined;
  /** Called with a line for each checkpoint or snapshot that was skipped. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** Aborted when this process is not to have the partition any more. */
  readonly signal?: AbortSignal;
}

export async function openPartition(options: OpenPartition): Promise<FrontierPartition> {
  const { log, identity, endsLeases } = options;
  const topic = changelogTopic(identity.crawl);
  const nonce = options.nonce?.() ?? randomBytes(16).toString('hex');
  const candidates = startingStates(options);
  // Throws if the state cannot be restored: such a partition is not claimed.
  const first = options.warm ?? (await firstOf(candidates));
  const { end } = await log.offsets(topic, identity.partition);
  const before = await reach(options, first, candidates, end);
  // The clock never goes back behind earlier decisions. The claim records when this owner began.
  const nowMs = Math.max(options.clock.nowMs(), before.nowMs);
  const { epoch, seq, counted } = before.changelog;
  const claim: Claim = { kind: 'claim', nonce, nowMs, endsLeases, after: { epoch, seq, counted } };
  const [claimOffset] = await log.append([
    { topic, partition: identity.partition, key: null, value: encodeClaim(claim) },
  ]);
  const to = claimOffset! + 1;
  // Checks again, in case the log has lost records meanwhile: the claim fixes its content.
  const state = await reach(options, before, startingStates(options), to);
  if (state.changelog.epoch !== claimOffset) throw lost(identity.partition);
  const partition = new FrontierPartition(identity, state);
  await runJob(options.store, partition.reads());
  return partition;
}

/**
 * Throws OWNERSHIP_LOST, which is retriable, if the partition is no longer wanted, or if the log has lost records on
 * the way.
 */
async function reach(
  options: OpenPartition,
  first: FrontierState,
  candidates: AsyncIterator<FrontierState, void>,
  to: number,
): Promise<FrontierState> {
  const { log, identity } = options;
  const { crawl, partition } = identity;
  let state: FrontierState | undefined;
  try {
    state = await bringUp(first, candidates, { ...options, to });
  } catch (error) {
    const { end } = await log.offsets(changelogTopic(crawl), partition);
    const isLost = error instanceof CrawlstreamError && error.code === 'LOG_TRUNCATED';
    throw isLost || end < to ? lostRecords(partition, end, to - 1) : error;
  }
  if (state === undefined) throw letGo(partition);
  return state;
}

function letGo(partition: number): CrawlstreamError {
  return new CrawlstreamError('OWNERSHIP_LOST', `partition ${partition} was released while it was opening`);
}

/** Throws LOAD_UNFINISHED: after a load that was cut off, the partition may not be decided on. */
export function needLoaded(partition: number, { load }: FrontierState): void {
  if (load.isDone) return;
  const remedy = 'run the same crawlstream load command again, or load into another crawl';
  const message = `partition ${partition} has an incompletely loaded dump: ${remedy}`;
  throw new CrawlstreamError('LOAD_UNFINISHED', message);
}

export function lost(partition: number, cause?: unknown): CrawlstreamError {
  return new CrawlstreamError('OWNERSHIP_LOST', `another owner has claimed partition ${partition}`, cause);
}

/** Retriable: the next owner rebuilds the partition's state from the log. */
export function lostRecords(partition: number, end: number, acked: number): CrawlstreamError {
  const what = `the changelog of partition ${partition} ends at ${end}, but records up to ${acked} were acknowledged`;
  return new CrawlstreamError(
    'OWNERSHIP_LOST',
    `${what}: records are lost; the partition is rebuilt from the remaining ones`,
  );
}
