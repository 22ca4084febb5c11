/** A crawl on a real Kafka that outgrew its partitions: moved into topics of a new name, and gone on with there. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, runCommand } from '../../lab/process/command.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { recordsOf } from '../../services/runtime/log/records-of.ts';
import { partitionOfRecord } from '../../topology/wire/wire.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';

const skip = (await skipReason()) ?? false;

describe('a crawl on Kafka', { skip, timeout: 300_000 }, () => {
  let broker: TestBroker;
  let folder: string;
  before(async () => {
    broker = await startBroker();
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-repartition-'));
  });
  after(async () => {
    await broker?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('a crawl moves from 4 partitions by host into 16 by domain with every URL, fetches each page once, and has its records where the wire’s page says', async () => {
    const web = await startSmallWeb({ preset: 'plain', hosts: 6, domains: 3, pagesPerHost: 8 });
    const options = { cwd: folder, patienceMs: 200_000 };
    const json = async (args: readonly string[]) => {
      const ended = await runCommand([...args, '--brokers', broker.brokers, '--json'], options);
      assert.equal(ended.code, 0, ended.stderr);
      return lastJson(ended);
    };
    const crawl = (name: string, ...more: string[]) =>
      json([...web.crawlArguments, '--crawl', name, '--data', join(folder, name), '--delay', '20ms', ...more]);
    const four = `four-${process.pid}`;
    const sixteen = `sixteen-${process.pid}`;
    const first = await crawl(four, '--partitions', '4', '--max-pages', '15');
    assert.deepEqual([first['end'], first['pages']], ['quotaSpent', 15]);
    const into = ['--into', sixteen, '--partitions', '16', '--key', 'domain'];
    const moved = await json(['repartition', '--crawl', four, ...into]);
    assert.deepEqual([moved['admitted'], moved['hosts']], [first['admitted'], first['hosts']]);
    const rest = await crawl(sixteen, '--partitions', '16', '--max-pages', 'none');
    assert.equal(rest['end'], 'done');
    assert.equal(rest['pages'], web.plan.expected(web.port).fetch.size);
    const { missing, duplicates, unexpected } = web.check({ delayMs: 20 });
    assert.deepEqual([missing.count, duplicates.count, unexpected.count], [0, 0, 0]);
    const checked = await json(['topics', 'check', '--crawl', sixteen]);
    assert.deepEqual([checked['partitions'], checked['keyMode'], checked['missing']], [16, 'domain', []]);

    const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
    try {
      for (const topic of ['discovered', 'tasks', 'results', 'pages', 'robots'] as const) {
        const byHost = new Set<boolean>();
        for (let partition = 0; partition < 16; partition++) {
          const { start, end } = await log.offsets(`${sixteen}.${topic}`, partition);
          for await (const { key } of recordsOf(log, `${sixteen}.${topic}`, partition, start, end)) {
            assert.equal(partitionOfRecord(topic, `${key}`, 16, 'domain'), partition, `${topic}: ${key}`);
            byHost.add(partitionOfRecord(topic, `${key}`, 16, 'host') === partition);
          }
        }
        // A key that is hashed as it is names the domain.
        assert.equal(byHost.has(false), !['discovered', 'results'].includes(topic), topic);
      }
    } finally {
      await log.close();
    }
  });
});
