/**
 * Does a changelog still hold what a state was built from? A log can lose acknowledged records at its end (a power cut
 * before they were synced, an unclean election, a restored backup) and grow again: then a state that is not ahead of it
 * may still be of records that are gone.
 *
 * The record before the state's position tells: its hash is in the state. States of older releases have none; of those
 * the newest records say whether claim and sequence number are the same.
 */
import {
  type Claim,
  type Commit,
  decodeChangelog,
  diverged,
  type Predecessor,
} from '../../topology/frontier/changes/changelog.ts';
import { recordHash } from '../../topology/frontier/changes/record-hash.ts';
import type { PartitionIdentity } from '../../topology/frontier/decide/decision.ts';
import type { Log } from '../runtime/log/log.ts';
import { recordsOf } from '../runtime/log/records-of.ts';
import { changelogTopic } from './changelog-topic.ts';

export interface InLog {
  readonly log: Pick<Log, 'reader' | 'offsets'>;
  readonly identity: PartitionIdentity;
}

/** More than owners that lost the partition have under way: among so many there is one that counts. */
const tailRecords = 64;

/** Null: it does. Else what the log holds instead, in words. */
export async function missingFrom({ log, identity }: InLog, position: Predecessor): Promise<string | null> {
  const { crawl, partition } = identity;
  const topic = changelogTopic(crawl);
  const { offset, tail } = position;
  const { start, end } = await log.offsets(topic, partition);
  if (offset > end) return `it ends at ${end}`;
  // What was before is not there to be asked: whoever trimmed it had a snapshot that stood in the log.
  if (offset <= start) return null;
  const from = tail === null ? Math.max(start, offset - tailRecords) : offset - 1;
  const records: [offset: number, value: Buffer][] = [];
  for await (const record of recordsOf(log, topic, partition, from, offset))
    records.push([record.offset, record.value]);
  if (tail === null) return otherHistory(position, records);
  const before = records.find(([at]) => at === offset - 1);
  return before !== undefined && recordHash(before[1]) === tail ? null : `it holds another record at ${offset - 1}`;
}

/** Throws STATE_DIVERGED where the log does not hold what the state was built from. */
export async function expectInLog(inLog: InLog, { changelog }: { readonly changelog: Predecessor }): Promise<void> {
  const missing = await missingFrom(inLog, changelog);
  if (missing === null) return;
  const built = `partition ${inLog.identity.partition}: a state was built from the changelog up to ${changelog.offset}`;
  throw diverged(`${built}, and ${missing}`);
}

/** What shows that a state of this claim and sequence number is not what these records lead to. */
function otherHistory({ epoch, seq }: Predecessor, records: readonly (readonly [number, Buffer])[]): string | null {
  for (const [offset, value] of records) {
    const record = readable(value);
    if (record === undefined) continue;
    if (record.kind === 'claim') {
      if (offset > epoch) return `it holds a claim at ${offset}`;
    } else if (record.epoch > epoch) return `it holds a commit of the claim at ${record.epoch} at ${offset}`;
    else if (record.epoch === epoch && record.seq === seq + 1) return `it holds commit ${record.seq} at ${offset}`;
  }
  return null;
}

function readable(value: Buffer): Claim | Commit | undefined {
  try {
    return decodeChangelog(value);
  } catch {
    return undefined;
  }
}
