/** Reads a record for those who only look: what nobody can read is not theirs to deal with. */
import type { TopicRecords } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import type { RecordCodec } from './record-codec.ts';

/**
 * Undefined: it is no record of the topic, is damaged, or of a schema that nobody knows; `onUnreadable` is told which. Throws
 * where its schema can't be had at the moment.
 */
export async function readRecord<T extends AvroTopic>(
  codec: RecordCodec,
  topic: T,
  value: Buffer,
  onUnreadable: (why: string) => void = () => {},
): Promise<TopicRecords[T] | undefined> {
  await codec.prepare(topic, value);
  try {
    return codec.decode(topic, value);
  } catch (error) {
    if (!(error instanceof CrawlstreamError) || error.retriable) throw error;
    onUnreadable(error.message);
    return undefined;
  }
}
