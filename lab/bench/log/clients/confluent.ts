/**
 * @confluentinc/kafka-javascript (librdkafka), where it is installed: `CKJS_LINKING=dynamic npm install --no-save
 * @confluentinc/kafka-javascript@1.10.1 --build-from-source`, with a C++ compiler and the headers of curl, OpenSSL, zlib,
 * zstd and lz4. Its lower API, that of node-rdkafka: an idempotent producer with a delivery report a record, and a
 * consumer that is assigned offsets and takes what has come.
 */
import type { OpenClient } from './bare-client.ts';

/** The part of its interface that is used. */
interface Library {
  readonly HighLevelProducer: new (config: object) => HighLevelProducer;
  readonly KafkaConsumer: new (config: object, topicConfig: object) => KafkaConsumer;
}

interface Client {
  connect(options: object, done: (error: Error | null) => void): void;
  disconnect(done: () => void): void;
}

interface HighLevelProducer extends Client {
  setPollInterval(ms: number): void;
  produce(
    topic: string,
    partition: number,
    value: Buffer,
    key: Buffer | null,
    timestampMs: number,
    done: (error: Error | null, offset: number | null) => void,
  ): void;
}

interface KafkaConsumer extends Client {
  assign(offsets: readonly { topic: string; partition: number; offset: number }[]): void;
  consume(most: number, done: (error: Error | null, messages: readonly { readonly value: Buffer }[]) => void): void;
}

/** Not a literal, so that type checks and bundlers do not look for an optional package. */
const name: string = '@confluentinc/kafka-javascript';
const recordsAtOnce = 1_000;

export const openConfluent: OpenClient = async (brokers) => {
  const { HighLevelProducer, KafkaConsumer } = ((await import(name)) as { readonly default: Library }).default;
  const shared = { 'client.id': 'confluent', 'bootstrap.servers': brokers.join(',') };
  const limits = { 'message.max.bytes': 10_000_000, 'queue.buffering.max.kbytes': 1 << 20, 'linger.ms': 0 };
  const producer = new HighLevelProducer({ ...shared, ...limits, 'enable.idempotence': true, acks: -1 });
  await connected(producer);
  producer.setPollInterval(1);
  return {
    append: (records) =>
      Promise.all(
        records.map(({ topic, partition, key, value }) =>
          settled<number | null>((done) =>
            producer.produce(topic, partition, value as Buffer, key as Buffer | null, Date.now(), done),
          ),
        ),
      ),
    readAll: async (topic, partitions, count) => {
      const config = { ...shared, 'group.id': `bench-${Date.now()}`, 'enable.auto.commit': false };
      const consumer = new KafkaConsumer(config, {});
      await connected(consumer);
      consumer.assign(Array.from({ length: partitions }, (_, partition) => ({ topic, partition, offset: 0 })));
      let [left, bytes] = [count, 0];
      while (left > 0) {
        const messages = await settled<readonly { readonly value: Buffer }[]>((done) =>
          consumer.consume(recordsAtOnce, done),
        );
        for (const { value } of messages) bytes += value.length;
        left -= messages.length;
      }
      await new Promise<void>((resolve) => consumer.disconnect(resolve));
      return bytes;
    },
    close: () => new Promise((resolve) => producer.disconnect(resolve)),
  };
};

function connected(client: Client): Promise<void> {
  return settled<void>((done) => client.connect({}, (error) => done(error)));
}

/** `call` with a callback of Node's kind, as a promise. */
function settled<T>(call: (done: (error: Error | null, value?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error ? reject(error) : resolve(value as T)));
  });
}
