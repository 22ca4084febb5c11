/** Every record of a topic that is there when the reading begins, decoded, partition by partition. */
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Purges } from '../runtime/crawl/purges.ts';
import type { Log } from '../runtime/log/log.ts';
import { recordsOf } from '../runtime/log/records-of.ts';

export interface Source {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly partitions: number;
  /** Records of what was purged are left out. */
  readonly purges: Purges;
}

/** Records that can't be read are passed over: `dlq` and consumers deal with those. */
export async function* topicRecords<T extends 'pages' | 'results'>(
  { log, codec, crawl, partitions }: Source,
  name: T,
  unreadable: () => void,
): AsyncGenerator<ReturnType<typeof codec.decode<T>>> {
  const topic = `${crawl}.${name}`;
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      try {
        await codec.prepare(name, value);
        yield codec.decode(name, value);
      } catch {
        unreadable();
      }
    }
  }
}
