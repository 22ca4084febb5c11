/** The records of one partition from `from` up to `to`, which must be there or on their way. */
import type { Log, LogRecord } from './log.ts';

const pollBytes = 4 << 20;
const waitMs = 1_000;

export async function* recordsOf(
  log: Pick<Log, 'reader'>,
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
      for (const record of await reader.poll({ maxBytes: pollBytes, waitMs })) {
        if (record.offset >= to) return;
        yield record;
        next = record.offset + 1;
      }
    }
  } finally {
    await reader.close();
  }
}
