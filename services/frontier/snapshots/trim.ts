/**
 * Trims records that no kept snapshot needs: the changelog below the position of the oldest complete snapshot, and
 * the inputs below its positions.
 *
 * That snapshot is read back before each trim, to check that it is complete. The newest snapshot alone is never
 * enough, unless only one is to be kept: if it were damaged later, nothing would be left to start from. Inputs are
 * not trimmed beyond the partition's current position (an operator may have moved it back), nor beyond the position
 * of any group of the crawl. An event on `control` stays while a lease may be active that was granted before the
 * event took effect, because fetchers read it; events that everybody needs are copied forward first. A kill between
 * two trims leaves more records than needed, never fewer.
 */

import { CrawlstreamError } from '../../../topology/errors.ts';
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import { inputTopics } from '../../../topology/frontier/changes/changelog.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { carryOver } from '../../runtime/crawl/carry-over.ts';
import { statusOf } from '../../runtime/crawl/look.ts';
import type { Log } from '../../runtime/log/log.ts';
import { changelogTopic } from '../restore/restore.ts';
import type { SnapshotManifest } from './manifest.ts';
import type { SnapshotRepository } from './snapshot-repository.ts';

export interface TrimBelowSnapshots {
  readonly log: Pick<Log, 'append' | 'committed' | 'groups' | 'offsetAt' | 'offsets' | 'reader' | 'trim'>;
  readonly codec: RecordCodec;
  readonly identity: PartitionIdentity;
  readonly repository: Pick<SnapshotRepository, 'list' | 'verify'>;
  /** Snapshots that are kept of each partition. */
  readonly kept: number;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Records appended since then stay, ms since the Unix epoch. Absent: age does not count. */
  readonly olderThanMs?: number;
  /** Called with a line for each snapshot that is damaged. */
  readonly onNotice?: (text: string) => void;
}

export interface Trimmed {
  readonly topic: string;
  readonly partition: number;
  /** Offset of the first remaining record. */
  readonly start: number;
}

/** Trims the topics, and returns their new first offsets. Empty unless two complete snapshots remain, or one if `kept` is 1. */
export async function trimBelowSnapshots(options: TrimBelowSnapshots): Promise<Trimmed[]> {
  const { log, codec, identity, repository, kept, onNotice } = options;
  const { crawl, partition } = identity;
  const stored = (await repository.list(identity)).reverse();
  let usable = stored.filter((one) => one.manifest !== undefined).length;
  for (const { manifest, error } of stored) {
    if (manifest === undefined) {
      onNotice?.(error.message);
      continue;
    }
    if (usable-- < Math.min(kept, 2)) return [];
    const plan = await planOf(options, manifest);
    if (plan.length > 0 && !(await isWhole(options, manifest))) continue;
    const trimmed: Trimmed[] = [];
    for (const { topic, start } of plan) {
      const to = topic === `${crawl}.control` ? await carryOver(log, codec, identity, start) : start;
      await log.trim(topic, partition, to);
      trimmed.push({ topic, partition, start: to });
    }
    return trimmed;
  }
  return [];
}

/** Returns the offsets up to which topics may be trimmed if this is the oldest complete snapshot. */
async function planOf(options: TrimBelowSnapshots, manifest: SnapshotManifest): Promise<Trimmed[]> {
  const { log, identity, clock, olderThanMs } = options;
  const { crawl, partition } = identity;
  const plan: Trimmed[] = [];
  const add = async (topic: string, before: number) => {
    const { start: begin } = await log.offsets(topic, partition);
    const young = olderThanMs === undefined ? before : await log.offsetAt(topic, partition, olderThanMs);
    const start = Math.min(before, young);
    if (start > begin) plan.push({ topic, partition, start });
  };
  await add(changelogTopic(crawl), manifest.position);
  const now = (await statusOf(log, crawl, partition)).positions;
  for (const input of inputTopics) {
    const mayBeOut = clock.nowMs() <= manifest.leasesEndMs + frontierLimits.clockSkewMs;
    if (input === 'control' && mayBeOut) continue;
    const consumed = Math.min(manifest.inputs[input].offset, now[input].offset);
    await add(`${crawl}.${input}`, Math.min(consumed, await leastRead(options, input)));
  }
  return plan;
}

async function isWhole({ repository, onNotice }: TrimBelowSnapshots, manifest: SnapshotManifest): Promise<boolean> {
  try {
    await repository.verify(manifest);
    return true;
  } catch (error) {
    if (!(error instanceof CrawlstreamError && error.code === 'SNAPSHOT_DAMAGED')) throw error;
    onNotice?.(error.message);
    return false;
  }
}

/** The lowest position of all groups of the crawl that have read the topic. */
async function leastRead({ log, identity }: TrimBelowSnapshots, input: InputTopic): Promise<number> {
  const { crawl, partition } = identity;
  let least = Number.POSITIVE_INFINITY;
  for (const { group } of await log.groups(`${crawl}.`)) {
    least = Math.min(least, (await log.committed(group, `${crawl}.${input}`, partition)) ?? least);
  }
  return least;
}
