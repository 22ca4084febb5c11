/** A topic and a metric that are declared, and no more: what follows of them everywhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MetricName } from '../../../services/runtime/metrics/metrics.ts';
import { metrics } from '../../../services/runtime/metrics/metrics.ts';
import { type TopicName, topicNames, topics } from '../../../topology/topics.ts';

// As if their lines stood in the lists. This file has a process of its own; what reads the lists is loaded after this.
const name = 'summaries' as TopicName;
(topicNames as unknown as TopicName[]).push(name);
Object.assign(topics, {
  [name]: { name, key: 'host key', copies: true, retention: 'time', settings: { 'retention.ms': '86400000' } },
});
const metric = 'crawlstream_summaries_written_total' as MetricName;
Object.assign(metrics, { [metric]: { kind: 'counter', help: 'Summaries written', labels: ['reason'] } });
const { topicsOfCrawl } = await import('../../../topology/topics.ts');
const topology = await import('../../../services/application/topology.ts');
const { servicesOf } = await import('../../../services/application/access.ts');

test('a declared topic is created with the others, with its settings, on the embedded log and for Strimzi', async () => {
  const { openEmbeddedLog } = await import('../../../services/runtime/log/embedded-log.ts');
  const { createMemoryStore } = await import('../../../services/runtime/store/memory-store.ts');
  const { SystemClock } = await import('../../../services/runtime/clock.ts');
  const { kafkaTopic } = await import('../../../services/planning/strimzi.ts');
  const specs = topicsOfCrawl('news', 3);
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics(specs);
  assert.equal(await log.partitionsOf('news.summaries'), 3);
  await log.close();
  const manifest = kafkaTopic(specs.find((spec) => spec.name === 'news.summaries')!, 3, 'my-cluster');
  assert.match(JSON.stringify(manifest), /"partitions":3.*"retention\.ms":"86400000"/);
});

test('records of a declared topic with copies are erased if their page is gone, and others stay', async () => {
  const { forgetTopics } = await import('../../../services/operation/forget/forget-topics.ts');
  const { openEmbeddedLog } = await import('../../../services/runtime/log/embedded-log.ts');
  const { createMemoryStore } = await import('../../../services/runtime/store/memory-store.ts');
  const { SystemClock } = await import('../../../services/runtime/clock.ts');
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics(topicsOfCrawl('news', 1));
  const record = (url: string) => ({
    ...{ topic: 'news.summaries', partition: 0, key: Buffer.from(url) },
    value: Buffer.from(JSON.stringify({ url, fetchedAtMs: 1 })),
  });
  await log.append([record('http://gone.test/'), record('http://a.test/')]);
  const codec = {
    prepare: async () => {},
    decode: (_: string, value: Buffer) => JSON.parse(value.toString()),
  };
  const topics = { log, erase: log.erase, codec: codec as never, crawl: 'news', partitions: 1 };
  const gone = { has: (url: string) => url.includes('gone'), isPurged: () => true };
  const places = await forgetTopics(topics, gone);
  assert.deepEqual(
    places.find(({ place }) => place === 'topic summaries'),
    { place: 'topic summaries', removed: 1, left: 0 },
  );
  await log.close();
});

test('a receipt on brokers names a declared topic with copies, where age alone erases', async () => {
  const { beyondReachOnBrokers } = await import('../../../services/operation/forget/forget.ts');
  const places = beyondReachOnBrokers('news').map(({ place }) => place);
  assert.ok(places.includes('topics responses, render, duplicates, summaries'), `${places}`);
});

test('a processor that declares a topic is drawn with it, and has rights to it on a broker', () => {
  const writer = { name: 'summary', does: 'sums up pages', reads: ['pages' as const], writes: [name], stores: [] };
  (topology.processors as unknown as object[]).push(writer);
  assert.match(topology.mermaid(), /summary --> summaries\n/);
  assert.match(topology.dot(), /processor_summary -> summaries;/);
  const access = servicesOf([writer])[0]!.access('news');
  assert.deepEqual(access.find((one) => one.name === 'news.summaries')?.operations, ['Write']);
});

test('a declared metric is exported with its help and kind if it has samples', async () => {
  const { createExposition } = await import('../../../services/runtime/metrics/exposition.ts');
  const { scrape } = createExposition(
    () => [async (report) => report.value(metric, 3, { reason: 'long' })],
    (error) => assert.fail(String(error)),
  );
  const { text } = await scrape();
  assert.match(text, /# HELP crawlstream_summaries_written_total Summaries written\n/);
  assert.match(text, /# TYPE crawlstream_summaries_written_total counter\n/);
  assert.match(text, /crawlstream_summaries_written_total\{reason="long"\} 3\n/);
});
