import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clock, SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { Log, LogReader } from '../../../../services/runtime/log/log.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { CrawlstreamError, type ErrorCode } from '../../../../topology/errors.ts';

const clock = new SystemClock();
const coded = (code: ErrorCode) => (error: unknown) => error instanceof CrawlstreamError && error.code === code;
const record = (value: string | Buffer, partition = 0, topic = 't') => ({
  topic,
  partition,
  key: null,
  value: Buffer.from(value as string),
});
const topics = [
  { name: 't', partitions: 2, retention: 'time' as const },
  { name: 's', partitions: 1, retention: 'state' as const },
];

function handClock(startMs: number): Clock & { ms: number } {
  const hand = { ms: startMs, nowMs: () => hand.ms, sleepUntil: async () => {} };
  return hand;
}

async function valuesOf(log: Log, topic: string, partition: number): Promise<string[]> {
  const { start, end } = await log.offsets(topic, partition);
  const reader = log.reader();
  reader.seek(topic, partition, start);
  const values: string[] = [];
  while (values.length < end - start) {
    for (const each of await reader.poll({ maxBytes: 5000, waitMs: 0 })) values.push(each.value.toString());
  }
  await reader.close();
  return values;
}

/** Rows of the store that hold records. */
async function recordRows(store: StateStore): Promise<number> {
  let count = 0;
  for await (const _ of store.scan({ gte: Buffer.from('Lr'), lt: Buffer.from('Ls') })) count++;
  return count;
}

/** A log whose records are read from disk, where a read of `t/1` waits for what `held` gives. */
async function logOnDisk(held: () => Promise<void>) {
  const memory = createMemoryStore();
  const store: StateStore = {
    ...memory,
    async *scan(range) {
      for await (const row of memory.scan(range)) {
        if (row[1].includes('of one')) await held();
        yield row;
      }
    },
  };
  const log = await openEmbeddedLog(store, clock, { tailBytes: 0 });
  await log.createTopics(topics);
  for (const value of ['a', 'b']) await log.append([record(value, 0), record(`${value} of one`, 1)]);
  const reader = log.reader();
  for (const partition of [0, 1]) reader.seek('t', partition, 0);
  const poll = async () => (await reader.poll({ maxBytes: 1_000, waitMs: 0 })).map(({ value }) => `${value}`);
  return { log, reader, poll };
}

describe('a poll that reads several partitions from disk', () => {
  it('a poll drops what it read of a partition that was sought or dropped meanwhile', async () => {
    let meanwhile = () => {};
    const { log, reader, poll } = await logOnDisk(async () => meanwhile());
    meanwhile = () => reader.seek('t', 0, 1);
    assert.deepEqual(await poll(), ['a of one', 'b of one']);
    meanwhile = () => {};
    assert.deepEqual(await poll(), ['b'], 'from where it was sought to');

    for (const partition of [0, 1]) reader.seek('t', partition, 0);
    meanwhile = () => reader.drop('t', 0);
    assert.deepEqual(await poll(), ['a of one', 'b of one']);
    await log.close();
  });

  it('a poll reports no error at a position that was left while it was read', async () => {
    for (const leave of [
      (reader: LogReader) => reader.seek('t', 1, 2),
      (reader: LogReader) => reader.drop('t', 1),
      (reader: LogReader) => reader.pause('t', 1),
    ]) {
      let meanwhile = async () => {};
      const { log, reader, poll } = await logOnDisk(() => meanwhile());
      meanwhile = async () => {
        meanwhile = async () => {};
        leave(reader);
        throw new CrawlstreamError('OFFSET_OUT_OF_RANGE', 'trimmed');
      };
      assert.deepEqual(await poll(), ['a', 'b']);
      await log.close();
    }
  });

  it('a poll skips no record of a partition that is paused while it is read', async () => {
    let meanwhile = () => {};
    const { log, reader, poll } = await logOnDisk(async () => meanwhile());
    meanwhile = () => reader.pause('t', 1);
    assert.deepEqual(await poll(), ['a', 'b']);
    reader.resume('t', 1);
    meanwhile = () => {};
    assert.deepEqual(await poll(), ['a of one', 'b of one']);
    await log.close();
  });

  it('a poll skips no record of a partition if another cannot be read', async () => {
    let fails = true;
    const { log, poll } = await logOnDisk(async () => {
      if (fails) throw new CrawlstreamError('STORE_FAILED', 'the disk is away');
    });
    await assert.rejects(poll(), coded('STORE_FAILED'));
    fails = false;
    assert.deepEqual(await poll(), ['a', 'b', 'a of one', 'b of one']);
    await log.close();
  });
});

describe('embedded log', () => {
  it('the embedded log groups appends that arrive during a write into one write', async () => {
    const faults = createFaultStore(createMemoryStore());
    const log = await openEmbeddedLog(faults, clock);
    await log.createTopics(topics);
    const before = faults.writes();
    await Promise.all(Array.from({ length: 100 }, (_, i) => log.append([record(String(i), i % 2)])));
    assert.equal(faults.writes() - before, 1);
    const large = Buffer.alloc(1 << 20);
    await Promise.all(Array.from({ length: 12 }, () => log.append([record(large)])));
    assert.equal(faults.writes() - before, 1 + 3, 'groups of about 4 MB');
  });

  it('the embedded log delays small appends that follow closely, but not the first one', async () => {
    const faults = createFaultStore(createMemoryStore());
    const hand = handClock(1_000);
    const slept: number[] = [];
    let wake = () => {};
    hand.sleepUntil = (untilMs) =>
      new Promise((resolve) => {
        wake = resolve;
        slept.push(untilMs);
      });
    const log = await openEmbeddedLog(faults, hand, { groupIntervalMs: 5 });
    await log.createTopics(topics);
    await log.append([record('a')]);
    assert.deepEqual(slept, []);
    const before = faults.writes();
    const appended = [log.append([record('b')])];
    for (let i = 0; i < 10; i++) {
      await Promise.resolve();
      appended.push(log.append([record('c')]));
    }
    assert.deepEqual(slept, [1_005]);
    hand.ms = 1_005;
    wake();
    await Promise.all(appended);
    assert.equal(faults.writes() - before, 1);
  });

  it('the embedded log rejects a failed group, all behind it and every later append, and leaves no hole', async () => {
    const inner = createMemoryStore();
    const log = await openEmbeddedLog(createFaultStore(inner, { failAt: 3, failCode: 'DISK_FULL' }), clock);
    await log.createTopics(topics);
    await log.append([record('kept')]);
    const large = Buffer.alloc(5 << 20);
    const results = await Promise.allSettled([large, large, 'c'].map((value) => log.append([record(value)])));
    for (const result of results) assert.ok(result.status === 'rejected' && coded('DISK_FULL')(result.reason));
    await assert.rejects(log.append([record('later')]), coded('DISK_FULL'));
    assert.deepEqual(await log.offsets('t', 0), { start: 0, end: 1 });
    assert.deepEqual(await valuesOf(log, 't', 0), ['kept']);
    await log.close();
    const again = await openEmbeddedLog(inner, clock);
    assert.deepEqual(await again.append([record('next')]), [1]);
  });

  it('the embedded log keeps every acknowledged record, whichever write the process dies at', async () => {
    const script = async (log: Log, acked: string[]) => {
      await log.createTopics(topics);
      for (let i = 0; i < 12; i++) {
        await log.append([record(`${i}-a`), record(`${i}-b`, 1)]);
        acked.push(`${i}`);
        if (i === 6) await log.trim('t', 1, 4);
        await log.commit('g', [{ topic: 't', partition: 0, offset: i }]);
      }
    };
    const dry = createFaultStore(createMemoryStore());
    await script(await openEmbeddedLog(dry, clock, { segmentBytes: 1000 }), []);
    for (let crashAt = 1; crashAt <= dry.writes(); crashAt++) {
      for (const when of ['before', 'after'] as const) {
        const inner = createMemoryStore();
        const acked: string[] = [];
        const faults = createFaultStore(inner, { crashAt, when, loseUnsynced: crashAt % 4 });
        await assert.rejects(script(await openEmbeddedLog(faults, clock, { segmentBytes: 1000 }), acked));
        const again = await openEmbeddedLog(inner, clock);
        await again.createTopics(topics);
        const found = await valuesOf(again, 't', 0);
        assert.ok(found.length === acked.length || found.length === acked.length + 1, `crash ${when} write ${crashAt}`);
        assert.deepEqual(
          found,
          found.map((_, i) => `${i}-a`),
        );
        const { start, end } = await again.offsets('t', 1);
        assert.equal(end, found.length, 'an append is whole or not there');
        assert.ok(start === 0 || start === 4);
        assert.deepEqual(await valuesOf(again, 't', 1), found.map((_, i) => `${i}-b`).slice(start));
        assert.ok(((await again.committed('g', 't', 0)) ?? -1) < found.length);
        assert.deepEqual(await again.append([record('next', 1)]), [end]);
      }
    }
  });

  it('the embedded log finds records over many segments, after a reopen, from any offset', async () => {
    const store = createMemoryStore();
    let log = await openEmbeddedLog(store, clock, { segmentBytes: 2000, tailBytes: 0 });
    await log.createTopics(topics);
    const expected: string[] = [];
    for (let i = 0; i < 60; i++) {
      if (i % 20 === 10) log = await openEmbeddedLog(store, clock, { segmentBytes: 2000, tailBytes: 0 });
      // Partition 1 is silent for whole segments.
      await log.append([record(`v${i}`.padEnd(300, '.')), ...(i % 25 === 0 ? [record(`w${i}`, 1)] : [])]);
      expected.push(`v${i}`.padEnd(300, '.'));
    }
    for (const from of [0, 1, 29, 30, 58, 59]) {
      const reader = log.reader();
      reader.seek('t', 0, from);
      const got: string[] = [];
      while (got.length < 60 - from) {
        for (const each of await reader.poll({ maxBytes: 3000, waitMs: 0 })) got.push(each.value.toString());
      }
      assert.deepEqual(got, expected.slice(from));
    }
    assert.deepEqual(await valuesOf(log, 't', 1), ['w0', 'w25', 'w50']);
    assert.equal((await log.last('t', 1))?.value.toString(), 'w50');
  });

  it('the embedded log deletes records by age, to the record, only in topics kept by time', async () => {
    const store = createMemoryStore();
    const hand = handClock(1_000);
    const log = await openEmbeddedLog(store, hand, { segmentBytes: 1500 });
    await log.createTopics(topics);
    for (let i = 0; i < 40; i++) {
      hand.ms = 1_000 + i * 10;
      await log.append([record(String(i)), record(String(i), 0, 's')]);
    }
    assert.equal(await log.expire('t', 0, 500), 0);
    assert.equal(await log.expire('t', 0, 1_205), 21);
    assert.equal((await valuesOf(log, 't', 0))[0], '21');
    await assert.rejects(log.expire('s', 0, 1_205), coded('INVALID_ARGUMENT'));
    assert.equal(await recordRows(store), 19 + 40, 'the rows are gone too');
    assert.equal(await log.expire('t', 0, 9_999), 40);
    const again = await openEmbeddedLog(store, hand);
    assert.deepEqual(await again.offsets('t', 0), { start: 40, end: 40 });
    assert.deepEqual(await again.append([record('on')]), [40]);
    assert.equal((await valuesOf(again, 's', 0)).length, 40);
  });

  it('the embedded log never writes a timestamp before an earlier one, even if the clock was set back', async () => {
    const store = createMemoryStore();
    const first = await openEmbeddedLog(store, handClock(5_000));
    await first.createTopics(topics);
    await first.append([record('a')]);
    const second = await openEmbeddedLog(store, handClock(1_000));
    await second.append([record('b')]);
    assert.equal((await second.last('t', 0))?.timestampMs, 5_000);
  });

  it('the embedded log shows readers only durable records', async () => {
    let release = () => {};
    const inner = createMemoryStore();
    const held = new Promise<void>((resolve) => (release = resolve));
    let holding = false;
    const store: StateStore = {
      ...inner,
      write: async (ops, options) => {
        if (holding) await held;
        return inner.write(ops, options);
      },
    };
    const log = await openEmbeddedLog(store, clock);
    await log.createTopics(topics);
    holding = true;
    const appended = log.append([record('a')]);
    const reader = log.reader();
    reader.seek('t', 0, 0);
    assert.deepEqual(await reader.poll({ maxBytes: 100, waitMs: 10 }), []);
    assert.deepEqual(await log.offsets('t', 0), { start: 0, end: 0 });
    release();
    await appended;
    assert.equal((await reader.poll({ maxBytes: 100, waitMs: 10 })).length, 1);
  });

  it('the embedded log finds records in transit while everything before them is trimmed', async () => {
    const log = await openEmbeddedLog(createMemoryStore(), clock, { tailBytes: 0 });
    await log.createTopics(topics);
    await log.append([record('a')]);
    for (let end = 1; end < 30; end++) {
      const [offsets] = await Promise.all([log.append([record(`v${end}`)]), log.trim('t', 0, end)]);
      assert.deepEqual(offsets, [end]);
      assert.deepEqual(await valuesOf(log, 't', 0), [`v${end}`]);
    }
  });

  it('the embedded log refuses records that no row can hold', async () => {
    const log = await openEmbeddedLog(createMemoryStore(), clock);
    await log.createTopics(topics);
    await assert.rejects(log.append([{ ...record('v'), key: Buffer.alloc(70_000) }]), coded('INVALID_ARGUMENT'));
    await assert.rejects(
      log.append([{ ...record('v'), headers: { h: 'x'.repeat(70_000) } }]),
      coded('INVALID_ARGUMENT'),
    );
    await assert.rejects(log.append([record(Buffer.alloc(17 << 20))]), coded('INVALID_ARGUMENT'));
  });
});
