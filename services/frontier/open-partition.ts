/**
 * Opens a partition: loads its view, claims it, and replays the changelog up to the claim.
 *
 * The claim's own offset is the new epoch; whatever an earlier owner still writes after it is void for every reader.
 * A view that disagrees with the changelog, or leads to another state than a check on the way tells, is discarded and
 * rebuilt from the changelog's beginning. DESIGN §4.2–4.3, §4.14.
 */
import { randomBytes } from 'node:crypto';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { Claim } from '../../topology/frontier/changelog.ts';
import { decodeChangelog, encodeClaim } from '../../topology/frontier/changelog.ts';
import type { PartitionIdentity } from '../../topology/frontier/decision.ts';
import { FrontierPartition } from '../../topology/frontier/partition.ts';
import type { SeenConfig } from '../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey } from '../../topology/frontier/state.ts';
import { FrontierState } from '../../topology/frontier/state.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log, LogRecord } from '../runtime/log/log.ts';
import { recordsOf } from '../runtime/log/records-of.ts';
import type { StateStore } from '../runtime/store/store.ts';
import { runJob } from './job-runner.ts';
import { clearView, loadView } from './load-view.ts';
import { changelogTopic, type RestoreProgress, restore } from './restore.ts';

export interface OpenPartition {
  readonly log: Log;
  readonly store: StateStore;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  readonly seen?: SeenConfig | undefined;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** A state that has followed the changelog up to here; the store has its view. Absent: the store's view is loaded. */
  readonly warm?: FrontierState | undefined;
  /** True where the fetchers of earlier owners are known to be gone: the embedded log. */
  readonly endsLeases: boolean;
  /** Names the claim. Absent: 128 random bits. */
  readonly nonce?: () => string;
  readonly onProgress?: (progress: RestoreProgress) => void;
  /** Aborted: the partition is not wanted any more. */
  readonly signal?: AbortSignal;
}

export async function openPartition(options: OpenPartition): Promise<FrontierPartition> {
  const { log, identity, endsLeases } = options;
  const topic = changelogTopic(identity.crawl);
  const nonce = options.nonce?.() ?? randomBytes(16).toString('hex');
  let state = options.warm ?? (await startState(options));
  // The clock never goes back behind what was decided: the claim says when this owner began.
  const last = await log.last(topic, identity.partition);
  const nowMs = Math.max(options.clock.nowMs(), last === undefined ? 0 : decodeChangelog(last.value).nowMs);
  const claim: Claim = { kind: 'claim', nonce, nowMs, endsLeases };
  const [claimOffset] = await log.append([
    { topic, partition: identity.partition, key: null, value: encodeClaim(claim) },
  ]);
  const to = claimOffset! + 1;
  const began = state.changelog.offset;
  const isDone = await restore({ ...options, state, to }).catch(async (error) => {
    // The view was wrong from the start, or the replay is: the changelog from its beginning tells.
    if (!(error instanceof CrawlstreamError && error.code === 'STATE_DIVERGED') || began === 0) throw error;
    await clearView(options.store);
    state = new FrontierState(options.key, options.seen);
    return restore({ ...options, state, to });
  });
  if (!isDone)
    throw new CrawlstreamError('OWNERSHIP_LOST', `partition ${identity.partition} was let go while it opened`);
  if (state.changelog.epoch !== claimOffset) throw lost(identity.partition);
  const partition = new FrontierPartition(identity, state);
  await runJob(options.store, partition.reads());
  return partition;
}

/** The state to go on from: of the store's view if that agrees with the changelog, else of the changelog's beginning. */
export async function startState({
  log,
  store,
  identity,
  key,
  seen,
}: Pick<OpenPartition, 'log' | 'store' | 'identity' | 'key' | 'seen'>): Promise<FrontierState> {
  const topic = changelogTopic(identity.crawl);
  const loaded = await loadView(store, key, seen);
  if (loaded !== undefined && (await agrees(log, topic, identity.partition, loaded))) return loaded;
  const state = new FrontierState(key, seen);
  // Throws where the changelog has lost its beginning: what cannot be restored is not claimed.
  await agrees(log, topic, identity.partition, state);
  await clearView(store);
  return state;
}

/** Does the record before the view's position say what the view says? */
async function agrees(log: Log, topic: string, partition: number, state: FrontierState): Promise<boolean> {
  const { offset, epoch, seq } = state.changelog;
  const { start, end } = await log.offsets(topic, partition);
  if (Math.max(offset, state.ahead.until) > end) return false;
  if (offset < start) {
    throw new CrawlstreamError(
      'OFFSET_OUT_OF_RANGE',
      `partition ${partition} needs its changelog from ${offset}, which begins at ${start}: restore it from a snapshot`,
    );
  }
  if (offset === start) return true;
  let record: LogRecord | undefined;
  for await (const one of recordsOf(log, topic, partition, offset - 1, offset)) record = one;
  if (record === undefined) return false;
  const decoded = decodeChangelog(record.value);
  if (decoded.kind === 'claim') return record.offset === epoch;
  return decoded.epoch !== epoch || decoded.seq <= seq;
}

export function lost(partition: number, cause?: unknown): CrawlstreamError {
  return new CrawlstreamError('OWNERSHIP_LOST', `another owner has claimed partition ${partition}`, cause);
}
