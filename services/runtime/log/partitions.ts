/**
 * The embedded log's topics and partitions in memory, and their recovery when it opens.
 *
 * Invariant: `start <= durableEnd <= nextOffset`; `segments` ascend; each except the one being written has, or had, a
 * record of the partition.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { StateStore } from '../store/store.ts';
import type { LogRecord, LogTopic } from './log.ts';
import * as rows from './rows.ts';

export interface Partition {
  readonly topic: string;
  readonly topicId: number;
  readonly partition: number;
  readonly retention: 'state' | 'time';
  /** First offset that still exists. */
  start: number;
  /** First row that is not deleted yet; below `start` after an interrupted trim. */
  swept: number;
  /** Offset of the next append. */
  nextOffset: number;
  /** Readers see records below this offset. */
  durableEnd: number;
  /** Segments with records of this partition, and the first offset in each. */
  readonly segments: SegmentStart[];
  /** Newest records, up to `durableEnd`; `tail[tailHead]` is the oldest in memory. */
  tail: LogRecord[];
  tailHead: number;
}

export interface SegmentStart {
  readonly segment: number;
  readonly first: number;
}

export interface Topics {
  readonly byName: Map<string, Partition[]>;
  readonly all: Partition[];
  /** Segment being written; -1 before the first record. */
  segment: number;
  /** Oldest segment that still has a row. */
  oldestSegment: number;
  /** Newest timestamp that a record got, ms since the Unix epoch. */
  lastMs: number;
}

interface TopicRow {
  readonly id: number;
  readonly partitions: number;
  readonly retention: 'state' | 'time';
}

export function partitionOf(topics: Topics, topic: string, partition: number): Partition {
  const found = topics.byName.get(topic)?.[partition];
  if (found) return found;
  const count = topics.byName.get(topic)?.length;
  const message =
    count === undefined
      ? `topic ${topic} does not exist: create it first`
      : `topic ${topic} has partitions 0 to ${count - 1}, not ${partition}`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}

export function addTopic(topics: Topics, name: string, id: number, spec: Omit<LogTopic, 'name'>): void {
  const partitions = Array.from(
    { length: spec.partitions },
    (_, partition): Partition => ({
      topic: name,
      topicId: id,
      partition,
      retention: spec.retention,
      start: 0,
      swept: 0,
      nextOffset: 0,
      durableEnd: 0,
      segments: [],
      tail: [],
      tailHead: 0,
    }),
  );
  topics.byName.set(name, partitions);
  topics.all.push(...partitions);
}

/** Reads topics, trims and segments, then looks for each partition's newest record in the newest segment only. */
export async function recoverTopics(store: StateStore): Promise<Topics> {
  const topics: Topics = { byName: new Map(), all: [], segment: -1, oldestSegment: 0, lastMs: 0 };
  for await (const [key, value] of store.scan(rows.topicRows)) {
    const row = JSON.parse(value.toString()) as TopicRow;
    addTopic(topics, rows.topicOfKey(key), row.id, row);
  }
  const byId = new Map(topics.all.map((p) => [`${p.topicId}/${p.partition}`, p]));
  for await (const [key, value] of store.scan(rows.trimRows)) {
    const found = byId.get(`${key.readUInt16BE(3)}/${key.readUInt16BE(5)}`);
    if (found) Object.assign(found, { start: rows.readOffset(value), swept: rows.readOffset(value, 1) });
  }
  await recoverSegments(store, topics, byId);
  await Promise.all(topics.all.map((p) => recoverEnd(store, topics, p)));
  return topics;
}

/** A partition has records in a segment if its first offset there and in the next segment differ. */
async function recoverSegments(store: StateStore, topics: Topics, byId: Map<string, Partition>): Promise<void> {
  let previous: { readonly segment: number; readonly firsts: Map<Partition, number> } | undefined;
  for await (const [key, value] of store.scan(rows.segmentRows)) {
    const segment = key.readUInt32BE(3);
    const { startMs, firsts } = rows.readSegmentValue(value);
    const current = { segment, firsts: new Map<Partition, number>() };
    for (const { topicId, partition, offset } of firsts) {
      const found = byId.get(`${topicId}/${partition}`);
      if (!found) continue;
      current.firsts.set(found, offset);
      const first = previous?.firsts.get(found) ?? 0;
      if (previous && offset > first) found.segments.push({ segment: previous.segment, first });
    }
    if (!previous) topics.oldestSegment = segment;
    topics.segment = segment;
    topics.lastMs = Math.max(topics.lastMs, startMs);
    previous = current;
  }
  for (const p of topics.all) p.nextOffset = p.durableEnd = previous?.firsts.get(p) ?? 0;
}

async function recoverEnd(store: StateStore, topics: Topics, p: Partition): Promise<void> {
  if (topics.segment >= 0) {
    const range = rows.recordRange(topics.segment, p.topicId, p.partition, p.durableEnd, 2 ** 48 - 1);
    for await (const [key, value] of store.scan({ ...range, reverse: true, limit: 1 })) {
      const record = rows.recordOf(p.topic, key, value);
      topics.lastMs = Math.max(topics.lastMs, record.timestampMs);
      p.segments.push({ segment: topics.segment, first: p.durableEnd });
      p.nextOffset = p.durableEnd = record.offset + 1;
    }
  }
  // Trimmed to the very end, without rows: the offsets continue from there.
  p.nextOffset = p.durableEnd = Math.max(p.durableEnd, p.start);
}
