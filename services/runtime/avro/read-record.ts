/** Reads a record for commands that only look: they need not deal with records that cannot be read. */
import type { TopicRecords } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { type AvroTopic, holdsCopies } from '../../../topology/topics.ts';
import { isSchemaUnknown } from './await-schema.ts';
import type { RecordCodec } from './record-codec.ts';

/**
 * Undefined: a tombstone; or no record of the topic, a damaged one, or one with an unknown schema, and `onUnreadable`
 * gets the reason. Throws if its schema can't be fetched at the moment.
 */
export async function readRecord<T extends AvroTopic>(
  codec: RecordCodec,
  topic: T,
  value: Buffer,
  onUnreadable: (why: string) => void = () => {},
): Promise<TopicRecords[T] | undefined> {
  if (value.length === 0 && holdsCopies(topic)) return undefined;
  try {
    await codec.prepare(topic, value);
    return codec.decode(topic, value);
  } catch (error) {
    // Processes that decide wait for a schema; readers continue, and read the record again later.
    if (!(error instanceof CrawlstreamError) || (error.retriable && !isSchemaUnknown(error))) throw error;
    onUnreadable(error.message);
    return undefined;
  }
}
