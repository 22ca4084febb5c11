/** Reads a record for those who only look: what nobody can read is not theirs to deal with. */
import type { TopicRecords } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import { isSchemaUnknown } from './await-schema.ts';
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
  try {
    await codec.prepare(topic, value);
    return codec.decode(topic, value);
  } catch (error) {
    // Who decides waits for a schema; who looks goes on, and comes again.
    if (!(error instanceof CrawlstreamError) || (error.retriable && !isSchemaUnknown(error))) throw error;
    onUnreadable(error.message);
    return undefined;
  }
}
