/** A page that is taken back leaves the segments of a real broker, by compaction alone; those that are not stay. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import kafkajs from 'kafkajs';
import { startBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { topicsOfCrawl } from '../../topology/topics.ts';
import { until } from '../services/until.ts';

test('tombstones remove pages from a broker’s disk', {
  skip: (await skipReason()) ?? false,
  timeout: 600_000,
}, async (t) => {
  // A broker looks for what is to be compacted every 15 s otherwise.
  const broker = await startBroker({ own: true, settings: { 'log.cleaner.backoff.ms': '200' } });
  t.after(() => broker.stop());
  const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
  t.after(() => log.close());
  const topic = 'crawl.pages';
  await log.createTopics(topicsOfCrawl('crawl', 1).filter(({ name }) => name === topic));
  const admin = new kafkajs.Kafka({ brokers: [broker.brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  t.after(() => admin.disconnect());
  const resources = [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic }];
  const reported = await admin.describeConfigs({ resources, includeSynonyms: false });
  const policy = reported.resources[0]!.configEntries.find(({ configName }) => configName === 'cleanup.policy');
  assert.equal(policy?.configValue, 'compact,delete', 'as we make the topic');
  // Days become moments; that and how it is cleaned up are as we make it.
  const soon = {
    'cleanup.policy': 'compact,delete',
    'min.compaction.lag.ms': '0',
    'max.compaction.lag.ms': '1000',
    'delete.retention.ms': '0',
    'segment.ms': '500',
    'min.cleanable.dirty.ratio': '0.01',
  };
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name: topic,
        configEntries: Object.entries(soon).map(([name, value]) => ({ name, value })),
      },
    ],
  });

  const page = (name: string, value: Buffer | null) => ({
    topic,
    partition: 0,
    key: Buffer.from(`http://a.test/${name}`),
    value: value ?? Buffer.alloc(0),
  });
  const numbers = Array.from({ length: 100 }, (_, n) => n);
  await log.append(numbers.map((n) => page(`${n}`, Buffer.from(`body of <${n}>`))));
  const gone = numbers.filter((n) => n % 10 === 0);
  await log.append(gone.map((n) => page(`${n}`, null)));

  const segments = () => {
    const folder = broker.partitionFolder(topic, 0);
    const names = readdirSync(folder).filter((name) => name.endsWith('.log'));
    return names.map((name) => readFileSync(join(folder, name)).toString('latin1')).join('');
  };
  assert.ok(gone.every((n) => segments().includes(`body of <${n}>`)));
  let beats = 0;
  await until(async () => {
    // Segments are rolled, and so cleaned, as records come.
    await log.append([page('beat', Buffer.from(`${beats++}`))]);
    const there = segments();
    return gone.every((n) => !there.includes(`body of <${n}>`));
  }, 120_000);
  const there = segments();
  for (const n of numbers.filter((one) => one % 10 !== 0)) assert.ok(there.includes(`body of <${n}>`), `${n}`);
});
