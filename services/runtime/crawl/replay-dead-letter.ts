/** Sends a dead letter again: the URL past the seen test, or the record, byte by byte, to the topic that it came from. */
import type { DeadLetter } from '../../../schemas/types.ts';
import { type CrawlTopics, forcedRequest, type RequestRecord } from './requests.ts';

/** The record or URL to send again, and the mark of the replay: a letter with a mark is not sent a second time. */
export function replayRequest(
  topics: CrawlTopics,
  { id, deadLetter }: { readonly id: string; readonly deadLetter: DeadLetter },
  nowMs: number,
): RequestRecord[] {
  const { original, ...rest } = deadLetter;
  const key = deadLetter.hostKey === '' ? null : deadLetter.hostKey;
  const isRecord = original.length > 0;
  const records: RequestRecord[] = isRecord
    ? [
        {
          topic: 'raw',
          into: deadLetter.sourceTopic.slice(deadLetter.sourceTopic.lastIndexOf('.') + 1),
          partition: deadLetter.sourcePartition,
          key,
          record: Buffer.from(original).toString('base64'),
        },
      ]
    : forcedRequest(topics, [{ url: deadLetter.url, depth: deadLetter.depth, tags: deadLetter.tags }], false, nowMs);
  const mark = { ...rest, reason: 'replayed', detail: id, atMs: nowMs } as const;
  records.push({ topic: 'dead-letters', partition: deadLetter.sourcePartition, key, record: mark });
  return records;
}
