/** An append with some records that are too large for their topics. The other records of the call are durable. */
import { CrawlstreamError } from '../../../topology/errors.ts';

export class RecordTooLarge extends CrawlstreamError {
  /** Their indexes in the call. */
  readonly indexes: readonly number[];

  constructor(topic: string, indexes: readonly number[]) {
    super(
      'RECORD_TOO_LARGE',
      `a record for ${topic} is larger than the topic takes: send less in one record, or raise max.message.bytes`,
    );
    this.indexes = indexes;
  }
}
