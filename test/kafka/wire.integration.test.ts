/** What docs/wire.md says of keys and partitions, of the records that a crawl writes to a real broker. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import type { Log, LogRecord } from '../../services/runtime/log/log.ts';
import { type TopicName, topicNames, topics } from '../../topology/topics.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import { partitionOfRecord } from '../../topology/wire/wire.ts';
import { type InProcessCrawl, startCrawlInProcess } from './crawl-in-process.ts';

const skip = (await skipReason()) ?? false;
const partitions = 4;
const hosts = 12;
const name = `wire-${process.pid}`;

describe('the records of a crawl on a broker', { skip, timeout: 400_000 }, () => {
  let broker: TestBroker;
  let crawl: InProcessCrawl;
  const failures: unknown[] = [];
  before(async () => {
    broker = await startBroker();
    crawl = await startCrawlInProcess({
      ...{ broker, crawl: name, partitions, delayMs: 50, answerMs: 5 },
      onFailure: (error) => failures.push(error),
    });
  });
  after(async () => {
    await crawl?.stop();
    await broker?.stop();
  });

  it('the records of a crawl lie where the wire’s page says that their keys lead, and host keys with a port do not by themselves', async () => {
    const urls = Array.from({ length: hosts }, (_, host) =>
      [1, 2].map((page) => `http://h${host}.test:${crawl.port}/${page}`),
    ).flat();
    await crawl.seed(urls);
    await crawl.join('one', 100);
    await crawl.until('every page is fetched', () => crawl.counters().page >= urls.length);
    const seen = new Map<TopicName, { count: number; byWholeKey: number }>();
    const log = await crawl.openLog('reader');
    for (const topic of topicNames) {
      for (let partition = 0; partition < partitions; partition++) {
        for (const { key } of await recordsOf(log, `${name}.${topic}`, partition)) {
          const text = key?.toString() ?? '';
          const expected = partitionOfRecord(topic, text, partitions, 'host');
          if (expected === null) continue;
          assert.equal(partition, expected, `${topic}: ${text}`);
          const counts = seen.get(topic) ?? { count: 0, byWholeKey: 0 };
          counts.count += 1;
          if (partitionOf(text, partitions) === partition) counts.byWholeKey += 1;
          seen.set(topic, counts);
        }
      }
    }
    for (const topic of ['discovered', 'tasks', 'results', 'pages', 'robots'] as const) {
      const { count, byWholeKey } = seen.get(topic)!;
      assert.ok(count > 0, topic);
      const isWhole = topic === 'discovered' || topic === 'results';
      assert.equal(byWholeKey === count, isWhole, `${topic}: ${byWholeKey} of ${count}`);
    }
    assert.deepEqual(failures, []);
    assert.ok(topics.pages.settings!['cleanup.policy']!.includes('compact'));
  });
});

async function recordsOf(log: Log, topic: string, partition: number): Promise<readonly LogRecord[]> {
  const { start, end } = await log.offsets(topic, partition);
  const reader = log.reader();
  reader.seek(topic, partition, start);
  const records: LogRecord[] = [];
  while (start < end && (records.at(-1)?.offset ?? -1) < end - 1) {
    const more = await reader.poll({ maxBytes: 1 << 20, waitMs: 5_000 });
    assert.ok(more.length > 0, `${topic}/${partition} is stuck at ${records.length} of ${end}`);
    records.push(...more);
  }
  await reader.close();
  return records;
}
