/** Finds records that no schema reads. */
import { CrawlstreamError } from '../../topology/errors.ts';
import type { AvroTopic } from '../../topology/topics.ts';
import { type RecordCodec, schemaOfRecord } from '../runtime/avro/record-codec.ts';
import { counted } from '../runtime/counted.ts';
import type { CrawlAccess } from '../runtime/crawl/kafka-access.ts';
import { recordsOf } from '../runtime/log/records-of.ts';
import { bad } from '../runtime/option-text.ts';

/** The schema id or fingerprint of an unreadable record. */
export async function schemaAt(
  { log, codec }: CrawlAccess,
  { crawl, topic }: { readonly crawl: string; readonly topic: AvroTopic },
  partition: number,
  offset: number,
): Promise<number | string> {
  const place = `${crawl}.${topic}/${partition}`;
  const partitions = await log.partitionsOf(`${crawl}.${topic}`);
  if (partition >= partitions)
    throw bad('--partition', `${partition}`, `${crawl}.${topic} has ${counted(partitions, 'partition')}`);
  const { start, end } = await log.offsets(`${crawl}.${topic}`, partition);
  if (start === end) throw bad('--offset', `${offset}`, `${place} has no records`);
  if (offset < start || offset >= end)
    throw bad('--offset', `${offset}`, `${place} has offsets from ${start} to ${end - 1}; give one of them`);
  for await (const { value, offset: found } of recordsOf(log, `${crawl}.${topic}`, partition, offset, offset + 1)) {
    if (found !== offset) continue;
    const ref = schemaOfRecord(value);
    const why = await whyUnknown(codec, topic, value);
    if (ref === undefined || why === 'INVALID_RECORD')
      throw bad(
        '--offset',
        `${offset}`,
        `the record in ${place} is already a dead letter, and no reader waits for it: give another offset`,
      );
    if (why === undefined)
      throw bad(
        '--offset',
        `${offset}`,
        `the record in ${place} can be read, and no reader waits for it: give another offset`,
      );
    return ref;
  }
  throw bad('--offset', `${offset}`, `${place} holds no record there`);
}

async function whyUnknown(codec: RecordCodec, topic: AvroTopic, value: Buffer): Promise<string | undefined> {
  try {
    await codec.prepare(topic, value);
    codec.decode(topic, value);
    return undefined;
  } catch (error) {
    if (error instanceof CrawlstreamError) return error.code;
    throw error;
  }
}
