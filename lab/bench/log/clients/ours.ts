/** Our own Produce and Fetch, over kafkajs's connections. */
import { openKafkaLog } from '../../../../services/runtime/log/kafka/kafka-log.ts';
import type { OpenClient } from './bare-client.ts';

export const openOurs: OpenClient = async (brokers) => {
  // As for the others: the bytes sent here only count, and would compress to nothing.
  const log = await openKafkaLog({ brokers, clientId: 'ours', compression: 'none' });
  return {
    append: (records) => log.append(records),
    readAll: async (topic, partitions, count) => {
      const reader = log.reader();
      for (let partition = 0; partition < partitions; partition++) reader.seek(topic, partition, 0);
      let bytes = 0;
      for (let left = count; left > 0; ) {
        const records = await reader.poll({ maxBytes: 1 << 20, waitMs: 1_000 });
        for (const { value } of records) bytes += value.length;
        left -= records.length;
      }
      await reader.close();
      return bytes;
    },
    close: () => log.close(),
  };
};
