/** Who makes a crawl's topics, what becomes of partitions that somebody adds, and transfers beside members; on a real broker. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';

const skip = (await skipReason()) ?? false;
process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
const patienceMs = 150_000;

describe('partition counts on Kafka', { skip, timeout: 300_000 }, () => {
  let broker: TestBroker;
  let folder: string;
  const started: Running[] = [];
  before(async () => {
    broker = await startBroker();
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-counts-'));
  });
  after(async () => {
    for (const { child, ended } of started) {
      child.kill('SIGKILL');
      await ended;
    }
    await broker?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const start = (args: readonly string[]): Running => {
    const running = startCommand([...args, '--brokers', broker.brokers], { cwd: folder, patienceMs });
    started.push(running);
    return running;
  };
  const end = async (running: Running) => {
    running.child.kill('SIGTERM');
    return running.ended;
  };
  const says = async (running: Running, what: RegExp) => {
    for (const untilMs = Date.now() + 60_000; !what.test(running.output()); await sleep(50)) {
      const isOver = running.child.exitCode !== null || Date.now() > untilMs;
      if (isOver && !what.test(running.output())) assert.fail(`it never said ${what}:\n${running.output()}`);
    }
  };
  const countsOf = async (crawl: string): Promise<Record<string, number>> => {
    const admin = new Kafka({ brokers: broker.brokers.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      const names = (await admin.listTopics()).filter((name) => name.startsWith(`${crawl}.`));
      const { topics } = await admin.fetchTopicMetadata({ topics: names });
      return Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions.length]));
    } finally {
      await admin.disconnect();
    }
  };
  const alter = async (topic: string, count: number) => {
    const admin = new Kafka({ brokers: broker.brokers.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    try {
      await admin.createPartitions({ topicPartitions: [{ topic, count }] });
    } finally {
      await admin.disconnect();
    }
  };

  it('partition counts on Kafka are the frontier’s choice, whoever starts first: a fetcher waits, and creates nothing', async () => {
    const crawl = `first-${process.pid}`;
    const fetcher = start(['fetcher', '--crawl', crawl, '--resolve', '*:127.0.0.1']);
    await says(fetcher, /does not exist: .*frontier or topics create/);
    assert.deepEqual(await countsOf(crawl), {});
    const frontier = start(['frontier', '--crawl', crawl, '--partitions', '12', '--data', join(folder, crawl)]);
    await says(fetcher, /ready, crawl/);
    await says(frontier, /ready, crawl/);
    const counts = await countsOf(crawl);
    assert.ok(Object.keys(counts).length > 8);
    assert.deepEqual([...new Set(Object.values(counts))], [12]);
    await Promise.all([end(fetcher), end(frontier)]);
  });

  it('partition counts on Kafka that somebody raises are reported, and the surplus is not read; transfers wait for all to stop', async () => {
    const web = await startSmallWeb({ preset: 'plain', hosts: 4, pagesPerHost: 4 });
    const crawl = `raised-${process.pid}`;
    const at = ['--crawl', crawl];
    const brokers = ['--brokers', broker.brokers];
    const made = await runCommand(['topics', 'create', ...at, ...brokers, '--partitions', '3', '--json']);
    assert.deepEqual(lastJson(made)['surplus'], [], made.stderr);
    for (const topic of ['discovered', 'tasks', 'control', 'pages']) await alter(`${crawl}.${topic}`, 5);
    const checked = await runCommand(['topics', 'check', ...at, ...brokers]);
    assert.equal(checked.code, 0, checked.stderr);
    assert.match(checked.stderr, /the crawl has 3 partitions, but .*discovered has 5.*not read.*repartition/);

    const frontier = start(['frontier', ...at, '--data', join(folder, crawl)]);
    const fetcher = start(['fetcher', ...at, '--resolve', `*:${web.port}:127.0.0.1`]);
    for (const running of [frontier, fetcher]) {
      await says(running, /the crawl has 3 partitions, but .*tasks has 5/);
      await says(running, /ready, crawl/);
    }
    for (const command of [
      ['dump', join(folder, 'refused.jsonl')],
      ['repartition', '--into', `${crawl}-new`, '--partitions', '5'],
    ]) {
      const refused = await runCommand([...command, ...at, ...brokers], { cwd: folder });
      assert.equal(refused.code, 2, refused.stderr);
      assert.match(refused.stderr, new RegExp(`${crawl}\\.fetcher has 1 member.*stop them first`));
    }
    const seeds = web.crawlArguments.filter((one) => one.startsWith('http'));
    const sent = await runCommand(['inject', ...seeds, ...at, ...brokers, '--delay', '20ms']);
    assert.equal(sent.code, 0, sent.stderr);
    const expected = web.plan.expected(web.port).fetch.size;
    for (const untilMs = Date.now() + 60_000; ; await sleep(300)) {
      const stats = await runCommand(['stats', ...at, ...brokers, '--json']);
      if (lastJson(stats)['pages'] === expected) break;
      assert.ok(Date.now() < untilMs, `${stats.stdout}\n${stats.stderr}`);
    }
    await Promise.all([end(fetcher), end(frontier)]);
    const dumped = await runCommand(['dump', join(folder, 'taken.jsonl'), ...at, ...brokers, '--json'], {
      cwd: folder,
    });
    assert.equal(dumped.code, 0, dumped.stderr);
  });
});
