/** What every log must do: one suite, run over each of them. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AppendRecord, Log, LogReader, LogRecord } from '../../services/runtime/log/log.ts';
import { CrawlstreamError, type ErrorCode } from '../../topology/errors.ts';

export interface OpenLog {
  readonly log: Log;
  /** Closes the log and opens it again over the same records. */
  readonly reopen: () => Promise<Log>;
  /** Closes and removes everything. */
  readonly close: () => Promise<void>;
}

/** What not every log can promise. */
export interface LogCapabilities {
  /** Offsets have no holes, so counts and exact offsets may be asserted. */
  readonly dense: boolean;
  /** `trim` takes effect before it resolves. */
  readonly trim: boolean;
  /** An append of several records is all or nothing. */
  readonly atomic: boolean;
}

const coded =
  (code: ErrorCode, ...words: string[]) =>
  (error: unknown) =>
    error instanceof CrawlstreamError && error.code === code && words.every((word) => error.message.includes(word));

let topicCount = 0;

/** Topic names are new for each test: on a shared broker, what an earlier test left must not matter. */
export function logContract(name: string, capabilities: LogCapabilities, open: () => Promise<OpenLog>): void {
  describe(`log contract: ${name}`, () => {
    let opened: OpenLog;
    let log: Log;
    let topic: string;

    beforeEach(async () => {
      opened = await open();
      log = opened.log;
      topic = `contract-${process.pid}-${topicCount++}.discovered`;
      await log.createTopics([{ name: topic, partitions: 3, retention: 'state' }]);
    });
    afterEach(() => opened.close());

    const record = (partition: number, value: string | Buffer, more: Partial<AppendRecord> = {}): AppendRecord => ({
      topic,
      partition,
      key: Buffer.from('k'),
      value: Buffer.from(value as string),
      ...more,
    });
    const values = (records: readonly LogRecord[]) => records.map((each) => each.value.toString());

    /** Polls until `count` records came, or nothing came for a while. */
    const drain = async (reader: LogReader, count: number, maxBytes = 1 << 20): Promise<LogRecord[]> => {
      const records: LogRecord[] = [];
      while (records.length < count) {
        const more = await reader.poll({ maxBytes, waitMs: 2000 });
        if (more.length === 0) break;
        records.push(...more);
      }
      return records;
    };
    const readAll = async (from: Log, partition: number): Promise<LogRecord[]> => {
      const { start, end } = await from.offsets(topic, partition);
      const reader = from.reader();
      reader.seek(topic, partition, start);
      const records: LogRecord[] = [];
      while ((records.at(-1)?.offset ?? start - 1) < end - 1) {
        const more = await reader.poll({ maxBytes: 1 << 20, waitMs: 2000 });
        if (more.length === 0) break;
        records.push(...more);
      }
      await reader.close();
      return records;
    };

    it('a log starts a partition empty, at offset 0', async () => {
      assert.deepEqual(await log.offsets(topic, 0), { start: 0, end: 0 });
      assert.equal(await log.last(topic, 0), undefined);
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      assert.deepEqual(await reader.poll({ maxBytes: 1000, waitMs: 0 }), []);
      await reader.close();
    });

    it('a log returns a record as it was appended, with its offset and time', async () => {
      const before = Date.now();
      const value = Buffer.from([0, 255, 1, 2]);
      const headers = { traceparent: '00-abc', empty: '', ünï: 'cödé' };
      const [offset] = await log.append([record(1, value, { key: Buffer.from('host'), headers })]);
      const [read] = await readAll(log, 1);
      assert.ok(read);
      assert.equal(read.topic, topic);
      assert.equal(read.partition, 1);
      assert.equal(read.offset, offset);
      assert.ok(read.key?.equals(Buffer.from('host')));
      assert.ok(read.value.equals(value));
      assert.deepEqual({ ...read.headers }, headers);
      assert.ok(read.timestampMs >= before - 1000 && read.timestampMs <= Date.now() + 1000);
    });

    it('a log distinguishes null keys, empty keys and empty values', async () => {
      await log.append([
        record(0, 'a', { key: null }),
        record(0, '', { key: Buffer.alloc(0) }),
        record(0, 'c', { key: new Uint8Array([1]) }),
      ]);
      const check = async (from: Log) => {
        const read = await readAll(from, 0);
        assert.deepEqual(
          read.map((each) => each.key && [...each.key]),
          [null, [], [1]],
        );
        assert.deepEqual(values(read), ['a', '', 'c']);
      };
      await check(log);
      await check(await opened.reopen());
    });

    it('a log finds the first record of a time, and the end if no record is that new', async () => {
      const [first, second] = (await log.append([record(0, 'a')])).concat(
        await sleep(15).then(() => log.append([record(0, 'b')])),
      ) as [number, number];
      const times = new Map((await readAll(log, 0)).map(({ offset, timestampMs }) => [offset, timestampMs]));
      assert.equal(await log.offsetAt(topic, 0, 0), first);
      assert.equal(await log.offsetAt(topic, 0, times.get(second)!), second);
      const { end } = await log.offsets(topic, 0);
      assert.equal(await log.offsetAt(topic, 0, times.get(second)! + 60_000), end);
      assert.equal(await log.offsetAt(topic, 1, 0), 0);
    });

    it('a log resolves an append with the offsets in the given order, over partitions', async () => {
      const offsets = await log.append([record(0, 'a'), record(1, 'b'), record(0, 'c'), record(2, 'd')]);
      assert.equal(offsets.length, 4);
      assert.ok((offsets[2] as number) > (offsets[0] as number));
      assert.deepEqual(values(await readAll(log, 0)), ['a', 'c']);
      if (capabilities.dense) assert.deepEqual(offsets, [0, 0, 1, 0]);
      assert.deepEqual(await log.append([]), []);
    });

    it('a log keeps appends to one partition in order, however many are under way', async () => {
      const count = 500;
      const appended = await Promise.all(Array.from({ length: count }, (_, i) => log.append([record(0, String(i))])));
      const offsets = appended.flat();
      assert.ok(offsets.every((offset, i) => i === 0 || offset > (offsets[i - 1] as number)));
      assert.deepEqual(
        values(await readAll(log, 0)),
        Array.from({ length: count }, (_, i) => String(i)),
      );
    });

    it('a log’s end is one past the newest record', async () => {
      const offsets = await log.append([record(0, 'a'), record(0, 'b')]);
      const { start, end } = await log.offsets(topic, 0);
      assert.equal(start, 0);
      assert.ok(end > (offsets[1] as number));
      if (capabilities.dense) assert.equal(end, 2);
    });

    it('a log returns the newest record of a partition', async () => {
      await log.append([record(0, 'a'), record(0, 'b', { headers: { h: '1' } }), record(1, 'c')]);
      const last = await log.last(topic, 0);
      assert.equal(last?.value.toString(), 'b');
      assert.deepEqual({ ...last?.headers }, { h: '1' });
    });

    it('a log finds everything again after a reopen, and continues the offsets', async () => {
      const before = await log.append([record(0, 'a'), record(0, 'b'), record(2, 'c')]);
      const again = await opened.reopen();
      assert.deepEqual(values(await readAll(again, 0)), ['a', 'b']);
      assert.equal((await again.last(topic, 2))?.value.toString(), 'c');
      const [next] = await again.append([record(0, 'd')]);
      assert.ok((next as number) > (before[1] as number));
      if (capabilities.dense) assert.equal(next, 2);
      assert.deepEqual(values(await readAll(again, 0)), ['a', 'b', 'd']);
    });

    it('a log accepts an existing topic, and refuses another partition count by name', async () => {
      await log.createTopics([{ name: topic, partitions: 3, retention: 'state' }]);
      const other = [{ name: topic, partitions: 4, retention: 'state' as const }];
      await assert.rejects(log.createTopics(other), coded('TOPIC_MISMATCH', topic, '3', '4'));
      const again = await opened.reopen();
      await assert.rejects(again.createTopics(other), coded('TOPIC_MISMATCH', topic));
    });

    it('a log refuses a topic and a partition that do not exist', async () => {
      await assert.rejects(log.append([record(0, 'a', { topic: `${topic}-none` })]), CrawlstreamError);
      await assert.rejects(log.append([record(3, 'a')]), CrawlstreamError);
      await assert.rejects(log.offsets(topic, 3), CrawlstreamError);
    });

    it('a log reads from the given offset, in order, and continues from there', async () => {
      const offsets = await log.append(Array.from({ length: 10 }, (_, i) => record(0, String(i))));
      const reader = log.reader();
      reader.seek(topic, 0, offsets[4] as number);
      assert.deepEqual(values(await drain(reader, 6)), ['4', '5', '6', '7', '8', '9']);
      await log.append([record(0, '10')]);
      assert.deepEqual(values(await drain(reader, 1)), ['10']);
      reader.seek(topic, 0, offsets[9] as number);
      assert.deepEqual(values(await drain(reader, 2)), ['9', '10']);
      await reader.close();
    });

    it('a log returns at least one record whatever its size, and otherwise about maxBytes', async () => {
      const big = Buffer.alloc(50_000, 1);
      await log.append(Array.from({ length: 8 }, () => record(0, big)));
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      if (capabilities.dense) {
        assert.equal((await reader.poll({ maxBytes: 1, waitMs: 2000 })).length, 1);
        const some = await reader.poll({ maxBytes: 120_000, waitMs: 2000 });
        assert.ok(some.length >= 2 && some.length <= 3, `${some.length} records`);
        assert.equal((await drain(reader, 8 - 1 - some.length, 60_000)).length, 8 - 1 - some.length);
      } else {
        assert.equal((await drain(reader, 8, 1)).length, 8);
      }
      await reader.close();
    });

    it('a log lets no partition starve behind a long one', async () => {
      await log.append(Array.from({ length: 200 }, () => record(0, Buffer.alloc(1000))));
      await log.append([record(1, 'short')]);
      // Some logs read ahead, of one partition before the other: here, both have come.
      for (const partition of [0, 1]) await log.offsets(topic, partition);
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      reader.seek(topic, 1, 0);
      let polls = 0;
      for (let found = false; !found; polls++) {
        const records = await reader.poll({ maxBytes: 2000, waitMs: 2000 });
        assert.ok(records.length > 0, 'nothing came');
        found = records.some((each) => each.partition === 1);
      }
      if (capabilities.dense) assert.ok(polls <= 2, `it took ${polls} polls`);
      await reader.close();
    });

    it('a log’s poll waits for a record, and returns when one arrives', async () => {
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      const polled = reader.poll({ maxBytes: 1000, waitMs: 10_000 });
      const startMs = Date.now();
      await log.append([record(1, 'elsewhere'), record(0, 'here')]);
      assert.deepEqual(values(await polled), ['here']);
      assert.ok(Date.now() - startMs < 5000);
      await reader.close();
    });

    it('a log returns each record once if a partition is sought while a poll waits', async () => {
      const offsets = await log.append([record(0, 'a'), record(0, 'b'), record(1, 'c')]);
      const reader = log.reader();
      reader.seek(topic, 1, offsets[2]! + 1);
      const polled = reader.poll({ maxBytes: 1000, waitMs: 10_000 });
      await sleep(20);
      reader.seek(topic, 0, offsets[0]!);
      reader.wake();
      const first = values(await polled);
      assert.deepEqual([...first, ...values(await drain(reader, 2 - first.length))], ['a', 'b']);
      await reader.close();
    });

    it('a log’s poll returns empty after waitMs', async () => {
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      const startMs = performance.now();
      assert.deepEqual(await reader.poll({ maxBytes: 1000, waitMs: 60 }), []);
      assert.ok(performance.now() - startMs >= 50);
      await reader.close();
    });

    it('a log’s poll can be woken, before or while it waits', async () => {
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      const startMs = Date.now();
      const polled = reader.poll({ maxBytes: 1000, waitMs: 10_000 });
      setTimeout(() => reader.wake(), 5);
      assert.deepEqual(await polled, []);
      reader.wake();
      assert.deepEqual(await reader.poll({ maxBytes: 1000, waitMs: 10_000 }), []);
      assert.ok(Date.now() - startMs < 5000);
      await reader.close();
    });

    it('a log refuses a poll of a reader that polls already', async () => {
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      const first = reader.poll({ maxBytes: 1, waitMs: 60_000 });
      await assert.rejects(reader.poll({ maxBytes: 1, waitMs: 0 }), /one poll at a time/);
      reader.wake();
      assert.deepEqual(await first, []);
      assert.deepEqual(await reader.poll({ maxBytes: 1, waitMs: 0 }), []);
      await reader.close();
    });

    it('a log returns nothing of a paused partition, and all of it after resume', async () => {
      await log.append([record(0, 'a'), record(1, 'b')]);
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      reader.seek(topic, 1, 0);
      reader.pause(topic, 0);
      assert.deepEqual(values(await drain(reader, 1)), ['b']);
      assert.deepEqual(await reader.poll({ maxBytes: 1000, waitMs: 30 }), []);
      reader.resume(topic, 0);
      assert.deepEqual(values(await drain(reader, 1)), ['a']);
      await reader.close();
    });

    it('a log returns nothing of a dropped partition', async () => {
      await log.append([record(0, 'a'), record(1, 'b')]);
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      reader.seek(topic, 1, 0);
      reader.drop(topic, 0);
      assert.deepEqual(values(await drain(reader, 1)), ['b']);
      assert.deepEqual(await reader.poll({ maxBytes: 1000, waitMs: 30 }), []);
      await reader.close();
    });

    it('a log keeps the positions of two readers apart', async () => {
      await log.append([record(0, 'a'), record(0, 'b')]);
      const [one, two] = [log.reader(), log.reader()];
      one.seek(topic, 0, 0);
      two.seek(topic, 0, 0);
      assert.deepEqual(values(await drain(one, 2)), ['a', 'b']);
      assert.deepEqual(values(await drain(two, 2)), ['a', 'b']);
      await Promise.all([one.close(), two.close()]);
    });

    it('a log throws on a position beyond the end, and never resets it', async () => {
      await log.append([record(0, 'a')]);
      const reader = log.reader();
      reader.seek(topic, 0, 5);
      const outside = coded('OFFSET_OUT_OF_RANGE', topic, '5');
      await assert.rejects(reader.poll({ maxBytes: 1000, waitMs: 3000 }), outside);
      await assert.rejects(reader.poll({ maxBytes: 1000, waitMs: 3000 }), outside);
      await reader.close();
    });

    it('a log lists groups by the beginning of their names, and forgets one', async () => {
      for (const group of ['prefix.a', 'prefix.b', 'other'])
        await log.commit(group, [{ topic, partition: 0, offset: 3 }]);
      assert.deepEqual(
        (await log.groups('prefix.')).map(({ group, members }) => [group, members]),
        [
          ['prefix.a', 0],
          ['prefix.b', 0],
        ],
      );
      await log.forgetGroup('prefix.a');
      await log.forgetGroup('prefix.a');
      assert.equal(await log.committed('prefix.a', topic, 0), undefined);
      assert.equal(await log.committed('prefix.b', topic, 0), 3);
      assert.deepEqual(
        (await log.groups('prefix.')).map(({ group }) => group),
        ['prefix.b'],
      );
    });

    it('a log keeps committed positions per group', async () => {
      assert.equal(await log.committed('g1', topic, 0), undefined);
      await log.commit('g1', [
        { topic, partition: 0, offset: 7 },
        { topic, partition: 1, offset: 2 ** 40 },
      ]);
      await log.commit('g2', [{ topic, partition: 0, offset: 1 }]);
      await log.commit('g1', [{ topic, partition: 0, offset: 9 }]);
      const check = async (from: Log) => {
        assert.equal(await from.committed('g1', topic, 0), 9);
        assert.equal(await from.committed('g1', topic, 1), 2 ** 40);
        assert.equal(await from.committed('g2', topic, 0), 1);
        assert.equal(await from.committed('g2', topic, 1), undefined);
        assert.deepEqual([...(await from.committedAll('g1', topic, [1, 0]))].sort(), [
          [0, 9],
          [1, 2 ** 40],
        ]);
        assert.deepEqual([...(await from.committedAll('g2', topic, [0, 1]))], [[0, 1]]);
      };
      await check(log);
      await check(await opened.reopen());
    });

    it('a log makes pending appends durable in close, and refuses later ones', async () => {
      const appends = Array.from({ length: 20 }, (_, i) => log.append([record(0, String(i))]));
      const again = await opened.reopen();
      assert.equal((await Promise.all(appends)).length, 20);
      assert.equal((await readAll(again, 0)).length, 20);
      await assert.rejects(log.append([record(0, 'late')]), CrawlstreamError);
    });

    it('a log ends a waiting poll in close', async () => {
      const reader = log.reader();
      reader.seek(topic, 0, 0);
      const polled = reader.poll({ maxBytes: 1000, waitMs: 10_000 });
      await reader.close();
      assert.deepEqual(await polled, []);
    });

    if (capabilities.atomic) {
      it('a log appends nothing of a batch with a refused record', async () => {
        await assert.rejects(log.append([record(0, 'a'), record(9, 'b')]), CrawlstreamError);
        assert.deepEqual(await log.append([record(0, 'c')]), [0]);
      });
    }

    if (capabilities.trim) {
      it('a log forgets trimmed records: start moves, reading below throws, offsets continue', async () => {
        await log.append(Array.from({ length: 10 }, (_, i) => record(0, String(i))));
        await log.trim(topic, 0, 4);
        await log.trim(topic, 0, 2);
        const check = async (from: Log) => {
          assert.equal((await from.offsets(topic, 0)).start, 4);
          assert.deepEqual(values(await readAll(from, 0)), ['4', '5', '6', '7', '8', '9']);
          const reader = from.reader();
          reader.seek(topic, 0, 3);
          await assert.rejects(
            reader.poll({ maxBytes: 100, waitMs: 0 }),
            coded('OFFSET_OUT_OF_RANGE', topic, '3', '4'),
          );
          await reader.close();
        };
        await check(log);
        await check(await opened.reopen());
      });

      it('a log can be trimmed to its end, and continues there after a reopen', async () => {
        const offsets = await log.append(Array.from({ length: 3 }, (_, i) => record(0, String(i))));
        const end = (offsets[2] as number) + 1;
        await assert.rejects(log.trim(topic, 0, end + 1), coded('OFFSET_OUT_OF_RANGE'));
        await log.trim(topic, 0, end);
        assert.equal(await log.last(topic, 0), undefined);
        const again = await opened.reopen();
        assert.deepEqual(await again.offsets(topic, 0), { start: end, end });
        assert.deepEqual(await again.append([record(0, 'next')]), [end]);
        assert.deepEqual(values(await readAll(again, 0)), ['next']);
      });
    }
  });
}
