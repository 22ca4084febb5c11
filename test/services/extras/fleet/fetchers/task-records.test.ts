import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskFeed } from '../../../../../services/extras/fleet/fetchers/task-feed.ts';
import {
  crawlOfRecord,
  fleetPartitionOf,
  movedAnswerOf,
  movedRecord,
  sendingTasks,
} from '../../../../../services/extras/fleet/fetchers/task-records.ts';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import type { LogRecord } from '../../../../../services/runtime/log/log.ts';
import { recordsOf } from '../../../../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';

const tasks = { topic: 'f.tasks', partitions: 16 };

async function openLog() {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([
    { name: tasks.topic, partitions: tasks.partitions, retention: 'time' },
    ...['results', 'control'].map((topic) => ({ name: `f.c.${topic}`, partitions: 1, retention: 'state' }) as const),
  ]);
  return log;
}

test('tasks of all crawls lie by host, whatever its port, each with its crawl; other records stay where they were', async () => {
  const log = await openLog();
  const hosts = ['a.test', 'b.test', 'b.test:8080'];
  for (const crawl of ['f.c', 'f.d']) {
    const key = (host: string) => Buffer.from(host);
    const results = { topic: 'f.c.results', partition: 0, key: null, value: Buffer.from('r') };
    const records = hosts.map((host) => ({ topic: `${crawl}.tasks`, partition: 0, key: key(host), value: key(host) }));
    await sendingTasks(log, crawl, tasks).append([...records, results]);
  }
  assert.equal((await log.offsets('f.c.results', 0)).end, 2);
  const partition = fleetPartitionOf('b.test', tasks.partitions);
  assert.notEqual(partition, fleetPartitionOf('a.test', tasks.partitions));
  const found: LogRecord[] = [];
  const { end } = await log.offsets(tasks.topic, partition);
  for await (const record of recordsOf(log, tasks.topic, partition, 0, end)) found.push(record);
  assert.deepEqual(
    found.map((record) => [crawlOfRecord(record), `${record.value}`, movedAnswerOf(record)]),
    ['f.c', 'f.d'].flatMap((crawl) => ['b.test', 'b.test:8080'].map((host) => [crawl, host, undefined])),
  );
  await log.close();
});

test('a host’s answer for another’s robots.txt goes to that host’s fetcher', async () => {
  const log = await openLog();
  const answer = {
    ...{ asked: ['http://b.test/robots.txt', 'http://x.test/r'], status: 200, location: null, body: 'AAEC' },
    ...{ retryAfterMs: 0, blockedAddress: false, detail: '' },
  };
  const record = movedRecord('f.c', answer, tasks);
  assert.equal(record.partition, fleetPartitionOf('b.test', tasks.partitions));
  await log.append([record]);
  const read = (await log.last(tasks.topic, record.partition))!;
  assert.deepEqual([crawlOfRecord(read), movedAnswerOf(read)], ['f.c', answer]);
  await log.close();
});

test('a crawl’s fetcher reads the tasks taken for it, except those that moved on; it reads everything else from its log', async () => {
  const log = await openLog();
  const feed = new TaskFeed('f.c');
  const fed = feed.over(log);
  const reader = fed.reader();
  reader.seek('f.c.tasks', 0, 0);
  const task = (partition: number, name: string): LogRecord => ({
    ...{ topic: tasks.topic, partition, offset: 70, timestampMs: 5, key: Buffer.from('h'), value: Buffer.from(name) },
    headers: { 'crawlstream-crawl': 'f.c' },
  });
  for (const [partition, name] of [
    [3, 'a'],
    [4, 'b'],
    [3, 'c'],
  ] as const)
    feed.put(task(partition, name));
  feed.drop(4);
  const poll = async (maxBytes = 100) =>
    (await reader.poll({ maxBytes, waitMs: 60_000 })).map(({ topic, partition, value }) => [
      topic,
      partition,
      `${value}`,
    ]);
  assert.deepEqual(await poll(1), [['f.c.tasks', 0, 'a']]);
  const later = poll();
  assert.deepEqual(await later, [['f.c.tasks', 0, 'c']]);
  const waiting = poll();
  feed.put(task(3, 'd'));
  assert.deepEqual(await waiting, [['f.c.tasks', 0, 'd']]);
  const woken = poll();
  reader.wake();
  assert.deepEqual(await woken, []);
  await reader.close();

  await log.append([{ topic: 'f.c.control', partition: 0, key: null, value: Buffer.from('policy') }]);
  const other = fed.reader();
  other.seek('f.c.control', 0, 0);
  assert.equal(`${(await other.poll({ maxBytes: 100, waitMs: 1_000 }))[0]!.value}`, 'policy');
  await other.close();
  await fed.commit('group', [{ topic: 'f.c.tasks', partition: 0, offset: 9 }]);
  assert.deepEqual(await log.groups('group'), []);
  await log.close();
});
