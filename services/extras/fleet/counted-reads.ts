/** Counts what is read of a crawl's log for calls: after its first wait, most of a call's work is reading. */
import type { LogReader } from '../../runtime/log/log.ts';
import type { ReadLog } from './running-crawl.ts';

/** `onRead` is called with the bytes of each read. */
export function countedReads({ log, ...rest }: ReadLog, onRead: (bytes: number) => void): ReadLog {
  return {
    ...rest,
    log: {
      offsets: (topic, partition) => log.offsets(topic, partition),
      reader: () => countedReader(log.reader(), onRead),
    },
  };
}

function countedReader(reader: LogReader, onRead: (bytes: number) => void): LogReader {
  return {
    seek: (...of) => reader.seek(...of),
    drop: (...of) => reader.drop(...of),
    pause: (...of) => reader.pause(...of),
    resume: (...of) => reader.resume(...of),
    wake: () => reader.wake(),
    close: () => reader.close(),
    async poll(options) {
      const records = await reader.poll(options);
      onRead(records.reduce((sum, { value }) => sum + value.length, 0));
      return records;
    },
  };
}
