/** The tasks of one crawl, as its fetcher reads them: in the order they came, without those of partitions that went. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TaskFeed } from '../../../../../services/extras/fleet/fetchers/task-feed.ts';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import type { LogRecord } from '../../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';

const task = (partition: number, text: string): LogRecord => ({
  ...{ topic: 'fleet.tasks', partition, offset: 7, timestampMs: 5, key: Buffer.from('k') },
  ...{ value: Buffer.from(text), headers: { fleet: 'x' } },
});

async function fed() {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: 'docs.control', partitions: 1, retention: 'state' }]);
  const feed = new TaskFeed('docs');
  const over = feed.over(log);
  const reader = over.reader();
  reader.seek('docs.tasks', 0, 0);
  const read = async (maxBytes = 1_000) =>
    (await reader.poll({ maxBytes, waitMs: 60_000 })).map(({ value }) => value.toString());
  return { log, feed, over, reader, read };
}

test('tasks come in order, as records of the crawl’s own topic', async () => {
  const { feed, reader } = await fed();
  for (const [partition, text] of [
    [3, 'a'],
    [0, 'b'],
  ] as const)
    feed.put(task(partition, text));
  assert.deepEqual(
    await reader.poll({ maxBytes: 1_000, waitMs: 0 }),
    ['a', 'b'].map((text, offset) => ({ ...task(0, text), topic: 'docs.tasks', offset, headers: {} })),
  );
  assert.deepEqual(await reader.poll({ maxBytes: 1_000, waitMs: 0 }), []);
});

test('a revoked partition takes its unread tasks along', async () => {
  const { feed, read } = await fed();
  for (const [partition, text] of [
    [1, 'a'],
    [2, 'b'],
    [1, 'c'],
    [3, 'd'],
  ] as const)
    feed.put(task(partition, text));
  assert.deepEqual(await read(1), ['a']);
  feed.drop(1);
  feed.drop(9);
  assert.deepEqual(await read(), ['b', 'd']);
  feed.put(task(1, 'e'));
  assert.deepEqual(await read(), ['e'], 'it may come back');
});

test('a poll takes what fits, at least one task', async () => {
  const { feed, read } = await fed();
  for (const text of ['aaaa', 'bbbb', 'cccc']) feed.put(task(0, text));
  assert.deepEqual(await read(5), ['aaaa', 'bbbb']);
  assert.deepEqual(await read(1), ['cccc']);
});

test('a waiting poll is woken by a task or by a call', async () => {
  const { feed, reader, read } = await fed();
  const waiting = read();
  await turn();
  feed.put(task(0, 'a'));
  assert.deepEqual(await waiting, ['a']);
  const none = read();
  await turn();
  reader.wake();
  assert.deepEqual(await none, []);
});

test('other topics are read from the log; positions of tasks are stored elsewhere', async () => {
  const { log, feed, over, reader, read } = await fed();
  const control = { topic: 'docs.control', partition: 0, key: null, value: Buffer.from('stop') };
  await over.append([control]);
  const other = over.reader();
  other.seek('docs.control', 0, 0);
  other.pause('docs.control', 0);
  assert.deepEqual(await other.poll({ maxBytes: 10, waitMs: 0 }), []);
  other.resume('docs.control', 0);
  assert.deepEqual(
    (await other.poll({ maxBytes: 10, waitMs: 0 })).map(({ value }) => value.toString()),
    ['stop'],
  );
  feed.put(task(0, 'a'));
  for (const act of ['drop', 'pause', 'resume'] as const) reader[act]('docs.tasks', 0);
  assert.deepEqual(await read(), ['a']);
  await over.commit('g', [{ topic: 'docs.control', partition: 0, offset: 1 }]);
  assert.equal(await log.committed('g', 'docs.control', 0), undefined);
  await Promise.all([reader.close(), other.close()]);
  await log.close();
});
