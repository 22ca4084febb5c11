/** What a crawl in memory keeps: its log forgets what has been decided, and its leases do not wait past their time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forgetRegularly, openMemoryLog } from '../../../services/library/memory-log.ts';
import { PageFlow } from '../../../services/library/page-flow.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';

test('records without a reader are dropped; those with a reader, and all of control, stay', async () => {
  const clock = new SystemClock();
  const opened = await openMemoryLog('c', 1, clock);
  const { log } = opened;
  const topics = ['pages', 'results', 'discovered', 'tasks', 'frontier-changelog', 'control'];
  for (const topic of topics) {
    const record = { topic: `c.${topic}`, partition: 0, key: null, value: Buffer.from('some') };
    await log.append([record, record, record]);
  }
  const forgetting = forgetRegularly(opened, 'c', clock, () => ({ results: 1, discovered: 2, tasks: 0 }));
  const starts = async () => Promise.all(topics.map(async (topic) => (await log.offsets(`c.${topic}`, 0)).start));
  for (const untilMs = clock.nowMs() + 10_000; clock.nowMs() < untilMs; await sleep(10)) {
    if ((await starts())[4] === 3) break;
  }
  await forgetting.stop();
  assert.deepEqual(await starts(), [3, 1, 2, 0, 3, 0]);
  await log.close();
});

test('room for a lease’s pages is refused when its time is over, and given as soon as there is some', async () => {
  const flow = new PageFlow<number>(1, undefined, () => {});
  const { signal } = new AbortController();
  assert.equal(flow.room(1_000, signal), undefined);
  flow.put(1);
  assert.equal(await flow.room(20, signal), false);
  const waiting = flow.room(60_000, signal);
  assert.deepEqual(await flow.next(), { done: false, value: 1 });
  assert.equal(await waiting, true);
  flow.put(2);
  const stop = new AbortController();
  const given = flow.room(60_000, stop.signal);
  stop.abort();
  assert.equal(await given, false);
});
