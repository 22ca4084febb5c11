/** A partition has lost records that were acknowledged, and read: a power cut, an unclean election, a restored backup. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ReadBefore } from './log.ts';

export class LogTruncated extends CrawlstreamError {
  readonly topic: string;
  readonly partition: number;
  /** End of the read records that still exist: later records of the partition are new. */
  readonly end: number;

  readonly leaderEpoch: number;

  /** `before`: the records that were read. `end`: the end of those that still exist. */
  constructor(topic: string, partition: number, before: ReadBefore, end: number) {
    const what = `${topic}/${partition} was read up to ${before.end}, but its records from ${end} on are gone`;
    super('LOG_TRUNCATED', `${what}: acknowledged records are lost`);
    this.topic = topic;
    this.partition = partition;
    this.end = end;
    this.leaderEpoch = before.leaderEpoch;
  }
}
