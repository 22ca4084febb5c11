/**
 * The records of one partition from `from` up to `to`, which must exist or be about to. Throws OFFSET_OUT_OF_RANGE if
 * the partition has lost some of them meanwhile.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Log, LogRecord } from './log.ts';

const pollBytes = 4 << 20;
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
    for (let next = from; next < to; ) {
      const records = await reader.poll({ maxBytes: pollBytes, waitMs });
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
