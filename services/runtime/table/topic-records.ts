/** Every record of a topic that is there when the reading begins, decoded, partition by partition. */
import type { Page, TopicRecords } from '../../../schemas/types.ts';
import type { TopicName } from '../../../topology/topics.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Purges } from '../crawl/purges.ts';
import type { Log, LogRecord } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

export interface Source {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly partitions: number;
  /** Purges; purged records are left out. */
  readonly purges: Purges;
  /** Called before each record; what it throws ends the reading. */
  readonly onRecord?: () => void;
}

/** A record of `pages`, or a tombstone. */
export interface PlacedPage {
  readonly url: string;
  /** Null: the page was deleted. */
  readonly page: Page | null;
}

export async function* pageRecords(source: Source, unreadable: () => void): AsyncGenerator<PlacedPage> {
  for await (const { key, value } of recordsOfTopic(source, 'pages')) {
    if (value.length === 0) {
      if (key !== null) yield { url: key.toString(), page: null };
      continue;
    }
    const page = await decoded(source, 'pages', value, unreadable);
    if (page !== undefined) yield { url: page.url, page };
  }
}

/** Tombstones, and records that can't be read are passed over: `dlq` and consumers deal with the latter. */
export async function* topicRecords<T extends 'pages' | 'results' | 'duplicates'>(
  source: Source,
  name: T,
  unreadable: () => void,
): AsyncGenerator<TopicRecords[T]> {
  for await (const { value } of recordsOfTopic(source, name)) {
    if (value.length === 0) continue;
    const record = await decoded(source, name, value, unreadable);
    if (record !== undefined) yield record;
  }
}

async function* recordsOfTopic(
  { log, crawl, partitions, onRecord }: Source,
  name: TopicName,
): AsyncGenerator<LogRecord> {
  const topic = `${crawl}.${name}`;
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const record of recordsOf(log, topic, partition, start, end)) {
      onRecord?.();
      yield record;
    }
  }
}

async function decoded<T extends 'pages' | 'results' | 'duplicates'>(
  { codec }: Source,
  name: T,
  value: Buffer,
  unreadable: () => void,
): Promise<TopicRecords[T] | undefined> {
  try {
    await codec.prepare(name, value);
    return codec.decode(name, value);
  } catch {
    unreadable();
    return undefined;
  }
}
