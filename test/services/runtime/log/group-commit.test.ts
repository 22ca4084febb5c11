/** Which appends share a write, when it happens, in which segment it lands, and what is refused. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GroupCommit } from '../../../../services/runtime/log/group-commit.ts';
import type { AppendRecord } from '../../../../services/runtime/log/log.ts';
import { logLimits } from '../../../../services/runtime/log/log-limits.ts';
import { addTopic, type Topics } from '../../../../services/runtime/log/partitions.ts';
import { headerLength } from '../../../../services/runtime/log/rows.ts';
import { recordOverheadBytes } from '../../../../services/runtime/log/tail.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';

const startMs = 1_700_000_000_000;

/** A record that counts as `bytes` of a group. */
function record(bytes: number, { topic = 'b', partition = 0, ...more }: Partial<AppendRecord> = {}): AppendRecord {
  return { topic, partition, key: null, value: Buffer.alloc(bytes - recordOverheadBytes), ...more };
}

/** A row's segment, topic, partition and offset, or the segment that begins. */
function rowOf(key: Buffer): string {
  if (key[1] === 'm'.charCodeAt(0)) return `segment ${key.readUInt32BE(3)}`;
  return [key.readUInt32BE(2), key.readUInt16BE(6), key.readUInt16BE(8), key.readUIntBE(10, 6)].join(' ');
}

function open({ segmentBytes = 2 ** 30, groupIntervalMs = 0 } = {}) {
  const memory = createMemoryStore();
  const clock = createFakeClock(startMs);
  const writes: { readonly atMs: number; readonly rows: readonly string[]; readonly sync: boolean }[] = [];
  let failure: Error | undefined;
  let held: Promise<void> | undefined;
  const store: typeof memory = {
    ...memory,
    write: async (ops, options) => {
      writes.push({
        atMs: clock.nowMs() - startMs,
        rows: ops.map(({ key }) => rowOf(Buffer.from(key))),
        sync: options?.sync === true,
      });
      await held;
      if (failure !== undefined) throw failure;
      await memory.write(ops, options);
    },
  };
  const topics: Topics = { byName: new Map(), all: [], segment: -1, oldestSegment: 0, lastMs: 0 };
  addTopic(topics, 'b', 1, { partitions: 2, retention: 'time' });
  addTopic(topics, 'a', 2, { partitions: 1, retention: 'time' });
  const durable: number[] = [];
  const commit = new GroupCommit(store, clock, topics, { segmentBytes, groupIntervalMs }, (_, bytes) =>
    durable.push(bytes),
  );
  return {
    ...{ commit, clock, topics, writes, durable },
    fail: (error: Error | undefined) => (failure = error),
    hold: () => {
      let release = () => {};
      held = new Promise((resolve) => (release = resolve));
      return () => {
        held = undefined;
        release();
      };
    },
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('appends of one turn', () => {
  it('appends of one turn share one synced write, with the rows in the order of topics and partitions', async () => {
    const { commit, writes, durable } = open();
    const offsets = await Promise.all([
      commit.append([record(300, { topic: 'a' }), record(300, { partition: 1 })]),
      commit.append([record(300), record(300, { partition: 1 })]),
      commit.append([]),
    ]);
    assert.deepEqual(offsets, [[0, 0], [0, 1], []]);
    assert.deepEqual(writes, [
      { atMs: 0, rows: ['segment 0', '0 1 0 0', '0 1 1 0', '0 1 1 1', '0 2 0 0'], sync: true },
    ]);
    assert.deepEqual(durable, [1_200]);
  });

  it('appends issued during a write share the next one, and get their offsets at the call', async () => {
    const { commit, writes, hold, topics } = open();
    const release = hold();
    const first = commit.append([record(300)]);
    await turn();
    const later = [commit.append([record(300)]), commit.append([record(300)])];
    await turn();
    assert.equal(writes.length, 1);
    const [partition] = topics.all;
    assert.deepEqual([partition!.nextOffset, partition!.durableEnd], [3, 0]);
    release();
    assert.deepEqual([await first, ...(await Promise.all(later))], [[0], [1], [2]]);
    assert.deepEqual(
      writes.map(({ rows }) => rows),
      [
        ['segment 0', '0 1 0 0'],
        ['0 1 0 1', '0 1 0 2'],
      ],
    );
    assert.equal(partition!.durableEnd, 3);
  });

  it('appends beyond a full group begin another one, and none is split over two', async () => {
    const { commit, writes } = open();
    const half = logLimits.groupBytesMax / 2;
    await Promise.all([
      commit.append([record(half)]),
      commit.append([record(half - 1)]),
      commit.append([record(300), record(300)]),
      commit.append([record(300)]),
    ]);
    assert.deepEqual(
      writes.map(({ rows }) => rows.filter((row) => !row.startsWith('segment')).length),
      [4, 1],
    );
    const exact = open();
    await Promise.all([exact.commit.append([record(2 * half)]), exact.commit.append([record(300)])]);
    assert.equal(exact.writes.length, 2);
  });
});

describe('the pause between writes', () => {
  it('the pause between writes begins with the start of one, and the first write has none', async () => {
    const { commit, clock, writes } = open({ groupIntervalMs: 20 });
    await commit.append([record(300)]);
    await clock.advance(5);
    const [second, third] = [commit.append([record(300)]), turn().then(() => commit.append([record(300)]))];
    await clock.advance(15);
    await Promise.all([second, third]);
    await clock.advance(20);
    await commit.append([record(300)]);
    assert.deepEqual(
      writes.map(({ atMs, rows }) => [atMs, rows.length]),
      [
        [0, 2],
        [20, 2],
        [40, 1],
      ],
    );
  });

  it('the pause between writes is not kept by a full group', async () => {
    const { commit, writes } = open({ groupIntervalMs: 20 });
    await commit.append([record(300)]);
    await commit.append([record(logLimits.groupBytesMax)]);
    assert.deepEqual(
      writes.map(({ atMs }) => atMs),
      [0, 0],
    );
  });
});

describe('a segment', () => {
  it('a segment ends with the write that fills it, to the byte', async () => {
    const segmentsOf = async (segmentBytes: number) => {
      const { commit, writes } = open({ segmentBytes });
      for (let n = 0; n < 4; n++) await commit.append([record(300)]);
      return writes.map(({ rows }) => rows.at(-1)!.split(' ')[0]);
    };
    assert.deepEqual(await segmentsOf(600), ['0', '0', '1', '1']);
    assert.deepEqual(await segmentsOf(601), ['0', '0', '0', '1']);
    assert.deepEqual(await segmentsOf(599), ['0', '0', '1', '1']);
    assert.deepEqual(await segmentsOf(1), ['0', '1', '2', '3']);
  });

  it('a segment is known to the partitions with records in it, from their first offset there', async () => {
    const { commit, topics } = open({ segmentBytes: 600 });
    await commit.append([record(300), record(300)]);
    await commit.append([record(300), record(300, { topic: 'a' })]);
    await commit.append([record(300)]);
    assert.deepEqual(
      topics.all.map(({ segments }) => segments),
      [
        [
          { segment: 0, first: 0 },
          { segment: 1, first: 2 },
          { segment: 2, first: 3 },
        ],
        [],
        [{ segment: 1, first: 0 }],
      ],
    );
  });
});

describe('a record', () => {
  it('a record at each limit is taken, one above it is refused with what is too large', async () => {
    const { commit } = open();
    const given = { topic: 'b', partition: 0, key: null, value: Buffer.alloc(1) };
    const headers = (bytes: number) => ({ h: 'x'.repeat(bytes) });
    const most = logLimits.headerBytesMax - headerLength({ h: '' });
    for (const [part, bytesMax, at, above] of [
      [
        'value',
        logLimits.recordBytesMax,
        { value: Buffer.alloc(logLimits.recordBytesMax) },
        { value: Buffer.alloc(logLimits.recordBytesMax + 1) },
      ],
      [
        'key',
        logLimits.keyBytesMax,
        { key: Buffer.alloc(logLimits.keyBytesMax) },
        { key: Buffer.alloc(logLimits.keyBytesMax + 1) },
      ],
      ['headers', logLimits.headerBytesMax, { headers: headers(most) }, { headers: headers(most + 1) }],
    ] as const) {
      await commit.append([{ ...given, ...at }]);
      await assert.rejects(commit.append([{ ...given, ...above }]), {
        code: 'INVALID_ARGUMENT',
        message: `a record for b has a ${part} beyond ${bytesMax} bytes: send less in one record`,
      });
    }
  });

  it('a record that is refused takes no offset, nor do those beside it', async () => {
    const { commit, topics, writes } = open();
    const large = { ...record(300), key: Buffer.alloc(logLimits.keyBytesMax + 1) };
    await assert.rejects(commit.append([record(300), large]), { code: 'INVALID_ARGUMENT' });
    await assert.rejects(
      commit.append([record(300), record(300, { partition: 2 })]),
      /topic b has partitions 0 to 1, not 2/,
    );
    await assert.rejects(commit.append([record(300, { topic: 'c' })]), /topic c does not exist: create it first/);
    assert.deepEqual([topics.all[0]!.nextOffset, writes.length], [0, 0]);
    assert.deepEqual(await commit.append([record(300)]), [0]);
  });

  it('a record is no older than those before it, although the clock went back', async () => {
    const { commit, topics, clock } = open();
    await commit.append([record(300)]);
    assert.equal(topics.lastMs, startMs);
    topics.lastMs = startMs + 50;
    await commit.append([record(300)]);
    assert.equal(topics.lastMs, startMs + 50);
    await clock.advance(60);
    await commit.append([record(300)]);
    assert.equal(topics.lastMs, startMs + 60);
  });
});

describe('after a failed write', () => {
  it('after a failed write all that waits and all that comes gets the first error', async () => {
    const { commit, hold, fail, writes, durable } = open();
    const release = hold();
    const first = commit.append([record(300)]);
    await turn();
    const second = commit.append([record(300)]);
    fail(new Error('the disk is full'));
    release();
    const refused = [first, second].map((one) => assert.rejects(one, /the disk is full/));
    await Promise.all(refused);
    fail(undefined);
    await assert.rejects(commit.append([record(300)]), /the disk is full/);
    await assert.rejects(commit.append([]), /the disk is full/);
    assert.deepEqual([writes.length, durable], [1, []]);
  });
});

describe('a closed log', () => {
  it('a closed log has written what was appended before, and takes nothing more', async () => {
    const { commit, hold, writes } = open();
    const release = hold();
    const first = commit.append([record(300)]);
    await turn();
    const second = commit.append([record(300)]);
    let isClosed = false;
    const closed = commit.close().then(() => (isClosed = true));
    await assert.rejects(commit.append([record(300)]), { code: 'STORE_CLOSED', message: 'the log is closed' });
    await turn();
    assert.equal(isClosed, false);
    release();
    assert.deepEqual([await first, await second], [[0], [1]]);
    await closed;
    assert.equal(writes.length, 2);
    await open().commit.close();
  });
});
