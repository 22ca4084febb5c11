/**
 * Makes a partition start over: without state, with its inputs read from their beginning, and with the current policy
 * and operators' orders. No process may own it meanwhile.
 *
 * The policy and the orders are appended again at the end of `control`, and read from there; quota and reports of the
 * former state are not. Results of its leases are skipped, and its tasks are removed. Then the changelog is emptied; it
 * begins with a claim that marks the reset and the first commit, in one append. All copies of the former state are then
 * void. A kill on the way leaves a partition that is unchanged, or that reports the missing records: running the reset
 * again repairs it.
 */
import { randomBytes } from 'node:crypto';
import type { Control } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Claim, CommitHeader, InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import {
  encodeClaim,
  encodeCommit,
  inputTopics,
  readChangelog,
  resetNonce,
} from '../../../topology/frontier/changes/changelog.ts';
import { zeroCounters } from '../../../topology/frontier/changes/counters.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { controlEvents } from '../../runtime/crawl/control-log.ts';
import type { Log } from '../../runtime/log/log.ts';
import { changelogTopic } from './restore.ts';

export interface ResetPartition {
  readonly log: Pick<Log, 'append' | 'last' | 'offsets' | 'reader' | 'trim'>;
  readonly codec: RecordCodec;
  readonly identity: PartitionIdentity;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Position from which `discovered` is read. */
  readonly discovered: 'earliest' | 'latest';
}

/** Kinds of orders that hold until they are replaced. */
const lasting: ReadonlySet<Control['kind']> = new Set([
  'blockHost',
  'releaseHost',
  'hostDelay',
  'hostLimit',
  'hostLeases',
  'budget',
  'trap',
  'releaseTrap',
  'readSitemaps',
  'purge',
] as const);

/** Throws OWNERSHIP_LOST if another process wrote meanwhile. */
export async function resetPartition(options: ResetPartition): Promise<void> {
  const { log, identity, clock } = options;
  const { crawl, partition } = identity;
  const control = await sayAgain(options);
  const results = (await log.offsets(`${crawl}.results`, partition)).end;
  const { start, end } = await log.offsets(`${crawl}.discovered`, partition);
  const begin: Record<InputTopic, number> = {
    control,
    results,
    discovered: options.discovered === 'earliest' ? start : end,
  };
  await log.trim(`${crawl}.tasks`, partition, (await log.offsets(`${crawl}.tasks`, partition)).end);
  const topic = changelogTopic(crawl);
  const last = await log.last(topic, partition);
  const nowMs = Math.max(clock.nowMs(), last === undefined ? 0 : nowMsOf(last.value));
  const epoch = (await log.offsets(topic, partition)).end;
  await log.trim(topic, partition, epoch);
  const claim: Claim = { kind: 'claim', nonce: resetNonce(randomBytes(16).toString('hex')), nowMs, endsLeases: false };
  const first: CommitHeader = {
    ...{ kind: 'commit', epoch, seq: 1, nowMs, policyVersion: 0, demand: 0, counters: zeroCounters() },
    inputs: inputTopics.map((name) => ({
      topic: name,
      from: { offset: 0, slice: 0 },
      to: { offset: begin[name], slice: 0 },
    })),
  };
  const values = [encodeClaim(claim), encodeCommit(first, Buffer.alloc(0))];
  const [at] = await log.append(values.map((value) => ({ topic, partition, key: null, value })));
  if (at === epoch) return;
  const message = `partition ${partition} was written during its reset: stop all frontiers of ${crawl}, then reset it again`;
  throw new CrawlstreamError('OWNERSHIP_LOST', message);
}

/** The time of a record; 0 for a damaged or foreign record, because such a partition may be reset, too. */
function nowMsOf(value: Buffer): number {
  try {
    const record = readChangelog(value);
    return record.kind === 'foreign' ? 0 : record.nowMs;
  } catch {
    return 0;
  }
}

/** Appends the current policy and orders to `control` again. Returns the offset from which it contains them. */
async function sayAgain({ log, codec, identity }: ResetPartition): Promise<number> {
  const { crawl, partition } = identity;
  const topic = `${crawl}.control`;
  const { start, end } = await log.offsets(topic, partition);
  let policy: Control | undefined;
  const said: Control[] = [];
  for await (const { event } of controlEvents(log, codec, crawl, partition, start, end)) {
    if (event.kind === 'policy' && event.version >= (policy?.version ?? 0)) policy = event;
    if (lasting.has(event.kind)) said.push(event);
  }
  const again = policy === undefined ? said : [policy, ...said];
  if (again.length === 0) return end;
  const records = again.map((event) => ({ topic, partition, key: null, value: codec.encode('control', event) }));
  return (await log.append(records))[0]!;
}
