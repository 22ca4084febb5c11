/** Dead letters of consumers: records that could not be read, or that a handler could not process. */
import type { DeadLetter, DeadLetterReason } from '../../../schemas/types.ts';
import type { LogRecord } from '../log/log.ts';

export interface DeadLetterSource {
  readonly reason: DeadLetterReason;
  readonly record: LogRecord;
  /** The consumer group that gives up the record. */
  readonly group: string;
  readonly error: Error;
  readonly nowMs: number;
  /** URL of the page or link of the record, if it could be read. */
  readonly url?: string;
  readonly hostKey?: string;
}

/** Carries the record's own bytes, so that it can be replayed. */
export function deadLetterOf({
  reason,
  record,
  group,
  error,
  nowMs,
  url = '',
  hostKey = '',
}: DeadLetterSource): DeadLetter {
  return {
    reason,
    sourceTopic: record.topic,
    sourcePartition: record.partition,
    sourceOffset: record.offset,
    url,
    hostKey,
    attempts: 0,
    lastOutcome: '',
    status: 0,
    depth: 0,
    detail: `${group}: ${error.message}`,
    atMs: nowMs,
    original: record.value,
    tags: [],
  };
}
