/** Compressed batches between this client and brokers, which undo and redo with Java's libraries what a topic asks for. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as zlib from 'node:zlib';
import { CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { startBroker, type TestBroker } from '../../../../../../lab/kafka/broker.ts';
import { skipReason } from '../../../../../../lab/kafka/components.ts';
import {
  type CompressionName,
  compressionNames,
} from '../../../../../../services/runtime/log/kafka/compression/names.ts';
import { openKafkaLog } from '../../../../../../services/runtime/log/kafka/kafka-log.ts';
import type { AppendRecord, Log } from '../../../../../../services/runtime/log/log.ts';
import { damageOf } from '../../../../../../topology/damaged-batch.ts';

const skip = (await skipReason()) ?? false;
process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';

describe('compression on a real broker', { skip }, () => {
  let broker: TestBroker;
  before(async () => {
    broker = await startBroker();
  });
  after(() => broker.stop());

  const open = (compression: CompressionName) =>
    openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'compression', compression });
  /** Of which some hardly compress, with all that a record has. */
  const recordsFor = (topic: string, partition: number): AppendRecord[] =>
    Array.from({ length: 60 }, (_, i) => ({
      topic,
      partition,
      key: i % 3 === 0 ? null : Buffer.from(`host-${i % 5}.example.com`),
      value: i % 20 === 0 ? noise(40_000 + i) : Buffer.from(`https://host-${i % 5}.example.com/page/${i}\n`.repeat(i)),
      headers: i % 7 === 0 ? { crawl: 'ünï' } : {},
    }));
  const readAll = async (log: Log, topic: string, partition: number, count: number) => {
    const reader = log.reader();
    reader.seek(topic, partition, 0);
    const found: AppendRecord[] = [];
    while (found.length < count) {
      const some = await reader.poll({ maxBytes: 100_000, waitMs: 5_000 });
      if (some.length === 0) break;
      found.push(...some.map(({ key, value, headers }) => ({ topic, partition, key, value, headers: { ...headers } })));
    }
    await reader.close();
    return found;
  };

  /** What a topic asks of its brokers; `producer`: batches stay as they come. */
  const wanted = ['producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'];
  const written = compressionNames.filter((name) => name !== 'zstd' || 'zstdCompressSync' in zlib);

  it('brokers read what we write with each codec, and we read what they write', async () => {
    const topics = wanted.map((type) => `to-${type}`);
    const logs = await Promise.all(written.map(open));
    const [log] = logs as [Log];
    try {
      await log.createTopics(
        wanted.map((type) => ({
          name: `to-${type}`,
          partitions: written.length,
          retention: 'time',
          settings: { 'compression.type': type },
        })),
      );
      await Promise.all(
        logs.flatMap((one, partition) => topics.map((topic) => one.append(recordsFor(topic, partition)))),
      );
      for (const topic of topics) {
        for (const [partition, name] of written.entries()) {
          const expected = recordsFor(topic, partition);
          const found = await readAll(log, topic, partition, expected.length);
          assert.deepEqual(found, expected, `${name} ${topic}`);
        }
      }
      const last = await log.last('to-zstd', 0);
      assert.deepEqual(last?.value, recordsFor('to-zstd', 0).at(-1)?.value);
    } finally {
      await Promise.all(logs.map((one) => one.close()));
    }
  });

  it('a batch that decompresses to too much becomes one record that says so, and reading goes on', async () => {
    const topic = 'bombed';
    const log = await open('none');
    try {
      await log.createTopics([{ name: topic, partitions: 1, retention: 'time' }]);
      const brokers = broker.brokers.split(',');
      const foreign = new Kafka({ clientId: 'foreign', brokers, logLevel: logLevel.NOTHING }).producer();
      await foreign.connect();
      const messages = Array.from({ length: 9 }, () => ({ value: zeros }));
      await foreign.send({ topic, compression: CompressionTypes.GZIP, messages });
      await foreign.disconnect();
      await log.append([{ topic, partition: 0, key: null, value: Buffer.from('next') }]);
      const [damaged, next] = await readAll(log, topic, 0, 2);
      assert.match(
        damageOf(damaged?.value as Buffer) ?? '',
        /bombed\/0, offsets 0 to 8, is damaged .*more in it than 64 MiB/,
      );
      assert.equal(next?.value.toString(), 'next');
    } finally {
      await log.close();
    }
  });
});

const zeros = Buffer.alloc(8 << 20);

/** Bytes without a pattern, the same for each length. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = length;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}
