/** A look at a crawl from its log alone: positions and counters of each partition, and how far its inputs reach. */

import type { Look, PartitionStatus } from '../../../topology/frontier/ask/crawl-end.ts';
import type { CommitHeader, InputPosition, InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { zeroCounters } from '../../../topology/frontier/changes/counters.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

type ReadableLog = Pick<Log, 'offsets' | 'reader'>;

export async function lookAt(
  log: ReadableLog,
  crawl: string,
  partitions: number,
  pageQuota: number | null,
): Promise<Look> {
  const numbers = Array.from({ length: partitions }, (_, partition) => partition);
  return { partitions: await Promise.all(numbers.map((number) => statusOf(log, crawl, number))), pageQuota };
}

/** The policy version of each partition's newest commit; 0: none yet. */
export function policyVersions(log: ReadableLog, crawl: string, partitions: number): Promise<number[]> {
  const numbers = Array.from({ length: partitions }, (_, partition) => partition);
  const topic = `${crawl}.frontier-changelog`;
  return Promise.all(numbers.map(async (number) => (await newestCommit(log, topic, number))?.policyVersion ?? 0));
}

/**
 * Returns the status from the newest commit, which contains positions and counters. Ends are read first, since they
 * only grow.
 */
export async function statusOf(log: ReadableLog, crawl: string, partition: number): Promise<PartitionStatus> {
  const ends = await endsOf(log, crawl, partition);
  const commit = await newestCommit(log, `${crawl}.frontier-changelog`, partition);
  const positions: Record<InputTopic, InputPosition> = { control: origin, results: origin, discovered: origin };
  for (const { topic, to } of commit?.inputs ?? []) positions[topic] = to;
  return { ends, positions, counters: commit?.counters ?? zeroCounters() };
}

/** End offsets of a partition's inputs. */
export async function endsOf(
  log: Pick<Log, 'offsets'>,
  crawl: string,
  partition: number,
): Promise<PartitionStatus['ends']> {
  const end = async (topic: InputTopic) => (await log.offsets(`${crawl}.${topic}`, partition)).end;
  const [control, results, discovered] = await Promise.all([end('control'), end('results'), end('discovered')]);
  return { control, results, discovered };
}

const origin: InputPosition = { offset: 0, slice: 0 };

/** Number of records that includes a valid one: former owners may have a few commits each in flight. */
const tailRecords = 16;

/**
 * The newest commit that counts: of the highest epoch in the changelog's tail. An owner commits as soon as it opens, so
 * the newest epoch has one; commits of older epochs behind it are void.
 */
async function newestCommit(log: ReadableLog, topic: string, partition: number): Promise<CommitHeader | undefined> {
  const { start, end } = await log.offsets(topic, partition);
  let newest: CommitHeader | undefined;
  // Records that others wrote there are ignored.
  for (let [to, records] = [end, tailRecords]; newest === undefined && to > start; records *= 8) {
    const from = Math.max(start, to - records);
    for await (const { offset, value } of recordsOf(log, topic, partition, from, to)) {
      const record = readChangelog(value);
      const isCommit = record.kind === 'commit' && record.epoch < offset;
      if (isCommit && record.epoch >= (newest?.epoch ?? -1)) newest = record;
    }
    to = from;
  }
  return newest;
}
