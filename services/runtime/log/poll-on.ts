/**
 * If a partition has lost records that were read, reads on from the end of what is left: what it holds from there on is
 * new, and none of it is skipped.
 */
import type { LogReader, LogRecord, PollOptions } from './log.ts';
import { LogTruncated } from './log-truncated.ts';

/** Empty when that happened; `onTruncated` is called. */
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
