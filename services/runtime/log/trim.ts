/**
 * Deletes old records: below an offset (`trim`), or older than a time (`expire`, for `--keep`).
 *
 * The new start is durable before any row is deleted, so a crash in between leaves invisible rows; the next trim of
 * that partition deletes them first. Rows are deleted in slices, so that appends are not delayed.
 */

import { CrawlstreamError } from '../../../topology/errors.ts';
import type { StateStore, StoreOp } from '../store/store.ts';
import { readStored } from './embedded-reader.ts';
import { logLimits } from './log-limits.ts';
import type { Partition, Topics } from './partitions.ts';
import * as rows from './rows.ts';

export async function trimPartition(store: StateStore, topics: Topics, p: Partition, before: number): Promise<void> {
  if (before > p.durableEnd) {
    const message = `cannot trim ${p.topic}/${p.partition} below ${before}: it ends at ${p.durableEnd}; give an offset up to that`;
    throw new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
  }
  if (before <= p.start) return;
  p.start = before;
  await store.write([trimRow(p)], { sync: true });
  for (const { segment } of p.segments.slice()) {
    // A reader of this log may have the row still in memory: the tail is left to age out.
    await sweep(store, p, segment, before);
  }
  p.swept = Math.max(p.swept, before);
  dropSegments(topics, p, before);
  const first = topics.oldestSegment;
  await store.write([trimRow(p), ...segmentsGone(topics)]);
  if (topics.oldestSegment > first) await freeSegments(store, first, topics.oldestSegment);
}

/** A store that writes little would keep the deleted rows for long. */
async function freeSegments(store: StateStore, first: number, end: number): Promise<void> {
  const startOf = (segment: number) => rows.recordRange(segment, 0, 0, 0, 0).gte;
  await store.free?.(startOf(first), startOf(end));
}

/** The segment being written stays listed even if all in it is trimmed: an append may be on its way into it. */
function dropSegments(topics: Topics, p: Partition, before: number): void {
  const holder = Math.max(
    0,
    p.segments.findLastIndex((s) => s.first <= before),
  );
  const holdsNothing = before === p.durableEnd && p.segments[holder]?.segment !== topics.segment;
  p.segments.splice(0, holdsNothing ? holder + 1 : holder);
}

async function sweep(store: StateStore, p: Partition, segment: number, before: number): Promise<void> {
  const range = rows.recordRange(segment, p.topicId, p.partition, p.swept, before);
  for (;;) {
    const deletes: StoreOp[] = [];
    for await (const [key] of store.scan({ ...range, limit: logLimits.trimRowsPerWrite }))
      deletes.push({ key, value: null });
    if (deletes.length > 0) await store.write(deletes);
    if (deletes.length < logLimits.trimRowsPerWrite) return;
    range.gte = deletes.at(-1)?.key as Buffer;
  }
}

function trimRow(p: Partition): StoreOp {
  return { key: rows.trimKey(p.topicId, p.partition), value: rows.offsetsValue(p.start, p.swept) };
}

/** Deletes the rows of segments without records of any partition; the segment being written stays. */
function segmentsGone(topics: Topics): StoreOp[] {
  let oldest = topics.segment;
  for (const { segments } of topics.all) oldest = Math.min(oldest, segments[0]?.segment ?? oldest);
  const gone: StoreOp[] = [];
  for (; topics.oldestSegment < oldest; topics.oldestSegment++) {
    gone.push({ key: rows.segmentKey(topics.oldestSegment), value: null });
  }
  return gone;
}

/**
 * Returns the offset of the first record appended at or after `timeMs`; the end if there is none. Timestamps never
 * decrease within a log, so bisection finds it: one short read from disk per step.
 */
export async function offsetAt(store: StateStore, p: Partition, timeMs: number): Promise<number> {
  let low = p.start;
  for (let high = p.durableEnd; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    const { records } = await readStored(store, p, middle, 1).catch((error) => {
      if (middle >= p.start) throw error;
      return { records: [] };
    });
    // It was trimmed meanwhile.
    if (middle < p.start) low = p.start;
    else if ((records[0]?.timestampMs ?? 0) < timeMs) low = middle + 1;
    else high = middle;
  }
  return Math.max(low, p.start);
}
