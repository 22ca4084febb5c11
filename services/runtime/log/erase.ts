/**
 * Erases records of the embedded log in place: their offsets and times stay, so that the partition has no gaps and no
 * position moves; key, headers and value are removed. Readers skip erased records (consumer.ts, read-record.ts).
 *
 * No other process may read the log meanwhile, because records in a reader's memory stay.
 */
import type { StateStore, StoreOp } from '../store/store.ts';
import type { LogRecord } from './log.ts';
import type { Partition } from './partitions.ts';
import * as rows from './rows.ts';
import { tailStart } from './tail.ts';

const rowsPerWrite = 500;
const empty = Buffer.alloc(0);

/** Resolves once durable. Missing offsets are skipped. */
export async function eraseRecords(store: StateStore, p: Partition, offsets: readonly number[]): Promise<void> {
  const ops: StoreOp[] = [];
  for (const offset of offsets) {
    ops.push(...(await erasing(store, p, offset)));
    if (ops.length >= rowsPerWrite) await store.write(ops.splice(0), { sync: true });
    const held = p.tailHead + offset - tailStart(p);
    if (offset >= tailStart(p) && offset < p.durableEnd) p.tail[held] = erased(p.tail[held]!);
  }
  await store.write(ops, { sync: true });
}

async function erasing(store: StateStore, p: Partition, offset: number): Promise<StoreOp[]> {
  const segment = p.segments.findLast(({ first }) => first <= offset)?.segment;
  if (segment === undefined || offset < p.start) return [];
  const range = rows.recordRange(segment, p.topicId, p.partition, offset, offset + 1);
  for await (const [key, value] of store.scan({ ...range, limit: 1 })) {
    const bare = rows.recordKey(segment, p.topicId, erased(rows.recordOf(p.topic, key, value)));
    return [...(bare.equals(key) ? [] : [{ key, value: null }]), { key: bare, value: empty }];
  }
  return [];
}

function erased(record: LogRecord): LogRecord {
  return { ...record, key: null, headers: {}, value: empty };
}
