/**
 * The states from which a partition can be restored, the best first: the checkpoint in its folder, the snapshots, the
 * changelog from its beginning.
 *
 * A checkpoint or a snapshot is usable if the changelog still contains the records that it was built from, and
 * continues from there (stands-in-log.ts). If one proves wrong later, by the checks in the changelog, the next one is
 * tried. Each one that is skipped is reported.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { changelogStart, isResetRecord, readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { aheadKey, readAhead } from '../../../topology/frontier/checkpoint/checkpoint.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey } from '../../../topology/frontier/state/state.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { clearCheckpoint, loadCheckpoint } from '../restore/load-checkpoint.ts';
import { changelogTopic } from '../restore/restore.ts';
import { missingFrom } from '../restore/stands-in-log.ts';
import { restoreSnapshot } from '../snapshots/restore-snapshot.ts';
import type { SnapshotRepository, StoredSnapshot } from '../snapshots/snapshot-repository.ts';

export interface StartingStates {
  readonly log: Pick<Log, 'reader' | 'offsets'>;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  readonly seen?: SeenConfig | undefined;
  /** The store of the checkpoint. It is rewritten to contain the returned state. */
  readonly store: StateStore;
  /** Absent: there are none. */
  readonly repository?: Pick<SnapshotRepository, 'list' | 'rows'> | undefined;
  /** The first record of the changelog that is not wanted. Absent: all are. */
  readonly to?: number;
  /** Called with a line about each skipped state, and the one used instead. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/**
 * Yields starting states; ask for the next one if the last proved wrong. Throws OFFSET_OUT_OF_RANGE when none is
 * left.
 */
export async function* startingStates(options: StartingStates): AsyncGenerator<FrontierState> {
  const { identity, store, key, seen } = options;
  let kept: KeptCheckpoint | undefined = await keptCheckpoint(options);
  const { reached } = kept;
  if (kept.state !== undefined) yield kept.state;
  // The state may be large, so drop it before the next one is loaded.
  kept = undefined;
  yield* fromRepository(options);
  const { start } = await options.log.offsets(changelogTopic(identity.crawl), identity.partition);
  if (start > 0 && !(await isReset(options, start))) throw nothingLeft(options, start, reached);
  await clearCheckpoint(store);
  const state = new FrontierState(key, seen);
  state.changelog = { ...changelogStart, offset: start };
  yield state;
}

export interface KeptCheckpoint {
  /** The state of the checkpoint. Undefined: there is none, or it is unusable. */
  readonly state: FrontierState | undefined;
  /** Its position; 0: there is none. */
  readonly reached: number;
}

/** The checkpoint in the folder. */
export async function keptCheckpoint(options: StartingStates): Promise<KeptCheckpoint> {
  const { store, identity, onNotice } = options;
  const state = await loaded(options);
  if (state === undefined) return { state, reached: 0 };
  const reached = state.changelog.offset;
  const needed = Math.max(reached, state.ahead.until);
  if (!(await leadsOn(options, needed, reached))) return { state: undefined, reached };
  const row = needed > reached ? await store.get(aheadKey) : undefined;
  const ahead = { offset: needed, epoch: needed, seq: 0, read: row === undefined ? null : readAhead(row) };
  const found = (await missingFrom(options, state.changelog)) ?? (await missingFrom(options, ahead));
  if (found === null) return { state, reached };
  onNotice?.(
    `partition ${identity.partition}: the state in its folder was built from changelog records up to ${reached} ` +
      `that no longer exist (${found}): the log lost acknowledged records; rebuilding the state`,
  );
  return { state: undefined, reached };
}

/** An unreadable checkpoint is useless: the log has everything. */
async function loaded({ store, key, seen, identity, onNotice }: StartingStates): Promise<FrontierState | undefined> {
  try {
    return await loadCheckpoint(store, key, seen);
  } catch (error) {
    if (!(error instanceof CrawlstreamError && error.code === 'INVALID_RECORD')) throw error;
    onNotice?.(`partition ${identity.partition}: ${error.message}; rebuilding now`);
    return undefined;
  }
}

async function* fromRepository(options: StartingStates): AsyncGenerator<FrontierState> {
  const { repository, identity, store, key, seen, onNotice } = options;
  if (repository === undefined) return;
  for (const { folder, manifest, error } of await listed(options, repository)) {
    if (manifest === undefined) {
      onNotice?.(`${error.message}: trying an earlier one`);
      continue;
    }
    if (!(await leadsOn(options, manifest.position, manifest.position))) continue;
    const { position: offset, epoch, seq, read = null } = manifest;
    const found = await missingFrom(options, { offset, epoch, seq, read });
    if (found !== null) {
      const what = `snapshot ${folder} was taken from changelog records that no longer exist (${found}): trying an earlier one`;
      onNotice?.(`partition ${identity.partition}: ${what}`);
      continue;
    }
    let state: FrontierState;
    try {
      state = await restoreSnapshot(repository, manifest, store, key, seen);
    } catch (cause) {
      if (!(cause instanceof CrawlstreamError && cause.code === 'SNAPSHOT_DAMAGED')) throw cause;
      onNotice?.(`${cause.message}: trying an earlier one`);
      continue;
    }
    onNotice?.(`partition ${identity.partition} restored from snapshot ${folder}`);
    yield state;
  }
}

/** Waits for a repository that is away, unless the changelog alone is enough. */
async function listed(
  { log, identity, onNotice }: StartingStates,
  repository: Pick<SnapshotRepository, 'list'>,
): Promise<StoredSnapshot[]> {
  try {
    return await repository.list(identity);
  } catch (error) {
    const { start } = await log.offsets(changelogTopic(identity.crawl), identity.partition);
    if (start > 0) throw error;
    onNotice?.(`${(error as Error).message}: continuing without snapshots, since the changelog is complete`);
    return [];
  }
}

/** Does the changelog go on from there? `needed`: the furthest offset of it that is known. */
async function leadsOn({ log, identity, to }: StartingStates, needed: number, offset: number): Promise<boolean> {
  const { start, end } = await log.offsets(changelogTopic(identity.crawl), identity.partition);
  if (offset < start || (to !== undefined && needed > to)) return false;
  // The state is ahead of the log: use it, because the log's content is checked next, and the loss is reported.
  if (needed > end) return true;
  return offset > start || !(await isReset({ log, identity }, start));
}

/** Returns whether the partition was reset here, which makes every earlier state void, wherever it is stored. */
async function isReset({ log, identity }: Pick<StartingStates, 'log' | 'identity'>, start: number): Promise<boolean> {
  const topic = changelogTopic(identity.crawl);
  const { end } = await log.offsets(topic, identity.partition);
  for await (const { value } of recordsOf(log, topic, identity.partition, start, Math.min(end, start + 1)))
    return isResetRecord(readChangelog(value));
  return false;
}

function nothingLeft({ identity, repository }: StartingStates, start: number, offset: number): CrawlstreamError {
  const { partition, partitions } = identity;
  // The states of other partitions stay where they are: only this one's is replaced.
  const goOn =
    partitions === 1
      ? 'then start with that folder'
      : `stop this frontier, replace its state/${partition} with that of the folder, and start it again`;
  const rebuild = `crawlstream state rebuild --from-inputs --partition ${partition} --into <folder>, ${goOn}`;
  const remedy =
    repository === undefined
      ? `give the place of the snapshots (--snapshots or --snapshot-to), or run ${rebuild}`
      : `no usable snapshot reaches that offset; run ${rebuild}`;
  const message = `partition ${partition} needs its changelog from offset ${offset}, but it begins at ${start}: ${remedy}`;
  return new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
}
