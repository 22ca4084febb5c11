/**
 * Checks whether a changelog still contains the records that a state was built from. A log can lose acknowledged
 * records at its end (a power cut before a sync, an unclean election, a restored backup) and grow again. So a state
 * that is not ahead of it may still be built from lost records.
 *
 * The state has the hashes of two records: the one before its position, and the newest that counted. They are
 * compared with the log. States of older releases have no hashes; for those, the claim and the sequence number of the
 * newest records are compared.
 */
import {
  type ChangelogPosition,
  type Claim,
  type Commit,
  decodeChangelog,
  diverged,
} from '../../../topology/frontier/changes/changelog.ts';
import { recordHash } from '../../../topology/frontier/changes/record-hash.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { changelogTopic } from './changelog-topic.ts';

export interface InLog {
  readonly log: Pick<Log, 'reader' | 'offsets'>;
  readonly identity: PartitionIdentity;
}

/** More records than former owners may have in flight, so that one of them counts. */
const tailRecords = 64;

/**
 * Null: the log contains the records. A trimmed record counts as contained, because only records that a snapshot covers
 * are trimmed. Otherwise, the log's actual content in words.
 */
export async function missingFrom(
  { log, identity }: InLog,
  { offset, epoch, seq, read, counted }: Omit<ChangelogPosition, 'counted'> & Partial<ChangelogPosition>,
): Promise<string | null> {
  const { crawl, partition } = identity;
  const topic = changelogTopic(crawl);
  const { start, end } = await log.offsets(topic, partition);
  if (offset > end) return `it ends at ${end}`;
  const marks = [read, counted ?? null].filter((mark) => mark !== null);
  if (marks.length === 0) {
    const records: [offset: number, value: Buffer][] = [];
    for await (const one of recordsOf(log, topic, partition, Math.max(start, offset - tailRecords), offset))
      records.push([one.offset, one.value]);
    return otherHistory(epoch, seq, records);
  }
  for (const mark of marks) {
    if (mark.offset < start) continue;
    let isThere = false;
    for await (const one of recordsOf(log, topic, partition, mark.offset, mark.offset + 1))
      isThere = one.offset === mark.offset && recordHash(one.value) === mark.hash;
    if (!isThere) return `it has a different record at ${mark.offset}`;
  }
  return null;
}

/** Throws STATE_DIVERGED if the log does not contain the records that the state was built from. */
export async function expectInLog(
  inLog: InLog,
  { changelog }: { readonly changelog: ChangelogPosition },
): Promise<void> {
  const missing = await missingFrom(inLog, changelog);
  if (missing === null) return;
  const built = `partition ${inLog.identity.partition}: a state was built from changelog records up to ${changelog.offset} that do not match the log`;
  throw diverged(`${built}: ${missing}`);
}

/** The evidence that these records do not lead to a state with this claim and sequence number; null: none. */
function otherHistory(
  epoch: number,
  seq: number,
  records: readonly (readonly [offset: number, value: Buffer])[],
): string | null {
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
