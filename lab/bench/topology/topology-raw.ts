/**
 * The limit of a client alone: it reads the records of `discovered` without decoding them, and appends the records that
 * the frontier made of them, of the same sizes and in the same order, to topics that no crawl uses. It works in rounds
 * of some megabytes, as records that were read are held until they are appended.
 */
import { openKafkaLog } from '../../../services/runtime/log/kafka/kafka-log.ts';
import type { Log, LogRecord } from '../../../services/runtime/log/log.ts';
import type { BenchOptions } from '../bench-options.ts';
import { startCost } from '../process/process-cost.ts';

export interface RawClient {
  readonly read: Spent;
  readonly append: Spent;
  readonly readBytes: number;
  readonly appendedBytes: number;
}

interface Spent {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

const pollBytes = 1 << 20;
const none: Spent = { seconds: 0, cpuSeconds: 0 };

export async function measureRawClient({ brokers, crawl, partitions, compression }: BenchOptions): Promise<RawClient> {
  const log = await openKafkaLog({ brokers: brokers.split(','), clientId: 'raw', compression });
  try {
    let [read, append, readBytes, appendedBytes] = [none, none, 0, 0];
    for await (const { records, spent } of rounds(log, `${crawl}.discovered`, partitions)) {
      read = sum(read, spent);
      readBytes += bytesOf(records);
    }
    for (const name of ['frontier-changelog', 'tasks']) {
      const [from, to] = [`${crawl}.${name}`, `${crawl}.raw-${name}`];
      await log.createTopics([{ name: to, partitions, retention: 'time' }]);
      for await (const { records } of rounds(log, from, partitions)) {
        const end = startCost();
        await log.append(records.map(({ partition, key, value }) => ({ topic: to, partition, key, value })));
        append = sum(append, end());
        appendedBytes += bytesOf(records);
      }
    }
    return { read, append, readBytes, appendedBytes };
  } finally {
    await log.close();
  }
}

/** All records of a topic as one reader polls them, with the cost of each poll. */
async function* rounds(log: Log, topic: string, partitions: number) {
  const reader = log.reader();
  try {
    let left = 0;
    for (let partition = 0; partition < partitions; partition++) {
      const { start, end } = await log.offsets(topic, partition);
      left += end - start;
      reader.seek(topic, partition, start);
    }
    while (left > 0) {
      const end = startCost();
      const records = await reader.poll({ maxBytes: pollBytes, waitMs: 1_000 });
      const spent = end();
      left -= records.length;
      yield { records, spent };
    }
  } finally {
    await reader.close();
  }
}

function bytesOf(records: readonly LogRecord[]): number {
  return records.reduce((bytes, { value }) => bytes + value.length, 0);
}

function sum(a: Spent, b: Spent): Spent {
  return { seconds: a.seconds + b.seconds, cpuSeconds: a.cpuSeconds + b.cpuSeconds };
}
