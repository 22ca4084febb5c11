/** Brokers that die, on a real cluster: nothing acked is lost, nothing is there twice, order holds. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBroker, type TestBroker } from '../../../../../lab/kafka/broker.ts';
import { skipReason } from '../../../../../lab/kafka/components.ts';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import type { Log, LogRecord } from '../../../../../services/runtime/log/log.ts';

const skip = (await skipReason()) ?? false;

const readAll = async (log: Log, topic: string, partition: number): Promise<LogRecord[]> => {
  const { end } = await log.offsets(topic, partition);
  const reader = log.reader();
  reader.seek(topic, partition, 0);
  const records: LogRecord[] = [];
  while (records.length < end) {
    const more = await reader.poll({ maxBytes: 1 << 20, waitMs: 5000 });
    assert.ok(more.length > 0, `stuck at ${records.length} of ${end}`);
    records.push(...more);
  }
  await reader.close();
  return records;
};

interface Stream {
  readonly acked: Map<string, number>[];
  /** Resolves when each partition has so many acked records more. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Appends numbers to each partition, eight under way at a time, until told to stop. */
function appendForever(log: Log, topic: string, partitions: number): Stream {
  let isStopped = false;
  const acked = Array.from({ length: partitions }, () => new Map<string, number>());
  const streams = acked.map(async (of, partition) => {
    const underWay: Promise<unknown>[] = [];
    for (let n = 0; !isStopped; n++) {
      const value = `${n}`;
      const append = log.append([{ topic, partition, key: null, value: Buffer.from(value) }]);
      underWay.push(append.then(([offset]) => of.set(value, offset as number)));
      if (underWay.length === 8) await underWay.shift();
      await sleep(1);
    }
    await Promise.all(underWay);
  });
  // One that fails ends them all, and is told to whoever waits: none of them appends on behind a test that is over.
  const failed = Promise.all(streams).then(() => new Promise<never>(() => {}));
  failed.catch(() => {
    isStopped = true;
  });
  return {
    acked,
    more: async (count) => {
      const wanted = acked.map((of) => of.size + count);
      const isShort = () => acked.some((of, partition) => of.size < (wanted[partition] as number));
      while (isShort()) await Promise.race([sleep(10), failed]);
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(streams);
    },
  };
}

async function assertExact(log: Log, topic: string, acked: readonly Map<string, number>[]): Promise<void> {
  for (const [partition, offsets] of acked.entries()) {
    const records = await readAll(log, topic, partition);
    assert.ok(offsets.size > 20, `only ${offsets.size} appends`);
    assert.deepEqual(
      records.map(({ value }) => value.toString()),
      Array.from({ length: offsets.size }, (_, n) => `${n}`),
      'each once, in order',
    );
    for (const { value, offset } of records) assert.equal(offsets.get(value.toString()), offset);
  }
}

describe('a broker that is killed', { skip }, () => {
  let broker: TestBroker;
  before(async () => {
    broker = await startBroker({ own: true });
  });
  after(() => broker?.stop());
  const open = (more: { deliveryTimeoutMs?: number } = {}) =>
    openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'faults', ...more });

  it('a broker that is killed and restarted during appends loses nothing acknowledged and has nothing twice', {
    timeout: 300_000,
  }, async () => {
    const log = await open();
    const topic = 'faults.appends';
    await log.createTopics([{ name: topic, partitions: 3, retention: 'state' }]);
    const reader = log.reader();
    for (const partition of [0, 1, 2]) reader.seek(topic, partition, 0);
    const stream = appendForever(log, topic, 3);
    for (let i = 0; i < 2; i++) {
      await stream.more(50);
      await broker.kill();
      assert.deepEqual(await reader.poll({ maxBytes: 1, waitMs: 0 }).then((records) => records.length <= 1), true);
      await broker.restart();
    }
    await stream.more(50);
    await stream.stop();
    await assertExact(log, topic, stream.acked);
    let read = 0;
    const total = stream.acked.reduce((sum, of) => sum + of.size, 0) - 2;
    while (read < total) {
      const more = await reader.poll({ maxBytes: 1 << 20, waitMs: 5000 });
      assert.ok(more.length > 0, 'a reader goes on by itself');
      read += more.length;
    }
    await log.close();
  });

  it('a broker that is killed rejects undeliverable appends with all behind them, and takes appends again once back', {
    timeout: 300_000,
  }, async () => {
    const log = await open({ deliveryTimeoutMs: 600 });
    const topic = 'faults.late';
    await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
    const append = (value: string) => log.append([{ topic, partition: 0, key: null, value: Buffer.from(value) }]);
    await append('before');
    await broker.kill();
    const late = await Promise.allSettled([append('lost 1'), sleep(20).then(() => append('lost 2'))]);
    for (const each of late) {
      assert.equal(each.status, 'rejected');
      const { code, retriable } = (each as PromiseRejectedResult).reason as { code: string; retriable: boolean };
      assert.deepEqual([code, retriable], ['BROKER_UNREACHABLE', true]);
    }
    await broker.restart();
    let offset: number | undefined;
    for (let tries = 0; offset === undefined && tries < 20; tries++) {
      offset = await append('after').then(
        ([first]) => first,
        () => undefined,
      );
    }
    assert.equal(offset, 1);
    assert.deepEqual(
      (await readAll(log, topic, 0)).map(({ value }) => value.toString()),
      ['before', 'after'],
    );
    await log.close();
  });

  it('a broker that is killed keeps its members in their group over a restart', { timeout: 300_000 }, async () => {
    const log = await open();
    const topic = 'faults.group';
    await log.createTopics([{ name: topic, partitions: 4, retention: 'state' }]);
    const assigned: (readonly number[])[] = [];
    const failures: unknown[] = [];
    const membership = await log.join({
      group: 'faults',
      topics: [topic],
      onAssigned: (partitions) => assigned.push(partitions),
      onFailure: (error) => failures.push(error),
    });
    await broker.kill();
    await sleep(300);
    await broker.restart();
    for (let tries = 0; tries < 40; tries++) {
      const done = await log.commit('faults', [{ topic, partition: 1, offset: 5 }]).then(
        () => true,
        () => false,
      );
      if (done) break;
      await sleep(250);
    }
    assert.equal(await log.committed('faults', topic, 1), 5);
    assert.deepEqual(assigned.at(-1), [0, 1, 2, 3]);
    assert.deepEqual(failures, []);
    await membership.leave();
    await log.close();
  });

  it('a broker that stays away fails its members and readers', { timeout: 300_000 }, async () => {
    const log = await open({ deliveryTimeoutMs: 700 });
    const topic = 'faults.gone';
    await log.createTopics([{ name: topic, partitions: 1, retention: 'state' }]);
    const reader = log.reader();
    reader.seek(topic, 0, 0);
    await reader.poll({ maxBytes: 1, waitMs: 0 });
    const failed = new Promise<unknown>((resolve) => {
      void log
        .join({ group: 'faults-gone', topics: [topic], onAssigned: () => {}, onFailure: resolve })
        .then(() => broker.kill());
    });
    assert.equal(((await failed) as { code?: string }).code, 'BROKER_UNREACHABLE');
    const readOn = async () => {
      for (;;) await reader.poll({ maxBytes: 1, waitMs: 100 });
    };
    await assert.rejects(readOn(), { code: 'BROKER_UNREACHABLE' });
    await log.close();
    await broker.restart();
  });
});

describe('three brokers', { skip, timeout: 600_000 }, () => {
  let broker: TestBroker;
  let log: Log;
  before(async () => {
    broker = await startBroker({ own: true, brokers: 3 });
    log = await openKafkaLog({ brokers: broker.brokers.split(','), clientId: 'three' });
  });
  after(async () => {
    await log?.close();
    await broker?.stop();
  });

  it('three brokers are checked for settings that endanger acknowledged records: our topics have no risk, a foreign one has', async () => {
    const settings = { 'min.insync.replicas': '1', 'unclean.leader.election.enable': 'true' };
    const spec = { partitions: 1, retention: 'state' } as const;
    const specsOf = (...names: string[]) => names.map((name) => ({ ...spec, name }));
    await log.createTopics([
      { ...spec, name: 'faults.guarded' },
      { ...spec, name: 'faults.risky', settings },
    ]);
    assert.deepEqual(await log.risks!(specsOf('faults.guarded', 'faults.absent')), []);
    const risks = await log.risks!(specsOf('faults.guarded', 'faults.risky'));
    assert.deepEqual(
      risks.map(({ text }) => /^topic (\S+): (\S+?)[=,]/.exec(text)?.slice(1)),
      [
        ['faults.risky', 'unclean.leader.election.enable'],
        ['faults.risky', 'min.insync.replicas'],
      ],
    );
  });

  it('three brokers hand over when the leader is killed: nothing acknowledged is lost or there twice', async () => {
    const topic = 'faults.three';
    await log.createTopics([{ name: topic, partitions: 3, retention: 'state' }]);
    const stream = appendForever(log, topic, 3);
    await stream.more(50);
    await broker.kill(0);
    await stream.more(50);
    await stream.stop();
    await assertExact(log, topic, stream.acked);
  });
});
