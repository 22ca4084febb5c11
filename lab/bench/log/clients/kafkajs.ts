/** kafkajs as its users know it: its producer, idempotent, and its consumer, a batch at a time. */
import { type IHeaders, Kafka, logLevel } from 'kafkajs';
import type { OpenClient } from './bare-client.ts';

export const openKafkajs: OpenClient = async (brokers) => {
  const kafka = new Kafka({ brokers: [...brokers], clientId: 'kafkajs', logLevel: logLevel.NOTHING });
  const producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  await producer.connect();
  return {
    append: (records) => {
      const byTopic = new Map<string, { partition: number; key: Buffer | null; value: Buffer; headers: IHeaders }[]>();
      for (const { topic, partition, key, value } of records) {
        const message = { partition, key: key as Buffer | null, value: value as Buffer, headers: {} };
        const there = byTopic.get(topic);
        if (there === undefined) byTopic.set(topic, [message]);
        else there.push(message);
      }
      return producer.sendBatch({
        acks: -1,
        topicMessages: Array.from(byTopic, ([topic, messages]) => ({ topic, messages })),
      });
    },
    readAll: async (topic, _, count) => {
      const consumer = kafka.consumer({ groupId: `bench-${Date.now()}`, maxWaitTimeInMs: 50 });
      await consumer.connect();
      await consumer.subscribe({ topic, fromBeginning: true });
      let [left, bytes] = [count, 0];
      await new Promise<void>((resolve) => {
        consumer.run({
          autoCommit: false,
          eachBatch: async ({ batch }) => {
            for (const { value } of batch.messages) bytes += value?.length ?? 0;
            left -= batch.messages.length;
            if (left <= 0) resolve();
          },
        });
      });
      await consumer.disconnect();
      return bytes;
    },
    close: () => producer.disconnect(),
  };
};
