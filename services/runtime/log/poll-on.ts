/**
 * Polls; if a partition has lost records that were read, continues from the end of the remaining ones. Later records
 * are new, and none of them is skipped.
 */
import type { LogReader, LogRecord, PollOptions } from './log.ts';
import { LogTruncated } from './log-truncated.ts';

/** Empty after a loss; `onTruncated` is then called. */
export async function pollOn(
  reader: LogReader,
  options: PollOptions,
  onTruncated: (error: LogTruncated) => void = () => {},
): Promise<LogRecord[]> {
  try {
    return await reader.poll(options);
  } catch (error) {
    if (!(error instanceof LogTruncated)) throw error;
    const { topic, partition, end, leaderEpoch } = error;
    reader.seek(topic, partition, end, { end, leaderEpoch });
    onTruncated(error);
    return [];
  }
}
