/** Other people's records and flipped bits on a crawl's topics, on a real broker: what they stop, and what they do not. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { type FrontierGroup, joinFrontierGroup } from '../../services/frontier/frontier-group.ts';
import { createMemoryRegistry } from '../../services/runtime/avro/memory-registry.ts';
import { openCodec, type RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { statusOf } from '../../services/runtime/crawl/look.ts';
import { policyRecords, seedRecords } from '../../services/runtime/crawl/requests.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import type { Log } from '../../services/runtime/log/log.ts';
import { recordsOf } from '../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../services/runtime/store/memory-store.ts';
import { defaultPolicy } from '../../topology/policy/policy.ts';
import { topicNames, topics } from '../../topology/topics.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { flipBit } from './flip-bit.ts';

const skip = (await skipReason()) ?? false;
const clock = new SystemClock();
const partitions = 2;
const crawl = 'foreign';
const changelog = `${crawl}.frontier-changelog`;
const crawlTopics = { crawl, partitions, keyMode: 'host' } as const;

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  while (!(await holds())) {
    assert.ok(Date.now() < deadlineMs, `waited for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('on a broker that others write to', { skip, timeout: 300_000 }, () => {
  let broker: TestBroker;
  let log: Log;
  let codec: RecordCodec;
  let hosts = 0;
  const failures: unknown[] = [];
  const stopped: string[] = [];

  before(async () => {
    broker = await startBroker({ own: true });
    log = await openKafkaLog({ brokers: [broker.brokers], clientId: crawl });
    codec = await openCodec(createMemoryRegistry(), crawl);
    await log.createTopics(
      topicNames.map((name) => ({ name: `${crawl}.${name}`, partitions, retention: topics[name].retention })),
    );
    await log.append(policyRecords(codec, crawlTopics, defaultPolicy(), 'test', clock.nowMs()));
  });
  after(async () => {
    await log?.close();
    await broker?.stop();
  });

  /** A member without a folder: all it knows it has from the log. */
  const join = () =>
    joinFrontierGroup({
      ...{ log, codec, clock, crawl, partitions, key: { hi: 1, lo: 2 }, endsLeases: false, leasesPerPartition: 5 },
      openStore: async () => createMemoryStore(),
      onStopped: ({ message }) => void stopped.push(message),
      onFailure: (error) => void failures.push(error),
    });
  /** New hosts of a partition, so many, each in a message of its own. */
  const discover = async (partition: number, count: number) => {
    for (let found = 0; found < count; hosts++) {
      if (partitionOf(`h${hosts}.test`, partitions) !== partition) continue;
      await log.append(seedRecords(codec, crawlTopics, [`http://h${hosts}.test/`], clock.nowMs()));
      found += 1;
    }
  };
  const counters = (group: FrontierGroup, partition: number) => group.committed().get(partition)?.counters;
  const admitted = (group: FrontierGroup, partition: number, count: number) =>
    until(`${count} URLs of partition ${partition}`, () => counters(group, partition)?.admitted === count);
  const append = (topic: string, partition: number, value: Buffer) =>
    log.append([{ topic, partition, key: null, value }]);

  it('foreign records on the changelog are void for all, and counted', async () => {
    const first = await join();
    await discover(0, 20);
    await admitted(first, 0, 20);
    await append(changelog, 0, Buffer.from('{"hello":"world"}'));
    await append(changelog, 0, Buffer.from([0xc5, 1, 1, 7]));
    await append(changelog, 0, Buffer.alloc(0));
    await discover(0, 5);
    await until('the owner to have counted them', () => counters(first, 0)?.foreignRecords === 3);
    await admitted(first, 0, 25);
    await first.stop();
    const second = await join();
    await discover(0, 5);
    await admitted(second, 0, 30);
    assert.equal(counters(second, 0)?.foreignRecords, 3);
    assert.equal((await statusOf(log, crawl, 0)).counters.foreignRecords, 3);
    await second.stop();
    assert.deepEqual([failures, stopped], [[], []]);
  });

  it('a flipped bit in an input is a dead letter with its place, and the rest is read', async () => {
    const { end } = await log.offsets(`${crawl}.discovered`, 0);
    await discover(0, 3);
    await log.close();
    await broker.end();
    await flipBit(broker.partitionFolder(`${crawl}.discovered`, 0), end + 1);
    await broker.restart();
    log = await openKafkaLog({ brokers: [broker.brokers], clientId: crawl });
    const group = await join();
    await admitted(group, 0, 32);
    await group.stop();
    const topic = `${crawl}.dead-letters`;
    const deadLetters = [];
    const { start, end: deadLettersEnd } = await log.offsets(topic, 0);
    for await (const { value } of recordsOf(log, topic, 0, start, deadLettersEnd))
      deadLetters.push(codec.decode('dead-letters', value));
    assert.deepEqual(
      deadLetters.map(({ reason, sourceOffset }) => [reason, sourceOffset]),
      [['undecodable', end + 1]],
    );
    assert.match(
      deadLetters[0]!.detail,
      /foreign\.discovered\/0, offsets (\d+) to \1, is damaged \(its checksum is wrong\)/,
    );
  });

  it('a flipped bit in a changelog stops its partition by name, and the other goes on', async () => {
    const group = await join();
    await discover(1, 5);
    await admitted(group, 1, 5);
    await group.stop();
    await log.close();
    await broker.end();
    await flipBit(broker.partitionFolder(changelog, 1), 1);
    await broker.restart();
    log = await openKafkaLog({ brokers: [broker.brokers], clientId: crawl });
    const beside = await join();
    await discover(0, 5);
    await admitted(beside, 0, 37);
    await until('partition 1 to stand still', () => stopped.length > 0);
    const named = /partition 1, changelog offset \d+: .*foreign\.frontier-changelog\/1, offsets \d+ to \d+, is damaged/;
    assert.match(stopped[0]!, named);
    assert.match(beside.waitsFor() ?? '', named);
    assert.deepEqual([beside.stopped(), failures], [[1], []]);
    await beside.stop();
  });
});
