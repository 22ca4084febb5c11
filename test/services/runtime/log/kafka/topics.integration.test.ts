/** Topics, foreign clients, and what is wrong with a cluster, on a real broker. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompressionTypes, Kafka, logLevel } from 'kafkajs';
import { startBroker, type TestBroker } from '../../../../../lab/kafka/broker.ts';
import { skipReason } from '../../../../../lab/kafka/components.ts';
import { freePorts } from '../../../../../lab/kafka/daemon.ts';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import type { Log, LogRecord } from '../../../../../services/runtime/log/log.ts';
import { until } from '../../../until.ts';

const skip = (await skipReason()) ?? false;
process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';

describe('topics on Kafka, and other clients of them', { skip }, () => {
  let broker: TestBroker;
  let log: Log;
  let foreign: Kafka;
  let count = 0;
  const newTopic = () => `topics-${process.pid}-${count++}`;

  before(async () => {
    broker = await startBroker();
    const brokers = broker.brokers.split(',');
    log = await openKafkaLog({ brokers, clientId: 'topics' });
    foreign = new Kafka({ clientId: 'foreign', brokers, logLevel: logLevel.NOTHING });
  });
  after(async () => {
    await log?.close();
    await broker?.stop();
  });

  const withAdmin = async <T>(act: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> => {
    const admin = foreign.admin();
    await admin.connect();
    try {
      return await act(admin);
    } finally {
      await admin.disconnect();
    }
  };
  const settingsOf = async (topic: string) => {
    const { resources } = await withAdmin((admin) =>
      admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name: topic }] }),
    );
    return Object.fromEntries(resources[0]?.configEntries.map((e) => [e.configName, e.configValue]) ?? []);
  };
  const makeElsewhere = async (topic: string, numPartitions: number, settings: Record<string, string> = {}) => {
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    await withAdmin((admin) =>
      admin.createTopics({
        topics: [{ topic, numPartitions, replicationFactor: 1, configEntries }],
        // It fails where the broker does not know of the topic yet.
        waitForLeaders: false,
      }),
    );
    while ((await log.partitionsOf(topic)) < numPartitions) await sleep(10);
  };
  const readFrom = async (topic: string, offset: number, wanted: number): Promise<LogRecord[]> => {
    const reader = log.reader();
    reader.seek(topic, 0, offset);
    const records: LogRecord[] = [];
    for (let polls = 0; records.length < wanted && polls < 20; polls++) {
      records.push(...(await reader.poll({ maxBytes: 1 << 20, waitMs: 500 })));
    }
    await reader.close();
    return records;
  };

  it('Kafka keeps state topics for ever, and other topics by the brokers’ settings', async () => {
    const [state, time] = [newTopic(), newTopic()];
    await log.createTopics([
      { name: state, partitions: 2, retention: 'state' },
      { name: time, partitions: 3, retention: 'time' },
    ]);
    const settings = await settingsOf(state);
    assert.equal(settings['retention.ms'], '-1');
    assert.equal(settings['cleanup.policy'], 'delete');
    assert.notEqual((await settingsOf(time))['retention.ms'], '-1');
    assert.deepEqual([await log.partitionsOf(state), await log.partitionsOf(time)], [2, 3]);
    assert.equal(await log.partitionsOf(newTopic()), 0);
  });

  it('topics are created once when several processes create them at the same time', async () => {
    const specs = [newTopic(), newTopic()].map((name) => ({ name, partitions: 4, retention: 'state' as const }));
    const others = await Promise.all(
      [1, 2, 3].map(() => openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'racer' })),
    );
    await Promise.all([log, ...others].map((each) => each.createTopics(specs)));
    assert.equal(await log.partitionsOf(specs[0]?.name as string), 4);
    await Promise.all(others.map((each) => each.close()));
  });

  it('a state topic that loses records is refused, with the setting and the remedy', async () => {
    for (const [setting, value] of [
      ['retention.ms', '60000'],
      ['cleanup.policy', 'compact'],
    ] as const) {
      const name = newTopic();
      await makeElsewhere(name, 2, { 'retention.ms': '-1', [setting]: value });
      await assert.rejects(log.createTopics([{ name, partitions: 2, retention: 'state' }]), (error: Error) => {
        assert.match(error.message, new RegExp(`${name}.*${setting}=${value}.*--add-config`));
        return (error as { code?: string }).code === 'TOPIC_MISMATCH';
      });
      await log.createTopics([{ name, partitions: 2, retention: 'time' }]);
    }
  });

  it('a group over topics of unequal partition counts is refused by name', async () => {
    const [four, three] = [newTopic(), newTopic()];
    await log.createTopics([
      { name: four, partitions: 4, retention: 'state' },
      { name: three, partitions: 3, retention: 'state' },
    ]);
    const joined = log.join({ group: newTopic(), topics: [four, three], onAssigned: () => {}, onFailure: () => {} });
    await assert.rejects(joined, { code: 'TOPIC_MISMATCH', message: new RegExp(`${four} has 4, ${three} has 3`) });
  });

  it('a record larger than the topic allows is refused, and appends continue', async () => {
    const name = newTopic();
    await makeElsewhere(name, 1, { 'max.message.bytes': '2000' });
    const append = (bytes: number) => log.append([{ topic: name, partition: 0, key: null, value: randomBytes(bytes) }]);
    await assert.rejects(append(5000), { code: 'RECORD_TOO_LARGE', message: new RegExp(name) });
    assert.deepEqual(await append(10), [0]);
  });

  it('a batch larger than the topic allows is split, and what waits behind it is appended', async () => {
    const name = newTopic();
    await makeElsewhere(name, 1, { 'max.message.bytes': '2000' });
    const of = (bytes: number) => ({ topic: name, partition: 0, key: null, value: randomBytes(bytes) });
    const [many, behind] = [log.append(Array.from({ length: 50 }, () => of(300))), log.append([of(20)])];
    assert.deepEqual(await many, [...Array(50).keys()]);
    assert.deepEqual(await behind, [50]);
  });

  it('only records that do not fit, and those that depend on one, are rejected', async () => {
    const name = newTopic();
    await makeElsewhere(name, 1, { 'max.message.bytes': '2000' });
    const of = (bytes: number) => ({ topic: name, partition: 0, key: null, value: randomBytes(bytes) });
    const [mixed, behind] = [log.append([of(100), of(5000), of(100), of(6000)]), log.append([of(20)])];
    await assert.rejects(mixed, (error: Error & { indexes?: readonly number[] }) => {
      assert.deepEqual(error.indexes, [1, 3]);
      return true;
    });
    assert.deepEqual(await behind, [2]);
    const [first, second] = [log.append([of(5000)], { leads: true }), log.append([of(20)], { leads: true })];
    await assert.rejects(first, { code: 'RECORD_TOO_LARGE' });
    await assert.rejects(second, { code: 'RECORD_TOO_LARGE' });
    assert.equal((await log.offsets(name, 0)).end, 3, 'no hole in what rests on each other');
    assert.deepEqual(await log.append([of(10)]), [3]);
  });

  it('topics are checked again after a while, so added partitions are found', async () => {
    const name = newTopic();
    const fresh = await openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'fresh', metadataMs: 200 });
    await makeElsewhere(name, 1);
    const append = (partition: number) =>
      fresh.append([{ topic: name, partition, key: null, value: Buffer.from('a') }]);
    await append(0);
    await assert.rejects(append(2), { message: /no partition 2/ });
    await withAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic: name, count: 3 }] }));
    const deadline = Date.now() + 20_000;
    for (let landed = false; !landed; ) {
      assert.ok(Date.now() < deadline, 'the new partition is not found');
      await sleep(100);
      landed = await append(2).then(
        () => true,
        () => false,
      );
    }
    await fresh.close();
  });

  it('any client reads what the log writes, gzip too', async () => {
    const topic = newTopic();
    await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
    const zipping = await openKafkaLog({
      brokers: broker.brokers.split(','),
      clientId: 'zipping',
      compression: 'gzip',
    });
    await log.append([{ topic, partition: 0, key: Buffer.from('k'), value: Buffer.from('v'), headers: { h: 'é' } }]);
    await zipping.append([
      { topic, partition: 0, key: Buffer.from('z'), value: Buffer.from('v'), headers: { h: 'é' } },
      { topic, partition: 0, key: null, value: Buffer.alloc(200_000, 1) },
    ]);
    await zipping.close();
    const consumer = foreign.consumer({ groupId: newTopic(), maxWaitTimeInMs: 50 });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const seen: { key: string | undefined; bytes: number | undefined; header: string | undefined }[] = [];
    await new Promise<void>((resolve) => {
      void consumer.run({
        eachMessage: async ({ message }) => {
          const { key, value, headers } = message;
          seen.push({ key: key?.toString(), bytes: value?.length, header: headers?.['h']?.toString() });
          if (seen.length === 3) resolve();
        },
      });
    });
    await consumer.disconnect();
    assert.deepEqual(seen, [
      { key: 'k', bytes: 1, header: 'é' },
      { key: 'z', bytes: 1, header: 'é' },
      { key: undefined, bytes: 200_000, header: undefined },
    ]);
  });

  it('the log reads what any client writes: gzip, and transactions except aborted ones', async () => {
    const topic = newTopic();
    await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
    const plain = foreign.producer();
    await plain.connect();
    await plain.send({ topic, compression: CompressionTypes.GZIP, messages: [{ value: 'zipped' }, { value: 'too' }] });
    await plain.disconnect();
    const producer = foreign.producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    for (const [value, end] of [
      ['aborted', 'abort'],
      ['committed', 'commit'],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ value }] });
      await transaction[end]();
    }
    await producer.disconnect();
    await log.append([{ topic, partition: 0, key: null, value: Buffer.from('ours') }]);
    const read = await readFrom(topic, 0, 4);
    assert.deepEqual(
      read.map(({ value }) => value.toString()),
      ['zipped', 'too', 'committed', 'ours'],
    );
    assert.ok(read.every(({ offset }, i) => i === 0 || offset > (read[i - 1] as LogRecord).offset));
    assert.equal((await log.last(topic, 0))?.value.toString(), 'ours');
  });

  it('the newest record is found behind the marker of a transaction', async () => {
    const topic = newTopic();
    await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
    await log.append([{ topic, partition: 0, key: null, value: Buffer.from('newest') }]);
    const producer = foreign.producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: Array.from({ length: 5 }, () => ({ value: 'aborted' })) });
    await transaction.abort();
    await producer.disconnect();
    // An abort is answered before its marker is written.
    await until(async () => (await log.offsets(topic, 0)).end === 7);
    assert.equal((await log.last(topic, 0))?.value.toString(), 'newest');
  });

  it('an address that does not answer is named soon, whether refused, silent or not a broker', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const [refused] = await freePorts(1);
    for (const address of [`127.0.0.1:${refused}`, `127.0.0.1:${port}`]) {
      const startMs = Date.now();
      await assert.rejects(openKafkaLog({ brokers: [address], clientId: 'x', openTimeoutMs: 300 }), {
        code: 'BROKER_UNREACHABLE',
        message: new RegExp(`${address}.*check the address`),
      });
      assert.ok(Date.now() - startMs < 10_000);
    }
    silent.close();
    await assert.rejects(openKafkaLog({ brokers: ['nowhere'], clientId: 'x' }), { code: 'INVALID_ARGUMENT' });
  });

  it('the log starts with one of several addresses', async () => {
    const [refused] = await freePorts(1);
    const brokers = [`127.0.0.1:${refused}`, ...broker.brokers.split(',')];
    const other = await openKafkaLog({ brokers, clientId: 'x' });
    await other.close();
  });
});

describe('a broker that asks for a login', { skip }, () => {
  let broker: TestBroker;
  before(async () => {
    broker = await startBroker({
      own: true,
      protocol: 'SASL_PLAINTEXT',
      settings: {
        'sasl.enabled.mechanisms': 'PLAIN',
        'sasl.mechanism.inter.broker.protocol': 'PLAIN',
        'listener.name.client.plain.sasl.jaas.config':
          'org.apache.kafka.common.security.plain.PlainLoginModule required ' +
          'username="broker" password="inner" user_broker="inner" user_crawler="secret";',
      },
    });
  });
  after(() => broker?.stop());

  const open = (password: string | undefined) =>
    openKafkaLog({
      brokers: broker.brokers.split(','),
      clientId: 'login',
      openTimeoutMs: 500,
      ...(password !== undefined && { sasl: { mechanism: 'plain', username: 'crawler', password } }),
    });

  it('a broker that asks for a login admits the right password for appends and reads', async () => {
    const log = await open('secret');
    await log.createTopics([{ name: 'login.t', partitions: 1, retention: 'state' }]);
    assert.deepEqual(await log.append([{ topic: 'login.t', partition: 0, key: null, value: Buffer.from('a') }]), [0]);
    const reader = log.reader();
    reader.seek('login.t', 0, 0);
    assert.equal((await reader.poll({ maxBytes: 100, waitMs: 5000 })).length, 1);
    await log.close();
  });

  it('a refused login is reported at once, without a retry', async () => {
    const startMs = Date.now();
    await assert.rejects(open('wrong'), {
      code: 'BROKER_UNREACHABLE',
      message: /rejects the login.*check the SASL user/,
    });
    assert.ok(Date.now() - startMs < 3000);
  });

  it('a missing login is hinted at', async () => {
    await assert.rejects(open(undefined), { code: 'BROKER_UNREACHABLE' });
  });
});
