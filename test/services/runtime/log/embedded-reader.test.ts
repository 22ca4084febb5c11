/** Readers of the embedded log: how partitions share a poll, what ends a wait, and what a change during a poll does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import type { LogReader, LogRecord } from '../../../../services/runtime/log/log.ts';
import { recordOverheadBytes } from '../../../../services/runtime/log/tail.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';

/** Bytes that each record counts as. */
const bytes = 10_000;

/** A log with three partitions; `counts`: their records. `isOnDisk`: nothing of it is in memory. */
async function open(
  counts: readonly number[],
  isOnDisk: boolean,
  around: (store: StateStore) => StateStore = (one) => one,
) {
  const store = around(createMemoryStore());
  const clock = createFakeClock();
  let log = await openEmbeddedLog(store, clock);
  await log.createTopics([{ name: 't', partitions: 3, retention: 'time' }]);
  const append = (partition: number) =>
    log.append([{ topic: 't', partition, key: null, value: Buffer.alloc(bytes - recordOverheadBytes) }]);
  for (const [partition, count] of counts.entries()) for (let n = 0; n < count; n++) await append(partition);
  if (isOnDisk) {
    await log.close();
    log = await openEmbeddedLog(store, clock);
  }
  const reader = log.reader();
  const seekAll = () => {
    for (const partition of counts.keys()) reader.seek('t', partition, 0);
  };
  return { clock, log, append, reader, seekAll };
}

const names = (records: readonly LogRecord[]) => records.map(({ partition, offset }) => `${partition}/${offset}`);
const poll = async (reader: LogReader, maxBytes: number, waitMs = 0) => names(await reader.poll({ maxBytes, waitMs }));
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

for (const [where, isOnDisk] of [
  ['in memory', false],
  ['on disk', true],
] as const)
  describe(`a poll of records ${where}`, () => {
    it(`a poll of records ${where} shares its bytes among partitions, and the next one goes on behind them`, async () => {
      const { reader, seekAll } = await open([1, 1, 1], isOnDisk);
      seekAll();
      assert.deepEqual(await poll(reader, 1.5 * bytes), ['0/0', '1/0']);
      assert.deepEqual(await poll(reader, 1.5 * bytes), ['2/0']);
      assert.deepEqual(await poll(reader, 1.5 * bytes), []);
      seekAll();
      assert.deepEqual(await poll(reader, bytes), ['2/0']);
      assert.deepEqual(await poll(reader, bytes), ['0/0']);
      assert.deepEqual(await poll(reader, 2 * bytes), ['1/0']);
    });

    it(`a poll of records ${where} has at least one, and those that begin below the bound`, async () => {
      const { reader, seekAll } = await open([5], isOnDisk);
      seekAll();
      assert.deepEqual(await poll(reader, 0), ['0/0']);
      assert.deepEqual(await poll(reader, 1), ['0/1']);
      assert.deepEqual(await poll(reader, bytes), ['0/2']);
      assert.deepEqual(await poll(reader, bytes + 1), ['0/3', '0/4']);
    });

    it(`a poll of records ${where} leaves out partitions that are paused or dropped, and keeps their positions`, async () => {
      const { reader, seekAll } = await open([2, 1, 1], isOnDisk);
      seekAll();
      assert.deepEqual(await poll(reader, bytes), ['0/0']);
      reader.pause('t', 0);
      reader.drop('t', 2);
      assert.deepEqual(await poll(reader, 9 * bytes), ['1/0']);
      reader.seek('t', 0, 1);
      assert.deepEqual(await poll(reader, 9 * bytes), [], 'a seek does not resume');
      reader.resume('t', 0);
      reader.resume('t', 2);
      assert.deepEqual(await poll(reader, 9 * bytes), ['0/1']);
    });

    it(`a poll of records ${where} that fails gives none, and a later one gives those of the other partitions`, async () => {
      const { reader, seekAll } = await open([2, 1, 1], isOnDisk);
      seekAll();
      reader.seek('t', 1, 9);
      await assert.rejects(reader.poll({ maxBytes: 9 * bytes, waitMs: 0 }), {
        code: 'OFFSET_OUT_OF_RANGE',
        message: /^position 9 of t\/1 is outside its range 0 to 1: /,
      });
      reader.seek('t', 1, 1);
      assert.deepEqual((await poll(reader, 9 * bytes)).sort(), ['0/0', '0/1', '2/0']);
    });
  });

describe('a change while a poll reads the disk', () => {
  /** A log on disk; `act` is called once, while partition 0 is read. */
  async function during(act: (reader: LogReader) => void, counts = [2, 1], waitMs = 0) {
    let interrupt = () => {};
    const around = (store: StateStore): StateStore => ({
      ...store,
      scan: (range) => {
        const act = interrupt;
        interrupt = () => {};
        act();
        return store.scan(range);
      },
    });
    const { reader, seekAll } = await open(counts, true, around);
    seekAll();
    interrupt = () => act(reader);
    return [await poll(reader, 9 * bytes, waitMs), await poll(reader, 9 * bytes)];
  }

  it('a seek while a poll reads the disk counts, and the records of the old position are dropped', async () => {
    assert.deepEqual(await during((reader) => reader.seek('t', 0, 1)), [['1/0'], ['0/1']]);
    // The clock stands still: the poll does not wait before it reads the new position.
    assert.deepEqual(await during((reader) => reader.seek('t', 0, 1), [2], 500), [['0/1'], []]);
  });

  it('a pause while a poll reads the disk counts, and loses nothing', async () => {
    let paused: LogReader | undefined;
    const first = await during((reader) => {
      reader.pause('t', 0);
      paused = reader;
    });
    assert.deepEqual(first, [['1/0'], []]);
    paused!.resume('t', 0);
    assert.deepEqual(await poll(paused!, 9 * bytes), ['0/0', '0/1']);
  });

  it('a partition that is dropped while a poll reads the disk gives nothing', async () => {
    assert.deepEqual(await during((reader) => reader.drop('t', 0)), [['1/0'], []]);
  });
});

describe('a poll that waits', () => {
  /** Notes when the poll ends, ms after its start. */
  async function waiting(waitMs: number) {
    const made = await open([1, 0, 0], false);
    const { clock, reader, seekAll } = made;
    seekAll();
    assert.deepEqual(await poll(reader, 9 * bytes), ['0/0']);
    const startMs = clock.nowMs();
    let ended: { readonly afterMs: number; readonly records: readonly string[] } | undefined;
    const done = poll(reader, 9 * bytes, waitMs).then((records) => {
      ended = { afterMs: clock.nowMs() - startMs, records };
    });
    await turn();
    return { ...made, done, ended: () => ended };
  }

  it('a poll that waits ends with its time', async () => {
    const { clock, ended } = await waiting(500);
    await clock.advance(499);
    assert.equal(ended(), undefined);
    await clock.advance(1);
    assert.deepEqual(ended(), { afterMs: 500, records: [] });
  });

  it('a poll that waits ends with the first record, of a partition that it reads', async () => {
    const { clock, reader, append, ended } = await waiting(500);
    reader.pause('t', 1);
    reader.drop('t', 2);
    await clock.advance(100);
    await append(1);
    await append(2);
    await turn();
    assert.equal(ended(), undefined);
    await append(0);
    await turn();
    assert.deepEqual(ended(), { afterMs: 100, records: ['0/1'] });
  });

  it('a poll that waits notices a seek back, and a partition that is resumed', async () => {
    const sought = await waiting(500);
    sought.reader.seek('t', 0, 0);
    await sought.done;
    assert.deepEqual(sought.ended(), { afterMs: 0, records: ['0/0'] });
    const resumed = await waiting(500);
    resumed.reader.pause('t', 1);
    await resumed.append(1);
    resumed.reader.resume('t', 1);
    await resumed.done;
    assert.deepEqual(resumed.ended(), { afterMs: 0, records: ['1/0'] });
  });

  it('a poll that waits ends when its reader is woken or closed, and a wake before a poll ends the next one', async () => {
    for (const act of ['wake', 'close'] as const) {
      const { reader, done, ended } = await waiting(500);
      void reader[act]();
      await done;
      assert.deepEqual(ended(), { afterMs: 0, records: [] });
    }
    const { clock, reader, done } = await waiting(0);
    await done;
    reader.wake();
    assert.deepEqual(await poll(reader, bytes, 500), []);
    let isOver = false;
    const next = poll(reader, bytes, 500).then(() => (isOver = true));
    await clock.advance(499);
    assert.equal(isOver, false);
    await clock.advance(1);
    await next;
  });

  it('a poll that waits is the only one, and a closed reader has none', async () => {
    const { reader, done } = await waiting(500);
    await assert.rejects(reader.poll({ maxBytes: 1, waitMs: 0 }), /one poll at a time/);
    await reader.close();
    await done;
    await assert.rejects(reader.poll({ maxBytes: 1, waitMs: 0 }), { code: 'STORE_CLOSED' });
  });
});
