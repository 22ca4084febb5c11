import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { blankDeadLetter } from '../../../../schemas/blank.ts';
import type { DeadLetter } from '../../../../schemas/types.ts';
import { createMemoryRegistry } from '../../../../services/runtime/avro/memory-registry.ts';
import { openCodec } from '../../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { appendDeadLetters } from '../../../../services/runtime/log/append-dead-letters.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { foldLog } from '../../../../services/runtime/log/folded/folded-log.ts';
import type { AppendRecord, LogReader } from '../../../../services/runtime/log/log.ts';
import { LogTruncated } from '../../../../services/runtime/log/log-truncated.ts';
import { pollOn } from '../../../../services/runtime/log/poll-on.ts';
import { openReadOnlyLog } from '../../../../services/runtime/log/read-only.ts';
import { RecordTooLarge } from '../../../../services/runtime/log/record-too-large.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../../topology/topics.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const clock = new SystemClock();
const topics = [
  { name: 't', partitions: 1, retention: 'time' as const },
  { name: 's', partitions: 1, retention: 'state' as const },
];
const record = (value: string, topic = 't') => ({ topic, partition: 0, key: null, value: Buffer.from(value) });

describe('the embedded log', () => {
  it('the embedded log accepts nothing after a failed write, even if the disk recovers', async () => {
    const memory = createMemoryStore();
    let fails = false;
    const store = {
      ...memory,
      write: (...given: Parameters<typeof memory.write>) =>
        fails ? Promise.reject(new Error('the disk is full')) : memory.write(...given),
    };
    const log = await openEmbeddedLog(store, clock);
    await log.createTopics(topics);
    await log.append([record('a')]);
    fails = true;
    const lost = log.append([record('b')]);
    await assert.rejects(lost, /the disk is full/);
    fails = false;
    // It would stand where the lost one was to stand, or leave a hole.
    await assert.rejects(log.append([record('c')]), /the disk is full/);
    assert.deepEqual(await log.offsets('t', 0), { start: 0, end: 1 });
  });

  it('the embedded log fails appends queued behind a failed write, even if the disk recovers', async () => {
    const memory = createMemoryStore();
    let fail: (error: Error) => void = () => {};
    let isFirst = true;
    const store = {
      ...memory,
      write: (...given: Parameters<typeof memory.write>) => {
        if (given[0].some(({ value }) => value?.toString() === 'a') && isFirst) {
          isFirst = false;
          return new Promise<void>((_, reject) => {
            fail = reject;
          });
        }
        return memory.write(...given);
      },
    };
    const log = await openEmbeddedLog(store, clock);
    await log.createTopics(topics);
    const first = log.append([record('a')]);
    await new Promise((resolve) => setImmediate(resolve));
    const second = log.append([record('b')]);
    fail(new Error('the disk is full'));
    await assert.rejects(first, /the disk is full/);
    await assert.rejects(second, /the disk is full/);
    assert.deepEqual(await log.offsets('t', 0), { start: 0, end: 0 });
  });

  it('the embedded log closes only when its appends are durable', async () => {
    const memory = createMemoryStore();
    let written = false;
    const store = {
      ...memory,
      write: async (...given: Parameters<typeof memory.write>) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await memory.write(...given);
        written = given[0].some(({ value }) => value?.toString() === 'a');
      },
    };
    const log = await openEmbeddedLog(store, clock);
    await log.createTopics(topics);
    const appended = log.append([record('a')]);
    await log.close();
    assert.equal(written, true);
    await appended;
  });

  it('the embedded log never deletes a record of a state topic', async () => {
    const log = await openEmbeddedLog(createMemoryStore(), clock);
    await log.createTopics(topics);
    await log.append([record('a', 's')]);
    await assert.rejects(log.erase('s', 0, [0]), { code: 'INVALID_ARGUMENT' });
    assert.equal((await log.last('s', 0))?.value.toString(), 'a');
  });

  it('the embedded log reports a damaged folder if a record is missing in the middle', async () => {
    const store = createMemoryStore();
    const log = await openEmbeddedLog(store, clock, { tailBytes: 0 });
    await log.createTopics(topics);
    await log.append(['a', 'b', 'c'].map((value) => record(value)));
    for await (const [key, value] of store.scan({ gte: Buffer.from('Lr'), lt: Buffer.from('Ls') }))
      if (value.toString() === 'b') await store.write([{ key: Buffer.from(key), value: null }]);
    const reader = log.reader();
    reader.seek('t', 0, 0);
    await assert.rejects(reader.poll({ maxBytes: 10_000, waitMs: 0 }), /lacks record 0: the data folder is damaged/);
  });

  it('the embedded log reports a damaged folder if its only record is missing, and no newest record if it was trimmed', async () => {
    const store = createMemoryStore();
    const log = await openEmbeddedLog(store, clock, { tailBytes: 0 });
    await log.createTopics(topics);
    assert.equal(await log.last('t', 0), undefined);
    await log.append([record('a')]);
    for await (const [key] of store.scan({ gte: Buffer.from('Lr'), lt: Buffer.from('Ls') }))
      await store.write([{ key: Buffer.from(key), value: null }]);
    await assert.rejects(log.last('t', 0), /lacks record 0: the data folder is damaged/);
    await log.trim('t', 0, 1);
    assert.equal(await log.last('t', 0), undefined);
  });

  it('the embedded log continues from the newest time after a reopen, even if the clock was set back', async () => {
    const store = createMemoryStore();
    const hand = { ms: 4_000, nowMs: () => hand.ms, sleepUntil: async () => {} };
    const before = await openEmbeddedLog(store, hand);
    await before.createTopics(topics);
    await before.append([record('a')]);
    hand.ms = 5_000;
    await before.append([record('b')]);
    await before.close();
    hand.ms = 1_000;
    const after = await openEmbeddedLog(store, hand);
    await after.append([record('c')]);
    assert.equal((await after.last('t', 0))?.timestampMs, 5_000);
  });
});

it('a reader beside the writing process continues from where it was sought, also while it reads', async () => {
  const folder = temporaryFolder();
  const store = await openStateStore(folder);
  const log = await openEmbeddedLog(store, clock);
  await log.createTopics(topics);
  await log.append(['a', 'b', 'c'].map((value) => record(value)));
  const beside = await openReadOnlyLog(folder, clock);
  const reader = beside.reader();
  const valuesOf = async (polled: ReturnType<LogReader['poll']>) => (await polled).map(({ value }) => value.toString());
  reader.seek('t', 0, 1);
  const polled = valuesOf(reader.poll({ maxBytes: 10_000, waitMs: 0 }));
  reader.seek('t', 0, 0);
  assert.deepEqual(await polled, []);
  assert.deepEqual(await valuesOf(reader.poll({ maxBytes: 10_000, waitMs: 0 })), ['a', 'b', 'c']);
  await reader.close();
  await beside.close();
  await log.close();
  await store.close();
});

it('a reader beside the writing process needs no more memory after ten thousand seeks', async () => {
  const folder = temporaryFolder();
  const store = await openStateStore(folder);
  const log = await openEmbeddedLog(store, clock);
  await log.createTopics(topics);
  await log.append([record('a')]);
  const beside = await openReadOnlyLog(folder, clock);
  const reader = beside.reader();
  const usedAfter = async (seeks: number) => {
    for (let at = 0; at < seeks; at++) {
      reader.seek('t', 0, 0);
      await reader.poll({ maxBytes: 1, waitMs: 0 });
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await usedAfter(200);
  assert.ok((await usedAfter(10_000)) - before < 4e6);
  await reader.close();
  await beside.close();
  await log.close();
  await store.close();
});

it('a group’s position in a flow is its furthest there, and is refused before any of them', async () => {
  const under = await openEmbeddedLog(createMemoryStore(), clock);
  const committed: string[] = [];
  let isRefused = false;
  const commit: typeof under.commit = async (group, positions) => {
    committed.push(group);
    if (isRefused && group === 'f.c.g') throw new CrawlstreamError('OWNERSHIP_LOST', 'another member’s');
    await under.commit(group, positions);
  };
  const log = foldLog({ ...under, commit }, { isExact: false });
  await log.createTopics(topicsOfCrawl('f.c', 1));
  const at = (topic: string, offset: number) => ({ topic: `f.c.${topic}`, partition: 0, offset });
  await log.commit('f.c.g', [at('results', 7), at('control', 2)]);
  assert.equal(await under.committed('f.c.g', 'f.c.flow', 0), 7);
  assert.deepEqual(
    [await log.committed('f.c.g', 'f.c.results', 0), await log.committed('f.c.g', 'f.c.control', 0)],
    [7, 2],
  );
  isRefused = true;
  committed.length = 0;
  await assert.rejects(log.commit('f.c.g', [at('results', 9)]), { code: 'OWNERSHIP_LOST' });
  assert.deepEqual(committed, ['f.c.g']);
  assert.equal(await log.committed('f.c.g', 'f.c.results', 0), 7);
});

describe('dead letters', () => {
  it('dead letters larger than the topic allows are kept with the beginning of their original', async () => {
    const codec = await openCodec(createMemoryRegistry(), 'c');
    const kept: DeadLetter[] = [];
    const append = async (records: readonly AppendRecord[]) => {
      const indexes = [...records.keys()].filter((at) => records[at]!.value.length > 5_000);
      // Those that fit are durable.
      for (const [at, { value }] of records.entries())
        if (!indexes.includes(at)) kept.push(codec.decode('dead-letters', Buffer.from(value)));
      if (indexes.length > 0) throw new RecordTooLarge('c.dead-letters', indexes);
      return [];
    };
    const deadLetter = (bytes: number): DeadLetter => ({
      ...blankDeadLetter,
      url: `${bytes}`,
      original: Buffer.alloc(bytes, 'x'),
    });
    const deadLetters = [10_000, 10, 20_000].map((bytes) => ({ deadLetter: deadLetter(bytes), key: null }));
    await appendDeadLetters({ append }, codec, 'c.dead-letters', deadLetters);
    assert.deepEqual(
      kept.map(({ url, original }) => [url, original.length]),
      [
        ['10', 10],
        ['10000', 1_000],
        ['20000', 1_000],
      ],
    );
    const away = async () => {
      throw new CrawlstreamError('BROKER_UNREACHABLE', 'away');
    };
    await assert.rejects(appendDeadLetters({ append: away }, codec, 'c.dead-letters', deadLetters), /away/);
  });
});

it('a partition that lost records already read is read on from its current end', async () => {
  const sought: unknown[][] = [];
  const reader = {
    poll: () => Promise.reject(new LogTruncated('t', 0, { end: 9, leaderEpoch: 3 }, 5)),
    seek: (...given: unknown[]) => void sought.push(given),
  } as unknown as LogReader;
  const reported: LogTruncated[] = [];
  assert.deepEqual(await pollOn(reader, { maxBytes: 1, waitMs: 0 }, (error) => reported.push(error)), []);
  assert.deepEqual(sought, [['t', 0, 5, { end: 5, leaderEpoch: 3 }]]);
  assert.equal(reported.length, 1);
});
