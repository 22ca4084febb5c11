/** A reader of topics of which some lie together in a flow, and others apart. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import { foldLog } from '../../../../../services/runtime/log/folded/folded-log.ts';
import type { LogReader } from '../../../../../services/runtime/log/log.ts';
import { LogTruncated } from '../../../../../services/runtime/log/log-truncated.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';
import { topicsOfCrawl } from '../../../../../topology/topics.ts';
import { until } from '../../../until.ts';

async function open(t: TestContext, tailBytes = 1 << 20) {
  const under = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  const log = foldLog(under, { isExact: false, tailBytes });
  await log.createTopics(topicsOfCrawl('f.c', 1));
  t.after(() => log.close());
  const append = (...records: readonly (readonly [topic: string, value: string])[]) =>
    log.append(
      records.map(([topic, value]) => ({ topic: `f.c.${topic}`, partition: 0, key: null, value: Buffer.from(value) })),
    );
  return { under, log, append };
}

const names = ['results', 'control', 'pages'];

async function poll(reader: LogReader, maxBytes = 1e6, waitMs = 5_000): Promise<string[]> {
  return (await reader.poll({ maxBytes, waitMs })).map(({ topic, value }) => `${topic.slice('f.c.'.length)} ${value}`);
}

/** What a reader gets until there is nothing left for now. */
async function drained(reader: LogReader): Promise<string[]> {
  const all: string[] = [];
  for (let some = await poll(reader, 1e6, 50); some.length > 0; some = await poll(reader, 1e6, 50)) all.push(...some);
  return all.sort();
}

for (const tailBytes of [1 << 20, 0])
  test(`topics of a flow take turns, at least one record in each poll, with a tail of ${tailBytes} bytes`, async (t) => {
    const { log, append } = await open(t, tailBytes);
    for (const value of ['1', '2', '3']) await append(['results', value], ['control', value]);
    const reader = log.reader();
    reader.seek('f.c.results', 0, 0);
    reader.seek('f.c.control', 0, 0);
    const order: string[] = [];
    while (order.length < 6) {
      const some = await poll(reader, 1);
      assert.ok(some.length <= 1);
      order.push(...some);
    }
    for (const topic of ['results', 'control'])
      assert.deepEqual(
        order.filter((one) => one.startsWith(topic)),
        ['1', '2', '3'].map((value) => `${topic} ${value}`),
      );
    const firsts = order.slice(0, 2).map((one) => one.split(' ')[0]);
    assert.deepEqual(firsts.sort(), ['control', 'results'], 'none waits for all of the other');
    await reader.close();
  });

test('a topic that is paused, in a flow or apart, gives nothing until it is resumed, and others go on', async (t) => {
  const { log, append } = await open(t);
  const reader = log.reader();
  for (const topic of names) reader.seek(`f.c.${topic}`, 0, 0);
  for (const paused of names) {
    reader.pause(`f.c.${paused}`, 0);
    await append(...names.map((topic) => [topic, `beside ${paused}`] as const));
    assert.deepEqual(
      await drained(reader),
      names
        .filter((topic) => topic !== paused)
        .map((topic) => `${topic} beside ${paused}`)
        .sort(),
    );
    reader.resume(`f.c.${paused}`, 0);
    assert.deepEqual(await drained(reader), [`${paused} beside ${paused}`]);
  }
  await reader.close();
});

test('a topic that is dropped gives nothing, and one that is sought again all from there', async (t) => {
  const { log, append } = await open(t);
  const reader = log.reader();
  for (const topic of names) reader.seek(`f.c.${topic}`, 0, 0);
  await append(...names.map((topic) => [topic, 'a'] as const));
  await drained(reader);
  for (const dropped of names) {
    reader.drop(`f.c.${dropped}`, 0);
    await append(...names.map((topic) => [topic, `without ${dropped}`] as const));
    assert.ok(!(await drained(reader)).some((one) => one.startsWith(dropped)));
    reader.seek(`f.c.${dropped}`, 0, 0);
    assert.equal((await drained(reader))[0], `${dropped} a`);
  }
  await reader.close();
});

test('a pause outlasts a seek, in a flow and apart', async (t) => {
  const { log, append } = await open(t);
  await append(['results', 'a'], ['pages', 'b']);
  const reader = log.reader();
  for (const topic of ['results', 'pages']) {
    reader.seek(`f.c.${topic}`, 0, 0);
    reader.pause(`f.c.${topic}`, 0);
    reader.seek(`f.c.${topic}`, 0, 0);
  }
  assert.deepEqual(await drained(reader), []);
  for (const topic of ['results', 'pages']) reader.resume(`f.c.${topic}`, 0);
  assert.deepEqual(await drained(reader), ['pages b', 'results a']);
  await reader.close();
});

test('a poll of a topic apart alone waits for its records, and ends with a wake or a close', async (t) => {
  const { log, append } = await open(t);
  const reader = log.reader();
  reader.seek('f.c.pages', 0, 0);
  const waiting = poll(reader, 1e6, 60_000);
  await append(['results', 'elsewhere'], ['pages', 'here']);
  assert.deepEqual(await waiting, ['pages here']);
  for (const end of ['wake', 'close'] as const) {
    let records: readonly string[] | undefined;
    void poll(reader, 1e6, 3_600_000).then((found) => (records = found));
    await reader[end]();
    await until(() => records !== undefined);
    assert.deepEqual(records, []);
  }
  await assert.rejects(poll(reader), { code: 'STORE_CLOSED' });
});

test('a position beyond the end of a topic in a flow is an error with the range of the topic', async (t) => {
  const { log, append } = await open(t);
  await append(['results', 'a'], ['control', 'b'], ['control', 'c']);
  const reader = log.reader();
  reader.seek('f.c.results', 0, 9);
  await assert.rejects(poll(reader), {
    code: 'OFFSET_OUT_OF_RANGE',
    message: /^position 9 of f\.c\.results\/0 is outside its range 0 to 1: /,
  });
  reader.seek('f.c.results', 0, 0);
  assert.deepEqual(await poll(reader), ['results a']);
  await reader.close();
});

test('the offset of a time is that of the topic’s own first record from then on, or its end', async (t) => {
  const { log, append } = await open(t);
  await append(['control', 'a']);
  await append(['results', 'b']);
  assert.equal(await log.offsetAt('f.c.results', 0, 0), 1);
  assert.equal(await log.offsetAt('f.c.results', 0, Date.now() + 60_000), 2);
  assert.equal(await log.offsetAt('f.c.tasks', 0, 0), (await log.offsets('f.c.tasks', 0)).end);
});

test('a flow that has lost records is an error in terms of the topic, and reading goes on from where it was', async (t) => {
  const under = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  let isLost = false;
  const log = foldLog(
    {
      ...under,
      reader() {
        const reader = under.reader();
        let isOfOne = false;
        return {
          ...reader,
          seek(topic, partition, offset, before) {
            // The flow's common reader begins at its start, and one of a topic that is behind where the topic is.
            isOfOne = offset > 0;
            reader.seek(topic, partition, offset, before);
          },
          poll: (options) =>
            isLost && isOfOne
              ? Promise.reject(new LogTruncated('f.c.flow', 0, { end: 9, leaderEpoch: 2 }, 1))
              : reader.poll(options),
        };
      },
    },
    { isExact: false, tailBytes: 0 },
  );
  t.after(() => log.close());
  await log.createTopics(topicsOfCrawl('f.c', 1));
  for (const value of ['a', 'b', 'c'])
    await log.append([{ topic: 'f.c.results', partition: 0, key: null, value: Buffer.from(value) }]);
  // All of it was read, and nothing is in memory.
  await log.offsets('f.c.results', 0);
  const reader = log.reader();
  reader.seek('f.c.results', 0, 1, { end: 1, leaderEpoch: 1 });
  isLost = true;
  const error = await poll(reader).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof LogTruncated);
  assert.deepEqual([error.topic, error.partition, error.end, error.leaderEpoch], ['f.c.results', 0, 1, 1]);
  isLost = false;
  assert.deepEqual(await drained(reader), ['results b', 'results c']);
  await reader.close();
});

test('a waiting poll is woken by each topic of a flow that is left, also after another was dropped', async (t) => {
  const { log, append } = await open(t);
  const reader = log.reader();
  for (const topic of ['results', 'control', 'tasks']) reader.seek(`f.c.${topic}`, 0, 0);
  await append(['results', 'a'], ['control', 'b'], ['tasks', 'c']);
  await drained(reader);
  reader.drop('f.c.control', 0);
  for (const topic of ['results', 'tasks']) {
    let records: readonly string[] | undefined;
    void poll(reader, 1e6, 3_600_000).then((found) => (records = found));
    // The poll waits by then.
    await new Promise((resolve) => setTimeout(resolve, 20));
    await append([topic, 'later']);
    await until(() => records !== undefined, 10_000);
    assert.deepEqual(records, [`${topic} later`]);
  }
  await reader.close();
});
