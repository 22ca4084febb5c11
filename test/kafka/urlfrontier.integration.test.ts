/** A served crawl on a real Kafka: several servers, each asked for what another has. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBroker } from '../../lab/kafka/broker.ts';
import { startBroker } from '../../lab/kafka/broker.ts';
import { skipReason } from '../../lab/kafka/components.ts';
import { freePorts } from '../../lab/kafka/daemon.ts';
import { type Running, startCommand } from '../../lab/process/command.ts';
import { type ApiClient, connect, found, known, type Message } from '../services/extras/urlfrontier/client.ts';
import { until } from '../services/extras/urlfrontier/rig.ts';

const skip = await skipReason();

interface Server {
  readonly client: ApiClient;
  readonly running: Running;
}

describe('a served crawl on Kafka', { skip: skip ?? false, timeout: 600_000 }, () => {
  let broker: TestBroker;
  let folder: string;

  before(async () => {
    broker = await startBroker();
    folder = await mkdtemp(join(tmpdir(), 'crawlstream-served-'));
  });
  after(async () => {
    await broker?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function serve(name: string, port: number): Promise<Server> {
    const flags = ['--brokers', broker.brokers, '--crawl', 'served', '--partitions', '4', '--port', `${port}`];
    const running = startCommand(['urlfrontier', ...flags, '--data', join(folder, name)], { patienceMs: 200_000 });
    while (!running.output().includes('serving crawl')) {
      if (running.child.exitCode !== null) throw new Error(running.output());
      await sleep(50);
    }
    return { running, client: connect(port) };
  }

  const urlsOf = (messages: readonly Message[]): string[] => messages.map(({ url }) => url);

  it('calls of a served crawl on Kafka reach the partitions’ owners from any server; a killed one loses nothing acknowledged', async () => {
    const ports = await freePorts(2);
    const first = await serve('a', ports[0]!);
    const second = await serve('b', ports[1]!);
    await until(
      async () => (await first.client.unary('ListNodes')).values,
      (nodes) => nodes.length === 2,
    );
    // Partitions move to the second: what is put meanwhile may fail for the moment, and is put again.
    const all = Array.from({ length: 200 }, (_, n) => `http://host-${n % 40}.com/${Math.floor(n / 40)}`);
    const putAll = async (client: ApiClient, items: readonly object[]) => {
      await until(
        () => client.all('PutURLs', items),
        (acks) => acks.every(({ status }) => status !== 'FAIL'),
      );
    };
    await putAll(
      first.client,
      all.map((url) => found(url)),
    );
    for (const { client } of [first, second]) {
      const { size, numberOfQueues } = await until(
        () => client.unary('GetStats').catch(() => ({ size: 0 })),
        ({ size: now }) => now === 200,
      );
      assert.deepEqual([size, numberOfQueues], [200, 40]);
    }
    // A partition may be on its way to a server: then it is asked again, as the answer says.
    const setDelay = (key: string) =>
      until(
        () =>
          second.client.unary('SetDelay', { key, delay_requestable: 0 }).then(
            () => true,
            () => false,
          ),
        (isSet) => isSet,
      );
    for (const key of ['', ...Array.from({ length: 40 }, (_, n) => `host-${n}.com`)]) await setDelay(key);
    const ask = { max_urls_per_queue: 1, delay_requestable: 600 };
    const got = await second.client.all('GetURLs', ask);
    assert.equal(new Set(urlsOf(got)).size, 40);
    assert.deepEqual(await first.client.all('GetURLs', ask), []);
    await putAll(
      first.client,
      urlsOf(got).map((url) => known(url)),
    );
    assert.equal((await second.client.unary('GetStats')).counts.completed, 40);
    assert.equal((await first.client.unary('GetURLStatus', { url: got[0].url })).known.refetchable_from_date, 0);
    assert.equal((await first.client.all('ListURLs', { size: 500 })).length, 200);
    assert.equal((await second.client.unary('ListQueues', { size: 500 })).values.length, 40);

    await putAll(first.client, [found('http://a.com/', { crawlID: 'other' })]);
    first.running.child.kill('SIGKILL');
    await first.running.ended;
    first.client.close();
    const left = await until(
      () => second.client.unary('GetStats').catch(() => ({ size: 0 })),
      ({ size }) => size === 160,
    );
    assert.deepEqual([left.size, left.counts.completed], [160, 40]);
    const crawls = await until(
      async () => (await second.client.unary('ListCrawls')).values as string[],
      (values) => values.length === 2,
    );
    assert.deepEqual(crawls.sort(), ['DEFAULT', 'other']);
    second.client.close();
    second.running.child.kill('SIGTERM');
    await second.running.ended;
  });
});
