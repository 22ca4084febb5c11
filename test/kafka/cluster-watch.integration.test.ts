/** What a whole crawl in one process, a server of URLFrontier's API and consumers of one's own make of a cluster that changes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { openSource } from '../../services/consumer/crawl-source.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import type { Consumer } from '../../services/runtime/consumer/consumer.ts';
import { listening } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { answersAtOnce, askedPaths } from './answers-at-once.ts';

const skip = (await skipReason()) ?? false;
process.env['KAFKAJS_NO_PARTITIONER_WARNING'] = '1';
const patienceMs = 280_000;
const crawl = 'watched';
const served = 'served';

describe('a changing cluster', { skip, timeout: 300_000 }, () => {
  let broker: TestBroker;
  let folder: string;
  let roles: Readonly<Record<string, Running>> = {};

  before(async () => {
    broker = await startBroker({ own: true });
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-watched-'));
    const web = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 200 });
    const at = ['--brokers', broker.brokers];
    const made = await runCommand(['topics', 'create', '--crawl', crawl, '--partitions', '3', ...at]);
    assert.equal(made.code, 0, made.stderr);
    await addPartitions(broker, `${crawl}.pages`, 5);
    const seeds = web.crawlArguments.filter((one) => one.startsWith('http'));
    const whole = ['crawl', ...seeds, '--crawl', crawl, '--resolve', `*:${web.port}:127.0.0.1`, '--delay', '2000ms'];
    roles = {
      crawl: startCommand([...whole, '--data', join(folder, 'crawl'), ...at, '--http', '0'], { patienceMs }),
      urlfrontier: startCommand(
        ['urlfrontier', '--crawl', served, '--port', '29471', '--data', join(folder, served), ...at, '--http', '0'],
        { patienceMs },
      ),
    };
  });
  after(async () => {
    for (const { child, ended } of Object.values(roles)) {
      child.kill('SIGKILL');
      await ended;
    }
    await broker?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const readyz = async (name: string) => {
    const response = await fetch(`${await listening(roles[name]!)}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  const until = async (name: string, status: number, text: RegExp) => {
    for (const untilMs = Date.now() + 90_000; ; await sleep(200)) {
      const now = await readyz(name);
      if (now.status === status && text.test(now.text)) return;
      assert.ok(Date.now() < untilMs, `${name} says ${now.status} ${now.text}\n${roles[name]!.output()}`);
    }
  };

  it('a changing cluster is reported in /readyz if partitions were added, by joining and running processes', async () => {
    await until('crawl', 200, /the crawl has 3 partitions, but watched\.pages has 5/);
    await until('urlfrontier', 200, /^/);
    await addPartitions(broker, `${served}.control`, 30);
    // It looks once a minute.
    await until('urlfrontier', 200, /served\.control has 30/);
  });

  it('a changing cluster gives a consumer the partitions of the crawl, and no added ones', async () => {
    const source = await openSource({ brokers: broker.brokers, crawl }, 'mine', new SystemClock());
    try {
      const assigned = await new Promise<readonly number[]>((resolve, reject) => {
        const consumer = { assign: async (partitions: readonly number[]) => resolve(partitions) };
        source.join(consumer as unknown as Consumer, ['pages'], reject).catch(reject);
      });
      assert.deepEqual([...assigned].sort(), [0, 1, 2]);
    } finally {
      await source.leave();
      await source.close();
    }
  });

  it('a changing cluster is reported in /readyz if its broker is away', async () => {
    await broker.kill();
    await Promise.all(Object.keys(roles).map((name) => until(name, 503, new RegExp(broker.brokers))));
    for (const [name, more] of [
      ['crawl', ['/partitions']],
      ['urlfrontier', []],
    ] as const) {
      await answersAtOnce(await listening(roles[name]!), [...askedPaths, ...more]);
    }
    await broker.restart();
    await Promise.all(Object.keys(roles).map((name) => until(name, 200, /^/)));
  });
});

async function addPartitions(broker: TestBroker, topic: string, count: number): Promise<void> {
  const admin = new Kafka({ brokers: broker.brokers.split(','), logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    await admin.createPartitions({ topicPartitions: [{ topic, count }] });
  } finally {
    await admin.disconnect();
  }
}
