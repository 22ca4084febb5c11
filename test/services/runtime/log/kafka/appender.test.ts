import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { Appender } from '../../../../../services/runtime/log/kafka/appender.ts';
import { transient } from '../../../../../services/runtime/log/kafka/errors.ts';
import { kafkaLimits } from '../../../../../services/runtime/log/kafka/kafka-limits.ts';
import type { AppendRecord } from '../../../../../services/runtime/log/log.ts';
import { CrawlstreamError } from '../../../../../topology/errors.ts';
import { type Script, scriptedCluster, topic } from './scripted-cluster.ts';

const record = (value: string, partition = 0): AppendRecord => ({
  ...{ topic, partition, key: null, value: Buffer.from(value) },
});
const notEnoughReplicas = 19;
const large = (value: string) => record(value + '-'.repeat(500_000));

/** Broker 1 takes its first request and holds the answer back; then the leader moves to broker 2. */
function slowOldLeader(script: Script = {}) {
  let release = () => {};
  let isFirst = true;
  const scripted = scriptedCluster(1, {
    ...script,
    async answering(node) {
      if (node === 1 && isFirst) {
        isFirst = false;
        await new Promise<void>((resolve) => (release = resolve));
      }
      await script.answering?.(node);
    },
  });
  const appender = new Appender(scripted.cluster, new SystemClock(), 3_000, undefined);
  const move = async () => {
    await sleep(10);
    scripted.leaders[0] = 2;
    scripted.forget();
  };
  return { ...scripted, log: scripted.logs[0]!, appender, move, release: () => release() };
}

test('a success that arrives after another broker acknowledged the same batch does not count for the next batch', async () => {
  let open = () => {};
  let requests = 0;
  const it = slowOldLeader({
    // The next batch is refused on its way until the late answer has been looked at.
    async arriving(node) {
      if (node !== 2 || ++requests !== 2) return;
      await new Promise<void>((resolve) => (open = resolve));
      throw transient('the request is lost');
    },
  });
  const three = it.appender.append([large('x'), large('y'), large('z')]);
  await it.move();
  const kick = it.appender.append([record('k')]);
  await sleep(40);
  it.release();
  await sleep(10);
  open();
  assert.deepEqual(await Promise.all([three, kick]), [[0, 1, 2], [3]]);
  assert.equal(it.log.map((value) => value[0]).join(''), 'xyzk');
});

test('a late success does not skip sequence numbers: later appends are not refused as lost', async () => {
  const it = slowOldLeader();
  const first = it.appender.append([record('x'), record('y')], { leads: true });
  await it.move();
  const second = it.appender.append([record('z')], { leads: true });
  await Promise.all([first, second]);
  const third = it.appender.append([record('p'), record('q')], { leads: true });
  it.release();
  const fourth = it.appender.append([record('r')], { leads: true });
  assert.deepEqual(await Promise.all([third, fourth]), [[3, 4], [5]]);
  assert.equal(it.log.join(''), 'xyzpqr');
});

for (const [what, code] of [
  ['out of order', 45],
  ['too large', 10],
  ['not allowed', 29],
  ['an unknown error', 999],
] as const)
  test(`a batch that one broker took and a second broker calls ${what} is in the log once`, async () => {
    let refusals = 0;
    const it = slowOldLeader({ refusing: (node) => (node === 2 && ++refusals === 1 ? code : undefined) });
    const both = it.appender.append([record('x'), record('y')]);
    await it.move();
    const third = it.appender.append([record('z')]);
    await sleep(40);
    assert.ok(refusals > 0);
    it.release();
    assert.deepEqual(await Promise.all([both, third]), [[0, 1], [2]]);
    assert.equal(it.log.join(''), 'xyz');
  });

test('a refusal that arrives after the batch was acknowledged changes nothing', async () => {
  let isFirst = true;
  const it = slowOldLeader({
    refusing(node) {
      if (node !== 1 || !isFirst) return undefined;
      isFirst = false;
      return 45;
    },
  });
  const first = it.appender.append([record('x')], { leads: true });
  await it.move();
  const second = it.appender.append([record('y'), record('z')], { leads: true });
  assert.deepEqual(await Promise.all([first, second]), [[0], [1, 2]]);
  const third = it.appender.append([record('p')], { leads: true });
  it.release();
  assert.deepEqual(await third, [3]);
  assert.equal(it.log.join(''), 'xyzp');
});

test('the last refusal decides when no broker took the batch', async () => {
  const it = slowOldLeader({ refusing: () => 29 });
  const appends = [it.appender.append([record('x')])];
  await it.move();
  appends.push(it.appender.append([record('y')]));
  const settled = Promise.allSettled(appends);
  await sleep(30);
  it.release();
  for (const each of await settled)
    assert.match(`${(each as PromiseRejectedResult).reason}`, /is not allowed for this user/);
});

test('a missing leader does not fail a batch whose answer was late', async () => {
  let find = () => {};
  let looks = 0;
  const it = slowOldLeader({
    async looking() {
      if (++looks > 1) return;
      await new Promise<void>((resolve) => (find = resolve));
      throw new CrawlstreamError('STORE_FAILED', 'the topic is gone');
    },
  });
  const first = it.appender.append([record('x')]);
  await it.move();
  const second = it.appender.append([record('y')]);
  await sleep(10);
  it.release();
  assert.deepEqual(await first, [0]);
  find();
  assert.deepEqual(await second, [1]);
});

/** Answers that are lost, late and out of order, leaders that move, topics that are forgotten, batches that are refused. */
async function randomRun(seed: number): Promise<void> {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  const random = () => {
    for (const [left, by] of [
      [true, 13],
      [false, 17],
      [true, 5],
    ] as const)
      state = (state ^ (left ? state << by : state >>> by)) >>> 0;
    return state / 2 ** 32;
  };
  const below = (n: number) => Math.floor(random() * n);
  const losing = (what: string, share: number) => {
    if (random() < share) throw transient(what);
  };
  const partitions = 3;
  const scripted = scriptedCluster(partitions, {
    async arriving() {
      await sleep(below(4));
      losing('the request is lost', 0.04);
    },
    // Halves of a batch that is too large are sent under the same number.
    refusing: (_node, _partition, records) => (records > 4 ? 10 : undefined),
    async answering() {
      await sleep(random() < 0.15 ? 20 + below(60) : below(4));
      losing('the answer is lost', 0.04);
    },
    async looking() {
      await sleep(below(5));
      losing('there is no leader', 0.05);
    },
  });
  const appender = new Appender(scripted.cluster, new SystemClock(), 4_000, undefined);
  let isOver = false;
  const moves = (async () => {
    while (!isOver) {
      await sleep(5 + below(10));
      const moved = below(partitions);
      if (random() < 0.3) scripted.leaders[moved] = 1 + (scripted.leaders[moved]! % 3);
      if (random() < 0.5) scripted.forget();
    }
  })();
  let count = 0;
  const appends: Promise<unknown>[] = [];
  for (let i = 0; i < 80; i++) {
    const records = Array.from({ length: 1 + below(4) }, () => record(`${count++}`, below(partitions)));
    const check = (offsets: number[]) =>
      records.forEach(({ partition, value }, at) => {
        const held = scripted.logs[partition]![offsets[at]!];
        assert.equal(held, value.toString(), `seed ${seed}: an acknowledged record is not at its offset`);
      });
    appends.push(appender.append(records).then(check));
    if (random() < 0.5) await sleep(below(8));
  }
  await Promise.all(appends);
  isOver = true;
  await moves;
  await appender.close();
  for (const log of scripted.logs) {
    const numbers = log.map(Number);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
      `seed ${seed}: twice, or in another order`,
    );
  }
}

test('appends are in the log once, in order and at their offsets, whatever brokers lose, delay and reorder', async () => {
  await Promise.race([
    Promise.all(Array.from({ length: 24 }, (_, i) => randomRun(i + 1))),
    sleep(60_000, undefined, { ref: false }).then(() => assert.fail('appends did not settle')),
  ]);
});

test('a partition whose appends were given up is not blocked by them when it is used again later', async (t) => {
  let isRefusing = true;
  const { cluster } = scriptedCluster(1, { refusing: () => (isRefusing ? notEnoughReplicas : undefined) });
  const appender = new Appender(cluster, new SystemClock(), 100, undefined);
  await assert.rejects(appender.append([record('a')]), /NOT_ENOUGH_REPLICAS/);
  assert.deepEqual(appender.blocked(), []);
  const laterMs = performance.now() + 2 * kafkaLimits.blockedAppendMs;
  t.mock.method(performance, 'now', () => laterMs);
  assert.deepEqual(
    appender.blocked().map(({ isGivenUp }) => isGivenUp),
    [true],
  );
  const late = appender.append([record('b')]);
  await sleep(20);
  assert.deepEqual(appender.blocked(), []);
  isRefusing = false;
  t.mock.restoreAll();
  await late.catch(() => {});
  await appender.append([record('c')]);
  assert.deepEqual(appender.blocked(), []);
});

test('a partition that is appended to again at once after its appends were given up stays blocked', async (t) => {
  const { cluster } = scriptedCluster(1, { refusing: () => notEnoughReplicas });
  const appender = new Appender(cluster, new SystemClock(), 100, undefined);
  const beganMs = performance.now();
  await assert.rejects(appender.append([record('a')]), /NOT_ENOUGH_REPLICAS/);
  const late = appender.append([record('b')]);
  await sleep(20);
  const laterMs = beganMs + kafkaLimits.blockedAppendMs + 50;
  t.mock.method(performance, 'now', () => laterMs);
  const [blocked] = appender.blocked();
  assert.equal(blocked?.isGivenUp, false);
  assert.equal(blocked?.broker, 'b:1');
  assert.match(blocked?.why ?? '', /NOT_ENOUGH_REPLICAS/);
  t.mock.restoreAll();
  await assert.rejects(late);
});

const tooLarge = 10;

test('a batch that is too large for a broker is sent in parts, in order', async () => {
  const sizes: number[] = [];
  const { cluster, logs } = scriptedCluster(1, {
    refusing: (_node, _partition, records) => {
      sizes.push(records);
      return records > 1 ? tooLarge : undefined;
    },
  });
  const appender = new Appender(cluster, new SystemClock(), 3_000, undefined);
  const values = ['a', 'b', 'c', 'd', 'e'];
  assert.deepEqual(await appender.append(values.map((value) => record(value))), [0, 1, 2, 3, 4]);
  assert.deepEqual(logs[0], values);
  assert.equal(sizes.filter((size) => size === 1).length, 5);
  await appender.close();
});

test('a record that is too large alone is refused, and the other records of its append are appended', async () => {
  let isFirst = true;
  const { cluster, logs } = scriptedCluster(2, {
    refusing: (_node, partition, records) => {
      if (partition !== 0 || records > 1 || !isFirst) return partition === 0 && records > 1 ? tooLarge : undefined;
      isFirst = false;
      return tooLarge;
    },
  });
  const appender = new Appender(cluster, new SystemClock(), 3_000, undefined);
  const appending = appender.append([record('large'), record('b'), record('other', 1)]);
  await assert.rejects(appending, (error) => {
    assert.ok(error instanceof CrawlstreamError);
    assert.deepEqual([error.code, (error as { indexes?: readonly number[] }).indexes], ['RECORD_TOO_LARGE', [0]]);
    return true;
  });
  assert.deepEqual(logs, [['b'], ['other']]);
  assert.deepEqual(await appender.append([record('c')]), [1]);
  await appender.close();
});

test('one request to a broker has at most as many bytes as it may, and the rest follows', async () => {
  const partitions = 20;
  const { cluster, logs } = scriptedCluster(partitions, {});
  const sizes: number[] = [];
  const link: typeof cluster.link = async (node, purpose) => {
    const opened = await cluster.link(node, purpose);
    const send: typeof opened.send = async (request) => {
      const { encode } = request.request as unknown as { encode(): Promise<{ buffer: Buffer }> };
      sizes.push((await encode()).buffer.length);
      return opened.send(request);
    };
    return { ...opened, send };
  };
  const appender = new Appender({ ...cluster, link }, new SystemClock(), 3_000, undefined);
  const value = 'x'.repeat(kafkaLimits.batchBytesMax - 1_000);
  await appender.append(Array.from({ length: partitions }, (_, partition) => record(value, partition)));
  for (const log of logs) assert.equal(log.length, 1);
  const [largest, all] = [Math.max(...sizes), sizes.reduce((sum, size) => sum + size, 0)];
  assert.ok(largest <= kafkaLimits.produceBytesMax + 10_000, `${largest}`);
  assert.ok(largest > 5 * value.length, 'several partitions share a request');
  assert.ok(all > partitions * value.length);
  await appender.close();
});

test('an error that does not pass fails the append at once', async () => {
  let requests = 0;
  const { cluster } = scriptedCluster(1, {
    arriving() {
      requests += 1;
      throw new CrawlstreamError('INVALID_ARGUMENT', 'the login is refused');
    },
  });
  const appender = new Appender(cluster, new SystemClock(), 3_000, undefined);
  await assert.rejects(appender.append([record('a')]), { code: 'INVALID_ARGUMENT' });
  assert.equal(requests, 1);
  await appender.close();
});
