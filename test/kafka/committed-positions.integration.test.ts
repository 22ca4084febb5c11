/** What Kafka's own tools see of a crawl: who its clients are, and how far its frontier is; what they do changes nothing. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, Kafka, type KafkaJSError, logLevel } from 'kafkajs';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { listening, scrape } from '../services/cli/listening.ts';

const skip = (await skipReason()) ?? false;
const crawl = `told-${process.pid}`;
const group = `${crawl}.frontier`;
const topic = `${crawl}.discovered`;
const urls = 50;

describe('Kafka’s tools', { skip, timeout: 300_000 }, () => {
  let broker: TestBroker;
  let folder: string;
  let admin: Admin;
  let frontier: Running;

  const start = () =>
    startCommand(
      ['frontier', '--crawl', crawl, '--brokers', broker.brokers, '--data', join(folder, 'a'), '--http', '0'],
      { patienceMs: 280_000 },
    );
  before(async () => {
    broker = await startBroker();
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-told-'));
    admin = new Kafka({ brokers: broker.brokers.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const at = ['--crawl', crawl, '--brokers', broker.brokers];
    const made = await runCommand(['topics', 'create', ...at, '--partitions', '2']);
    assert.equal(made.code, 0, made.stderr);
    frontier = start();
    const seeds = Array.from({ length: urls }, (_, n) => `https://h${n}.example/`);
    const sent = await runCommand(['inject', ...seeds, ...at]);
    assert.equal(sent.code, 0, sent.stderr);
  });
  after(async () => {
    frontier?.child.kill('SIGKILL');
    await frontier?.ended;
    await admin?.disconnect();
    await broker?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** kafkajs does not ask again by itself where a broker under load does not know yet that it coordinates the group. */
  const known = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error as KafkaJSError).retriable) throw error;
        await sleep(200);
      }
    }
  };
  /** By partition, as `kafka-consumer-groups.sh --describe` shows them; -1: none. */
  const committed = async () => {
    const [reported] = await known(() => admin.fetchOffsets({ groupId: group, topics: [topic] }));
    const found = reported!.partitions.toSorted((a, b) => a.partition - b.partition);
    return found.map(({ offset }) => Number(offset));
  };
  const ends = async () => {
    const found = await admin.fetchTopicOffsets(topic);
    return found.toSorted((a, b) => a.partition - b.partition).map(({ high }) => Number(high));
  };
  const untilReported = async () => {
    for (;;) {
      const [reported, there] = [await committed(), await ends()];
      if (there.reduce((sum, end) => sum + end, 0) > 0 && `${reported}` === `${there}`) return reported;
      assert.equal(frontier.child.exitCode, null, frontier.output());
      await sleep(200);
    }
  };
  const admitted = async () => {
    const series = await scrape(await listening(frontier));
    return [...series]
      .filter(([name]) => name.startsWith('crawlstream_frontier_admissions_total'))
      .reduce((sum, [, value]) => sum + value, 0);
  };

  it('Kafka’s tools see the frontier’s decided positions, by its group', async () => {
    await untilReported();
    assert.equal(await admitted(), urls);
  });

  it('Kafka’s tools see role, crawl and instance of each client', async () => {
    const { groups } = await admin.describeGroups([group]);
    const [member] = groups[0]!.members;
    const { pid } = frontier.child;
    assert.match(member!.clientId, new RegExp(`^crawlstream-frontier-${crawl}-.*-${pid}$`));
  });

  it('Kafka’s tools agree with the process’s own metrics', async () => {
    const series = await scrape(await listening(frontier));
    assert.ok(series.get(`crawlstream_kafka_rebalances_total{group="${group}"}`)! >= 1);
    for (const api of ['Fetch', 'Produce', 'OffsetCommit']) {
      assert.ok(series.get(`crawlstream_kafka_requests_total{api="${api}"}`)! > 0, api);
      assert.equal(series.get(`crawlstream_kafka_request_failures_total{api="${api}"}`), 0, api);
    }
    assert.equal(series.get('crawlstream_partitions'), 2);
    assert.equal(series.get('crawlstream_brokers_away'), 0);
  });

  it('Kafka’s tools see no lag of a frontier that was stopped right after its decision', async () => {
    await untilReported();
    const seeds = Array.from({ length: urls }, (_, n) => `https://h${n}.example/late`);
    const sent = await runCommand(['inject', ...seeds, '--crawl', crawl, '--brokers', broker.brokers]);
    assert.equal(sent.code, 0, sent.stderr);
    while ((await admitted()) < 2 * urls) await sleep(20);
    frontier.child.kill('SIGTERM');
    await frontier.ended;
    assert.deepEqual(await committed(), await ends());
    frontier = start();
    await untilReported();
  });

  it('Kafka’s tools change nothing by setting an offset', async () => {
    const reported = await untilReported();
    frontier.child.kill('SIGTERM');
    await frontier.ended;
    const partitions = reported.map((_, partition) => ({ partition, offset: partition === 0 ? '0' : '999999' }));
    await admin.setOffsets({ groupId: group, topic, partitions });
    frontier = start();
    assert.deepEqual(await untilReported(), reported);
    assert.equal(await admitted(), 2 * urls);
  });
});
