/** Topics that lie together in one: the log's contract, and what others in the same flow do not change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import { foldLog } from '../../../../../services/runtime/log/folded/folded-log.ts';
import type { LogRecord } from '../../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError } from '../../../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../../../topology/topics.ts';
import { logContract } from '../../../../contract/log-contract.ts';

const clock = new SystemClock();

for (const [tailBytes, isExact] of [
  [1 << 20, false],
  [600, false],
  [0, true],
] as const) {
  const name = `folded, over an embedded one, tail of ${tailBytes} bytes, ${isExact ? 'exact' : 'for its own appends'}`;
  logContract(name, { dense: true, trim: false, atomic: true }, async () => {
    const store = createMemoryStore();
    const open = async () => foldLog(await openEmbeddedLog(store, clock, { tailBytes: 0 }), { isExact, tailBytes });
    let log = await open();
    return {
      log,
      reopen: async () => {
        await log.close();
        log = await open();
        return log;
      },
      close: () => log.close(),
    };
  });
}

async function openBoth(tailBytes: number, isExact = false) {
  const under = await openEmbeddedLog(createMemoryStore(), clock);
  const log = foldLog(under, { isExact, tailBytes });
  await log.createTopics(topicsOfCrawl('f.c', 1));
  return { under, log };
}

const record = (topic: string, value: string) => ({
  topic: `f.c.${topic}`,
  partition: 0,
  key: null,
  value: Buffer.from(value),
});

test('a folded crawl has three underlying topics, and each of its topics its own records, ends and newest record', async () => {
  const { under, log } = await openBoth(1 << 20);
  assert.deepEqual(
    under.topics().map(({ name, retention }) => [name, retention]),
    [
      ['f.c.flow', 'state'],
      ['f.c.pages', 'time'],
      ['f.c.frontier-changelog', 'state'],
    ],
  );
  assert.equal(await log.partitionsOf('f.c.results'), 1);
  const order = [
    'results',
    'control',
    'tasks',
    'results',
    'pages',
    'frontier-changelog',
    'frontier-changelog',
    'tasks',
  ];
  const landed: number[] = [];
  for (const [at, topic] of order.entries()) landed.push((await log.append([record(topic, `${at}`)]))[0]!);
  // Where a commit counts only at the offset that is expected, nothing of others lies.
  assert.deepEqual([landed[5], landed[6]], [0, 1]);
  const reader = log.reader();
  for (const topic of new Set(order)) reader.seek(`f.c.${topic}`, 0, 0);
  const read: LogRecord[] = [];
  while (read.length < order.length) read.push(...(await reader.poll({ maxBytes: 1_000, waitMs: 2_000 })));
  for (const topic of new Set(order)) {
    const mine = read.filter((one) => one.topic === `f.c.${topic}`);
    const want = [...order.keys()].filter((at) => order[at] === topic);
    assert.deepEqual(
      mine.map(({ value }) => Number(value)),
      want,
      topic,
    );
    assert.deepEqual(
      mine.map(({ offset }) => offset),
      want.map((at) => landed[at]),
      topic,
    );
    const { end } = await log.offsets(`f.c.${topic}`, 0);
    // What a reader has read of a topic is all there is of it, whatever lies behind.
    assert.equal(end, mine.at(-1)!.offset + 1, topic);
    assert.equal((await log.last(`f.c.${topic}`, 0))?.value.toString(), `${want.at(-1)}`);
  }
  assert.deepEqual(await log.offsets('f.c.robots', 0), { start: 0, end: 0 });
  await reader.close();
  await log.close();
});

for (const tailBytes of [0, 2_000, 1 << 20])
  test(`readers at different places, paused and moved, get each record once, with a tail of ${tailBytes} bytes`, async () => {
    const { log } = await openBoth(tailBytes);
    const topics = ['results', 'discovered', 'control'];
    const count = 300;
    const reader = log.reader();
    const got = new Map(topics.map((topic) => [`f.c.${topic}`, [] as number[]]));
    for (const topic of topics) reader.seek(`f.c.${topic}`, 0, 0);
    const appending = (async () => {
      for (let at = 0; at < count; at++) {
        await log.append(topics.map((topic) => record(topic, `${at}`)));
        if (at % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    let polls = 0;
    while ([...got.values()].some((some) => some.length < count)) {
      const paused = topics[polls++ % topics.length]!;
      const isWanting = topics.some((topic) => topic !== paused && got.get(`f.c.${topic}`)!.length < count);
      if (isWanting) reader.pause(`f.c.${paused}`, 0);
      for (const { topic, value } of await reader.poll({ maxBytes: 700, waitMs: 500 })) {
        assert.ok(!isWanting || topic !== `f.c.${paused}`, 'a paused topic gave something');
        got.get(topic)!.push(Number(value));
      }
      reader.resume(`f.c.${paused}`, 0);
    }
    await appending;
    for (const some of got.values()) assert.deepEqual(some, [...Array(count).keys()]);
    await reader.close();
    await log.close();
  });

test('a reader sees other processes’ appends at its next call if asked, and in any case later', async () => {
  const store = createMemoryStore();
  const under = await openEmbeddedLog(store, clock);
  const [ours, theirs] = [foldLog(under, { isExact: true }), foldLog(under, { isExact: true })];
  await ours.createTopics(topicsOfCrawl('f.c', 1));
  assert.equal((await ours.offsets('f.c.control', 0)).end, 0);
  const reader = ours.reader();
  reader.seek('f.c.control', 0, 0);
  const polled = reader.poll({ maxBytes: 1_000, waitMs: 10_000 });
  await theirs.append([record('results', 'a'), record('control', 'b')]);
  assert.equal((await ours.offsets('f.c.control', 0)).end, 2);
  assert.deepEqual(
    (await polled).map(({ value }) => value.toString()),
    ['b'],
  );
  await reader.close();
  await ours.close();
  await theirs.close();
});

test('a released flow is read again, whole, by its next reader', async () => {
  const { log } = await openBoth(1 << 20);
  await log.append([record('results', 'a'), record('control', 'b')]);
  const reader = log.reader();
  reader.seek('f.c.results', 0, 0);
  assert.equal((await reader.poll({ maxBytes: 1_000, waitMs: 2_000 })).length, 1);
  log.release('f.c');
  await log.append([record('control', 'c'), record('results', 'd')]);
  assert.deepEqual(
    (await reader.poll({ maxBytes: 1_000, waitMs: 2_000 })).map(({ value }) => value.toString()),
    ['d'],
  );
  assert.equal((await log.offsets('f.c.control', 0)).end, 3);
  await reader.close();
  await log.close();
});

test('records of one topic of a flow are not dropped separately', async () => {
  const { log } = await openBoth(1 << 20);
  await log.append([record('results', 'a'), record('pages', 'b')]);
  await assert.rejects(log.trim('f.c.results', 0, 1), /f\.c\.results are stored with others in f\.c\.flow/);
  await log.trim('f.c.pages', 0, 1);
  await log.close();
});

test('a broken flow is reported only to its readers, and others miss nothing', async () => {
  const under = await openEmbeddedLog(createMemoryStore(), clock);
  let isBroken = false;
  const gone = new CrawlstreamError('INVALID_ARGUMENT', 'topic f.a.flow does not exist: create it first');
  const log = foldLog(
    {
      ...under,
      offsets: (topic, partition) =>
        isBroken && topic === 'f.a.flow' ? Promise.reject(gone) : under.offsets(topic, partition),
      reader() {
        const reader = under.reader();
        const read = new Set<string>();
        return {
          ...reader,
          seek(topic, ...place) {
            read.add(topic);
            reader.seek(topic, ...place);
          },
          drop(topic, partition) {
            read.delete(topic);
            reader.drop(topic, partition);
          },
          poll: (how) => (isBroken && read.has('f.a.flow') ? Promise.reject(gone) : reader.poll(how)),
        };
      },
    },
    { isExact: false, tailBytes: 1 << 20 },
  );
  const readers = ['f.a', 'f.b'].map((crawl) => ({ crawl, reader: log.reader() }));
  const polls = { maxBytes: 1_000, waitMs: 10_000 };
  const append = (crawl: string, value: string) =>
    log.append([{ topic: `${crawl}.control`, partition: 0, key: null, value: Buffer.from(value) }]);
  for (const { crawl, reader } of readers) {
    await log.createTopics(topicsOfCrawl(crawl, 1));
    await append(crawl, '1');
    reader.seek(`${crawl}.control`, 0, 0);
    assert.deepEqual(
      (await reader.poll(polls)).map(({ value }) => value.toString()),
      ['1'],
    );
  }
  const [broken, sound] = readers.map(({ reader }) => reader.poll(polls));
  isBroken = true;
  await append('f.b', '2');
  await assert.rejects(broken!, /topic f\.a\.flow does not exist/);
  assert.deepEqual(
    (await sound!).map(({ value }) => value.toString()),
    ['2'],
  );
  await append('f.b', '3');
  assert.deepEqual(
    (await readers[1]!.reader.poll(polls)).map(({ value }) => value.toString()),
    ['3'],
  );
  for (const { reader } of readers) await reader.close();
  await log.close();
});

test('separately kept responses have their own topic with an age limit; others stay where they were', async () => {
  const under = await openEmbeddedLog(createMemoryStore(), clock);
  const log = foldLog(under, { isExact: true, apart: ['f.c.responses'] });
  await log.createTopics(topicsOfCrawl('f.c', 1));
  assert.deepEqual(
    under.topics().map(({ name, retention }) => [name, retention]),
    [
      ['f.c.flow', 'state'],
      ['f.c.pages', 'time'],
      ['f.c.responses', 'time'],
      ['f.c.frontier-changelog', 'state'],
    ],
  );
  await log.append([record('responses', 'a'), record('results', 'b'), record('responses', 'c')]);
  assert.deepEqual(await log.offsets('f.c.responses', 0), { start: 0, end: 2 });
  assert.deepEqual(await under.offsets('f.c.responses', 0), { start: 0, end: 2 });
  assert.deepEqual(await under.offsets('f.c.flow', 0), { start: 0, end: 1 });
  const reader = log.reader();
  reader.seek('f.c.responses', 0, 0);
  const read = await reader.poll({ maxBytes: 1_000, waitMs: 1_000 });
  assert.deepEqual(
    read.map(({ topic, value }) => [topic, value.toString()]),
    [
      ['f.c.responses', 'a'],
      ['f.c.responses', 'c'],
    ],
  );
  await reader.close();
  log.setApart('f.c.responses', false);
  assert.equal(await log.last('f.c.responses', 0), undefined, 'there is none in the flow');
  await log.close();
});

test('a group has a position in each topic of a flow that it reads, and is still one group', async () => {
  const { log } = await openBoth(1 << 20);
  const topics = ['f.c.results', 'f.c.control', 'f.c.pages'];
  const assigned: (readonly number[])[] = [];
  const onAssigned = (partitions: readonly number[]) => void assigned.push(partitions);
  const membership = await log.join({ group: 'f.c.g', topics, onAssigned, onFailure() {} });
  assert.deepEqual(assigned, [[0]], 'one flow, assigned once');
  const at = (topic: string, offset: number) => ({ topic: `f.c.${topic}`, partition: 0, offset });
  await log.commit('f.c.g', [at('results', 7), at('pages', 3)]);
  await log.commit('f.c.g', [at('control', 2)]);
  const committed = () => Promise.all(topics.map((topic) => log.committed('f.c.g', topic, 0)));
  assert.deepEqual(await committed(), [7, 2, 3]);
  assert.deepEqual([...(await log.committedAll('f.c.g', 'f.c.control', [0]))], [[0, 2]]);
  assert.deepEqual(
    (await log.groups('f.c.')).map(({ group }) => group),
    ['f.c.g'],
  );
  const responses = { group: 'f.c.archive', topics: ['f.c.responses'], onAssigned, onFailure() {} };
  await assert.rejects(log.join(responses), {
    code: 'UNSUPPORTED',
    message: /f\.c has no stored responses.*output\.warc/,
  });
  await membership.leave();
  await log.forgetGroup('f.c.g');
  assert.deepEqual(await committed(), [undefined, undefined, undefined]);
  await log.close();
});

test('forgetting a group keeps groups with the same beginning and an @', async () => {
  const { log } = await openBoth(1 << 20);
  await log.append([record('discovered', 'a')]);
  for (const group of ['team', 'team@example.org', 'team@x'])
    await log.commit(group, [{ topic: 'f.c.discovered', partition: 0, offset: 1 }]);
  await log.forgetGroup('team');
  assert.equal(await log.committed('team', 'f.c.discovered', 0), undefined);
  for (const group of ['team@example.org', 'team@x']) assert.equal(await log.committed(group, 'f.c.discovered', 0), 1);
  await log.close();
});
