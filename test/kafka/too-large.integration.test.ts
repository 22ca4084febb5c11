/** Topics whose brokers take only small records, as an operator may have them: what does not fit is said, nothing stops. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { startBroker, type TestBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, type Running, runCommand, startCommand } from '../../lab/process/command.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { listening, scrape } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';

const skip = (await skipReason()) ?? false;
const recordBytesMax = 1_500;

describe('topics that take only small records', { skip, timeout: 300_000 }, () => {
  let broker: TestBroker;
  let folder: string;
  const roles: Running[] = [];
  before(async () => {
    broker = await startBroker({ own: true });
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-too-large-'));
  });
  after(async () => {
    for (const { child } of roles) child.kill('SIGKILL');
    await broker?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('on topics for small records, a large page is an outcome, a dead letter loses its original, and the crawl ends', async () => {
    const at = ['--brokers', broker.brokers];
    const run = async (...args: string[]) => {
      const ended = await runCommand([...args, ...at]);
      assert.equal(ended.code, 0, ended.stderr);
      return ended;
    };
    await run('topics', 'create', '--partitions', '2');
    const admin = new kafkajs.Kafka({ brokers: broker.brokers.split(','), logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.alterConfigs({
      validateOnly: false,
      resources: ['crawl.pages', 'crawl.robots', 'crawl.dead-letters'].map((name) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name,
        configEntries: [{ name: 'max.message.bytes', value: String(recordBytesMax) }],
      })),
    });
    await admin.disconnect();
    const log = await openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'test' });
    const web = await startSmallWeb({ hosts: 3, pagesPerHost: 10, seed: 51 });
    for (const args of [
      ['frontier', '--data', join(folder, 'frontier')],
      ['fetcher', '--resolve', `*:${web.port}:127.0.0.1`],
    ]) {
      roles.push(startCommand([...args, ...at, '--http', '0'], { patienceMs: 200_000 }));
    }
    const junk = Buffer.alloc(100_000, 7);
    await log.append([{ topic: 'crawl.discovered', partition: 0, key: null, value: junk }]);
    await run('inject', ...web.seeds, '--delay', '10ms');
    const deadline = Date.now() + 120_000;
    const stats = async () => lastJson(await run('stats', '--json'));
    let now = await stats();
    for (; now['end'] === null; now = await stats()) {
      assert.ok(Date.now() < deadline, `the crawl stands still: ${JSON.stringify(now)}`);
      await sleep(250);
    }
    const { missing, duplicates } = web.check({ delayMs: 10 });
    assert.deepEqual([now['end'], missing.count, duplicates.count], ['done', 0, 0], 'every page was asked for, once');
    const series = await scrape(await listening(roles[1]!));
    assert.equal(series.get('crawlstream_fetcher_fetches_total{outcome="fetched"}'), 30, 'as the host saw it');
    assert.equal(now['pages'], 0, 'as the crawl sees it');
    const deadLetters = (await run('dlq', 'list')).stdout.trimEnd().split('\n');
    assert.equal(deadLetters.length, 1);
    assert.match(deadLetters[0]!, /undecodable +crawl\.discovered\/0|undecodable +discovered\/0/);
    assert.match(deadLetters[0]!, /only the first 1000 of its 100000 bytes are stored/);
    for (const { child, output } of roles) assert.equal(child.exitCode, null, output());
    await log.close();
  });
});
