/** Readers that say where they are, at brokers in three racks (KIP-392). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startBroker, type TestBroker } from '../../../../../lab/kafka/broker.ts';
import { skipReason } from '../../../../../lab/kafka/components.ts';
import { createBrokerWatch } from '../../../../../services/runtime/log/kafka/broker-watch.ts';
import { type Cluster, openCluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import { KafkaReader } from '../../../../../services/runtime/log/kafka/reader.ts';
import type { Log, LogReader } from '../../../../../services/runtime/log/log.ts';

const skip = (await skipReason()) ?? false;
const racks = ['a', 'b', 'c'];
const topic = 'rack.read';

describe('a reader in the rack of a replica', { skip, timeout: 600_000 }, () => {
  let broker: TestBroker;
  let log: Log;
  let cluster: Cluster;
  let leader: number;
  /** Nodes that were asked for records. */
  const asked: number[] = [];

  before(async () => {
    broker = await startBroker({ own: true, brokers: 3, racks });
    log = await openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'rack' });
    await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
    const addresses = broker.brokers.split(',').map((one) => ({ host: '127.0.0.1', port: Number(one.split(':')[1]) }));
    const times = { openTimeoutMs: 30_000, patienceMs: 30_000, metadataMs: 300_000 };
    const options = { clientId: 'rack-reader', credentials: () => ({}) };
    const watch = createBrokerWatch(() => {});
    const inner = await openCluster(addresses, options, times, watch);
    cluster = {
      ...inner,
      link(nodeId, purpose) {
        if (purpose.startsWith('fetch-')) asked.push(nodeId);
        return inner.link(nodeId, purpose);
      },
    };
    leader = await cluster.leaderOf(topic, 0);
  });
  after(async () => {
    cluster?.close();
    await log?.close();
    await broker?.stop();
  });

  let appended = 0;
  const append = async (count: number) => {
    const records = Array.from({ length: count }, (_, i) => ({
      ...{ topic, partition: 0, key: null },
      value: Buffer.from(`${appended + i}`),
    }));
    await log.append(records);
    appended += count;
  };
  const readerAt = (rack: string | undefined) =>
    new KafkaReader(
      cluster,
      async (name, partition) => log.offsets(name, partition),
      async () => undefined,
      120_000,
      () => {},
      rack,
    );
  const read = async (reader: LogReader, to: number) => {
    const values: number[] = [];
    while ((values.at(-1) ?? -1) < to - 1) {
      for (const { value } of await reader.poll({ maxBytes: 1 << 20, waitMs: 5_000 })) values.push(Number(value));
    }
    return values;
  };
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

  it('a reader without a rack, or in the leader’s rack, reads from the leader', async () => {
    await append(50);
    for (const rack of [undefined, racks[leader - 1]!]) {
      asked.length = 0;
      const reader = readerAt(rack);
      reader.seek(topic, 0, 0);
      assert.deepEqual(await read(reader, 50), numbers(0, 50));
      assert.deepEqual([...new Set(asked)], [leader]);
      await reader.close();
    }
  });

  it('a reader is sent to the replica in its rack, and returns to the leader when that is gone', async () => {
    const replica = [1, 2, 3].find((node) => node !== leader)!;
    asked.length = 0;
    const reader = readerAt(racks[replica - 1]);
    reader.seek(topic, 0, 0);
    assert.deepEqual(await read(reader, 50), numbers(0, 50));
    await append(50);
    assert.deepEqual(await read(reader, 100), numbers(50, 100));
    assert.equal(asked[0], leader, 'who leads says where to read');
    assert.ok(asked.includes(replica) && [...new Set(asked)].length === 2, `${asked}`);
    asked.length = 0;
    await broker.kill(replica - 1);
    await append(50);
    assert.deepEqual(await read(reader, 150), numbers(100, 150));
    assert.ok(asked.includes(leader), `${asked}`);
    await reader.close();
  });
});
