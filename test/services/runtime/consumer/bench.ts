/** A log in memory with consumers of its pages. */
import { pageRecord } from '../../../../lab/pages/page-record.ts';
import type { DeadLetter, Page } from '../../../../schemas/types.ts';
import type { RecordCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../../../services/runtime/avro/schema-registry.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import type { Consumer, ConsumerOptions } from '../../../../services/runtime/consumer/consumer.ts';
import { startConsumer } from '../../../../services/runtime/consumer/consumer.ts';
import { groupPositions } from '../../../../services/runtime/consumer/positions.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';

export interface Bench {
  readonly log: EmbeddedLog;
  readonly codec: RecordCodec;
  readonly letters: DeadLetter[];
  append(partition: number, ...names: string[]): Promise<void>;
  forget(partition: number, ...names: string[]): Promise<void>;
  start(options: Pick<ConsumerOptions<'pages'>, 'handle'> & Partial<ConsumerOptions<'pages'>>): Consumer;
}

export async function bench(): Promise<Bench> {
  const clock = new SystemClock();
  const store = createMemoryStore();
  const log = await openEmbeddedLog(store, clock);
  await log.createTopics([{ name: 'c.pages', partitions: 2, retention: 'time' }]);
  const codec = await openCodec(createEmbeddedRegistry(store), 'c');
  const deadLetters: DeadLetter[] = [];
  return {
    log,
    codec,
    letters: deadLetters,
    append: async (partition, ...names) => {
      await log.append(
        names.map((name) => ({
          topic: 'c.pages',
          partition,
          key: Buffer.from('a.test'),
          value: name === 'junk' ? Buffer.from('junk') : codec.encode('pages', page(name)),
        })),
      );
    },
    forget: async (partition, ...names) => {
      const keys = names.map((name) => Buffer.from(page(name).url));
      await log.append(keys.map((key) => ({ topic: 'c.pages', partition, key, value: Buffer.alloc(0) })));
    },
    start: (options) => {
      const consumer = startConsumer({
        log,
        codec,
        clock,
        crawl: 'c',
        group: 'g',
        topics: ['pages'],
        positions: groupPositions(log, 'g'),
        batchMs: 1,
        retriesMs: [1, 1],
        deadLetter: async (given) => void deadLetters.push(...given.map(({ deadLetter }) => deadLetter)),
        ...options,
      });
      consumer.assign([0, 1]);
      return consumer;
    },
  };
}

function page(name: string): Page {
  return pageRecord({ url: `http://a.test/${name}`, title: name });
}
