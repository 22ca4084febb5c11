/**
 * @platformatic/kafka, where it is installed (`npm install --no-save @platformatic/kafka@1.35.0`; 2 needs Node 22): its
 * producer, idempotent, and its stream of messages from given offsets.
 */
import type { OpenClient } from './bare-client.ts';

/** The part of its interface that is used. */
interface Library {
  readonly Producer: new (
    options: object,
  ) => {
    send(options: object): Promise<unknown>;
    close(): Promise<void>;
  };
  readonly Consumer: new (
    options: object,
  ) => {
    consume(options: object): Promise<AsyncIterable<{ readonly value: Buffer }> & { close(): Promise<void> }>;
    close(force: boolean): Promise<void>;
  };
}

/** Not a literal, so that type checks and bundlers do not look for an optional package. */
const name: string = '@platformatic/kafka';

export const openPlatformatic: OpenClient = async (bootstrapBrokers) => {
  const { Producer, Consumer } = (await import(name)) as Library;
  const producer = new Producer({ clientId: 'platformatic', bootstrapBrokers, idempotent: true, acks: -1 });
  return {
    append: (records) =>
      producer.send({
        messages: records.map(({ topic, partition, key, value }) => ({
          ...{ topic, partition, value },
          ...(key !== null && { key }),
        })),
      }),
    readAll: async (topic, partitions, count) => {
      const groupId = `bench-${Date.now()}`;
      const consumer = new Consumer({ clientId: 'platformatic', bootstrapBrokers, groupId, maxWaitTime: 50 });
      const offsets = Array.from({ length: partitions }, (_, partition) => ({ topic, partition, offset: 0n }));
      const stream = await consumer.consume({ topics: [topic], mode: 'manual', offsets, autocommit: false });
      let [left, bytes] = [count, 0];
      for await (const { value } of stream) {
        bytes += value.length;
        if (--left === 0) break;
      }
      await stream.close();
      await consumer.close(true);
      return bytes;
    },
    close: () => producer.close(),
  };
};
