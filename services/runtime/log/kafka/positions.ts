/** Offsets of partitions, trimming, and the positions groups commit. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { LogRecord, OffsetRange, Position } from '../log.ts';
import type { Cluster } from './cluster.ts';
import { deadlineIn, retrying, throwFor, transient } from './errors.ts';
import { type FetchResponse, fetchRequest } from './fetch-request.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf, raw } from './kafkajs-wire.ts';
import { type ListedOffset, listOffsetsRequest } from './list-offsets.ts';
import { readBatches } from './record-batch.ts';

/** Links for positions of groups. */
const purpose = 'positions';

interface PartitionAnswer {
  readonly partition: number;
  readonly errorCode: number;
  readonly offset: string;
}

/**
 * Reads the range of committed records: an open transaction holds `end` back. A broker that was cut off from the others
 * has an older end, so a majority of the brokers must confirm that it is still the leader.
 */
export async function readRange(cluster: Cluster, topic: string, partition: number): Promise<OffsetRange> {
  return patiently(cluster, async () => {
    const leader = await cluster.leader(topic, partition);
    const [start, end] = await Promise.all([
      listOffset(cluster, topic, partition, -2),
      listOffset(cluster, topic, partition, -1),
      cluster.askMost(topic),
    ]);
    cluster.expectLeader(topic, partition, leader);
    return { start, end };
  });
}

/** Goes by the times in the records, which their producers set: the first record that is not older. */
export async function readOffsetAt(
  cluster: Cluster,
  topic: string,
  partition: number,
  timeMs: number,
): Promise<number> {
  return patiently(cluster, async () => {
    const found = await listOffset(cluster, topic, partition, timeMs);
    return found >= 0 ? found : listOffset(cluster, topic, partition, -1);
  });
}

/** `timestamp` -2: the first offset; -1: the end; otherwise the offset for a time, or -1 if no record is that new. */
async function listOffset(cluster: Cluster, topic: string, partition: number, timestamp: number): Promise<number> {
  const answer = await cluster.sendLeader<ListedOffset | undefined>(topic, partition, ({ epoch: leaderEpoch }) =>
    listOffsetsRequest({ topic, partition, timestamp, leaderEpoch }),
  );
  check(cluster, answer?.errorCode, topic, partition, `asking for the offsets of ${topic}/${partition}`);
  return answer?.offset ?? -1;
}

/** The newest record, past what transactions and compaction leave at the end. */
export async function readLast(cluster: Cluster, topic: string, partition: number): Promise<LogRecord | undefined> {
  const { start, end } = await readRange(cluster, topic, partition);
  for (let back = 1; end > start; back *= 2) {
    const from = Math.max(start, end - back);
    const records = await readBetween(cluster, topic, partition, from, end);
    const last = records.at(-1);
    if (last || from === start) return last;
  }
  return undefined;
}

async function readBetween(cluster: Cluster, topic: string, partition: number, from: number, end: number) {
  const found: LogRecord[] = [];
  for (let offset = from; offset < end; ) {
    const at = offset;
    const { records, next } = await patiently(cluster, async () => {
      const answer = await cluster.sendLeader<FetchResponse>(topic, partition, ({ epoch: leaderEpoch }) =>
        fetchRequest([{ topic, partition, offset: at, leaderEpoch }], {
          rack: '',
          maxWaitMs: 0,
          maxBytes: kafkaLimits.fetchBytes,
          partitionBytes: kafkaLimits.fetchBytes,
          requestTimeoutMs: kafkaLimits.requestTimeoutMs,
        }),
      );
      const [part] = answer.parts;
      check(cluster, part?.errorCode, topic, partition, `reading ${topic}/${partition}`);
      return readBatches(part?.batches ?? Buffer.alloc(0), topic, partition, at, part?.aborted ?? []);
    });
    for (const record of records) if (record.offset < end) found.push(record);
    if (next === offset) break;
    offset = next;
  }
  return found;
}

/** Deletes all records below `before` (DeleteRecords). Does nothing if they are gone already. */
export async function trimBelow(cluster: Cluster, topic: string, partition: number, before: number): Promise<void> {
  const { start, end } = await readRange(cluster, topic, partition);
  if (before <= start) return;
  if (before > end) {
    const message = `cannot trim ${topic}/${partition} below ${before}: it ends at ${end}; give an offset up to that`;
    throw new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
  }
  const request = raw('DeleteRecords', { topics: [{ topic, partitions: [{ partition, offset: String(before) }] }] });
  type Answer = { topics: readonly { partitions: readonly PartitionAnswer[] }[] };
  await patiently(cluster, async () => {
    const answer = (await cluster.sendLeader<Answer>(topic, partition, () => request)).topics[0]?.partitions[0];
    check(cluster, answer?.errorCode, topic, partition, `trimming ${topic}/${partition}`);
  });
}

/** The identity that commits: a member of the group in a generation, or an outsider of a group without members. */
export interface Committer {
  readonly memberId: string;
  readonly generation: number;
}

/** Resolves to false if the group has moved to another generation. */
export async function commitPositions(
  cluster: Cluster,
  group: string,
  positions: readonly Position[],
  { memberId, generation }: Committer,
): Promise<boolean> {
  const byTopic = new Map<string, { partition: number; offset: string }[]>();
  for (const { topic, partition, offset } of positions) {
    const entry = { partition, offset: String(offset) };
    const there = byTopic.get(topic);
    if (there) there.push(entry);
    else byTopic.set(topic, [entry]);
  }
  const topics = [...byTopic].map(([topic, partitions]) => ({ topic, partitions }));
  const request = raw('OffsetCommit', { groupId: group, groupGenerationId: generation, memberId, topics });
  type Answer = { responses: readonly { partitions: readonly PartitionAnswer[] }[] };
  const { responses } = await cluster.sendCoordinator<Answer>(group, purpose, request);
  for (const { errorCode } of responses.flatMap(({ partitions }) => partitions)) {
    if (movedOn.has(errorOf(errorCode).type)) return false;
    checkGroup(cluster, errorCode, group, `committing positions of group ${group}`);
  }
  return true;
}

const movedOn = new Set(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'REBALANCE_IN_PROGRESS']);

export async function readCommitted(
  cluster: Cluster,
  group: string,
  topic: string,
  partitions: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const asked = partitions.map((partition) => ({ partition }));
  const request = raw('OffsetFetch', { groupId: group, topics: [{ topic, partitions: asked }] });
  type Answer = { errorCode: number; responses: readonly { partitions: readonly PartitionAnswer[] }[] };
  return patiently(cluster, async () => {
    const { errorCode, responses } = await cluster.sendCoordinator<Answer>(group, purpose, request);
    const what = `reading positions of group ${group}`;
    checkGroup(cluster, errorCode, group, what);
    const found = new Map<number, number>();
    for (const answer of responses[0]?.partitions ?? []) {
      checkGroup(cluster, answer.errorCode, group, what);
      if (Number(answer.offset) >= 0) found.set(answer.partition, Number(answer.offset));
    }
    return found;
  });
}

/** An error of a coordinator: it may have moved. */
export function checkGroup(cluster: Cluster, code: number, group: string, what: string): void {
  if (code !== 0) cluster.forgetCoordinator(group);
  throwFor(code, what);
}

function check(cluster: Cluster, code: number | undefined, topic: string, partition: number, what: string): void {
  if (code === 0) return;
  cluster.forget(topic, partition);
  if (code === undefined) throw transient(`${what} failed: it is missing in the broker's answer`);
  throwFor(code, what);
}

function patiently<T>(cluster: Cluster, act: () => Promise<T>): Promise<T> {
  return retrying(deadlineIn(cluster.patienceMs), act);
}
