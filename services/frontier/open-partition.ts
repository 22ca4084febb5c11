/**
 * Opens a partition: loads its view, claims it, and replays the changelog up to the claim.
 *
 * The claim's own offset is the new epoch; whatever an earlier owner still writes after it is void for every reader.
 * A view that disagrees with the changelog is discarded and rebuilt from the changelog's beginning. DESIGN §4.2–4.3.
 */
import { randomBytes } from 'node:crypto';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { Claim } from '../../topology/frontier/changelog.ts';
import { decodeChangelog, encodeClaim } from '../../topology/frontier/changelog.ts';
import type { PartitionIdentity } from '../../topology/frontier/decision.ts';
import { FrontierPartition, replay } from '../../topology/frontier/partition.ts';
import type { SeenConfig } from '../../topology/frontier/seen/seen-config.ts';
import type { FingerprintKey } from '../../topology/frontier/state.ts';
import { FrontierState } from '../../topology/frontier/state.ts';
import { loaded, loadRange, loadRow, metaKey, viewVersion } from '../../topology/frontier/view.ts';
import type { Log, LogRecord } from '../runtime/log/log.ts';
import { recordsOf } from '../runtime/log/records-of.ts';
import type { StateStore } from '../runtime/store/store.ts';
import { runJob } from './job-runner.ts';

export interface OpenPartition {
  readonly log: Log;
  readonly store: StateStore;
  readonly identity: PartitionIdentity;
  readonly key: FingerprintKey;
  readonly seen?: SeenConfig | undefined;
  readonly nowMs: number;
  /** True where the fetchers of earlier owners are known to be gone: the embedded log. */
  readonly endsLeases: boolean;
  /** Names the claim. Absent: 128 random bits. */
  readonly nonce?: () => string;
}

export async function openPartition(options: OpenPartition): Promise<FrontierPartition> {
  const { log, identity, endsLeases } = options;
  const topic = changelogTopic(identity.crawl);
  const nonce = options.nonce?.() ?? randomBytes(16).toString('hex');
  let state = await loadView(options);
  if (!(await agrees(log, topic, identity.partition, state))) {
    await clear(options.store);
    state = new FrontierState(options.key, options.seen);
  }
  // The clock never goes back behind what was decided: the claim says when this owner began.
  const last = await log.last(topic, identity.partition);
  const nowMs = Math.max(options.nowMs, last === undefined ? 0 : decodeChangelog(last.value).nowMs);
  const claim: Claim = { kind: 'claim', nonce, nowMs, endsLeases };
  const [claimOffset] = await log.append([
    { topic, partition: identity.partition, key: null, value: encodeClaim(claim) },
  ]);
  await replayTo(options, topic, state, claimOffset!);
  return new FrontierPartition(identity, state);
}

export function changelogTopic(crawl: string): string {
  return `${crawl}.frontier-changelog`;
}

async function loadView({ store, key, seen }: OpenPartition): Promise<FrontierState> {
  const state = new FrontierState(key, seen);
  const meta = await store.get(metaKey);
  if (meta === undefined) return state;
  if (meta[0]! < viewVersion) {
    // Of an older release: the changelog gives it anew.
    await clear(store);
    return state;
  }
  for await (const [rowKey, value] of store.scan(loadRange)) loadRow(state, rowKey, value);
  loaded(state);
  return state;
}

/** Does the record before the view's position say what the view says? */
async function agrees(log: Log, topic: string, partition: number, state: FrontierState): Promise<boolean> {
  const { offset, epoch, seq } = state.changelog;
  const { start, end } = await log.offsets(topic, partition);
  if (offset > end) return false;
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

async function replayTo(options: OpenPartition, topic: string, state: FrontierState, claim: number): Promise<void> {
  const { log, store, identity } = options;
  for await (const record of recordsOf(log, topic, identity.partition, state.changelog.offset, claim + 1)) {
    replay(state, record.offset, decodeChangelog(record.value));
    // A long replay fills the seen test's table as ingest does.
    const job = state.seen.stalled ? state.seen.work(false) : null;
    if (job !== null) await runJob(store, job);
  }
  if (state.changelog.epoch !== claim) throw lost(identity.partition);
}

export function lost(partition: number, cause?: unknown): CrawlstreamError {
  return new CrawlstreamError('OWNERSHIP_LOST', `another owner has claimed partition ${partition}`, cause);
}

async function clear(store: StateStore): Promise<void> {
  const all = { gte: Buffer.from([0]), lt: Buffer.from([0xff]) };
  let rows = [];
  for await (const [key] of store.scan(all)) {
    rows.push({ key, value: null });
    if (rows.length < 10_000) continue;
    await store.write(rows);
    rows = [];
  }
  await store.write(rows);
}
