/**
 * The newest records of all partitions, in memory, so that readers who keep up never touch the disk.
 *
 * Bounded in bytes over all partitions; whole groups leave in the order they came. A partition's tail always ends at its
 * `durableEnd` and has no holes.
 */
import type { LogRecord } from './log.ts';
import type { Partition } from './partitions.ts';

/** Counted per record beside its value: the object, its key, its slots. */
export const recordOverheadBytes = 200;

export interface Tail {
  /** Takes in what just became durable: each partition with its new records. */
  add(entries: readonly TailEntry[], bytes: number): void;
}

export interface TailEntry {
  readonly partition: Partition;
  readonly records: readonly LogRecord[];
}

export function createTail(bytesMax: number): Tail {
  const groups: { readonly bytes: number; readonly counts: readonly (readonly [Partition, number])[] }[] = [];
  let head = 0;
  let bytesHeld = 0;

  const evictOldest = () => {
    const group = groups[head++];
    if (!group) return;
    bytesHeld -= group.bytes;
    for (const [partition, count] of group.counts) shift(partition, count);
    if (head > 64 && head * 2 > groups.length) {
      groups.splice(0, head);
      head = 0;
    }
  };

  return {
    add: (entries, bytes) => {
      for (const { partition, records } of entries) for (const record of records) partition.tail.push(record);
      groups.push({ bytes, counts: entries.map(({ partition, records }) => [partition, records.length] as const) });
      bytesHeld += bytes;
      while (bytesHeld > bytesMax) evictOldest();
    },
  };
}

/** Forgets the oldest `count` records of a partition's tail. */
function shift(partition: Partition, count: number): void {
  partition.tail.fill(undefined as never, partition.tailHead, partition.tailHead + count);
  partition.tailHead += count;
  if (partition.tailHead > 64 && partition.tailHead * 2 > partition.tail.length) {
    partition.tail = partition.tail.slice(partition.tailHead);
    partition.tailHead = 0;
  }
}

/** First offset in the tail; `durableEnd` if the tail is empty. */
export function tailStart(partition: Partition): number {
  return partition.durableEnd - (partition.tail.length - partition.tailHead);
}
