/**
 * The records of one partition from `from` up to `to`, which must exist or be about to. Throws OFFSET_OUT_OF_RANGE if
 * the partition has lost some of them meanwhile.
 *
 * The first read is small, and each further one twice as large: a caller that wants some records waits for few reads of
 * the disk, and one that wants all has few calls.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Log, LogRecord } from './log.ts';

/** Bytes of the first read, which a store returns in one piece, and of the largest. */
const [firstBytes, mostBytes] = [128 << 10, 4 << 20];
const waitMs = 1_000;

export async function* recordsOf(
  log: Pick<Log, 'reader'> & Partial<Pick<Log, 'offsets'>>,
  topic: string,
  partition: number,
  from: number,
  to: number,
): AsyncGenerator<LogRecord> {
  if (from >= to) return;
  const reader = log.reader();
  try {
    reader.seek(topic, partition, from);
    let maxBytes = firstBytes;
    for (let next = from; next < to; maxBytes = Math.min(2 * maxBytes, mostBytes)) {
      const records = await reader.poll({ maxBytes, waitMs });
      for (const record of records) {
        if (record.offset >= to) return;
        yield record;
        next = record.offset + 1;
      }
      if (records.length > 0) continue;
      const end = (await log.offsets?.(topic, partition))?.end ?? to;
      if (end >= to) continue;
      const message = `${topic}/${partition} ends at ${end}, but had records up to ${to - 1} a moment ago: records are lost`;
      throw new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
    }
  } finally {
    await reader.close();
  }
}
