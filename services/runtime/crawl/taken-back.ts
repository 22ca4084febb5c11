/**
 * Deleted pages: by URL, the offset of its newest tombstone on `pages` (docs/decisions/0037-tombstones-on-pages.md).
 * Records before it no longer count.
 */
import type { RecordCodec } from '../avro/record-codec.ts';
import { forgottenOf } from '../consumer/forgotten.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import { controlEvents } from './control-log.ts';

type ReadableLog = Pick<Log, 'offsets' | 'reader'>;

/**
 * Returns whether any policy named uses. If none did, all deleted pages were purged, so pages need to be read only
 * once.
 */
export async function hasUses(log: ReadableLog, codec: RecordCodec, crawl: string): Promise<boolean> {
  const { start, end } = await log.offsets(`${crawl}.control`, 0);
  for await (const { event } of controlEvents(log, codec, crawl, 0, start, end)) {
    if (event.kind === 'policy' && event.payload.includes('"uses"')) return true;
  }
  return false;
}

/** Adds the tombstones from `from` on to `takenBack`. Resolves to the position at which it ended. */
export async function addTakenBack(
  log: ReadableLog,
  crawl: string,
  partition: number,
  takenBack: Map<string, number>,
  from = 0,
): Promise<number> {
  const topic = `${crawl}.pages`;
  const { start, end } = await log.offsets(topic, partition);
  for await (const record of recordsOf(log, topic, partition, Math.max(from, start), end)) {
    const forgotten = forgottenOf(record);
    if (forgotten !== null) takenBack.set(forgotten.url, forgotten.offset);
  }
  return end;
}
