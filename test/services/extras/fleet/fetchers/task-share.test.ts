/** A fetcher's share of a fleet's tasks, over the embedded log; who has which partition is played by the test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskShare } from '../../../../../services/extras/fleet/fetchers/task-share.ts';
import { SystemClock } from '../../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../../services/runtime/log/embedded-log.ts';
import type { GroupOptions, Log, LogRecord } from '../../../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../../../services/runtime/store/memory-store.ts';
import { until } from '../../../until.ts';

const [topic, group] = ['f.tasks', 'f.fetchers'];

async function openLog(): Promise<Log> {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  await log.createTopics([{ name: topic, partitions: 2, retention: 'time' }]);
  return log;
}

const put = (log: Log, partition: number, ...values: string[]) =>
  log.append(values.map((value) => ({ topic, partition, key: null, value: Buffer.from(value) })));

async function joined(log: Log, first: readonly number[]) {
  const reported: string[] = [];
  const tasks: LogRecord[] = [];
  let held: GroupOptions | undefined;
  let heldUntilMs = Number.POSITIVE_INFINITY;
  let isAtRest = true;
  const playing: Log = {
    ...log,
    async join(options) {
      held = options;
      options.onAssigned(first, []);
      return {
        name: 'm',
        members: 2,
        get heldUntilMs() {
          return heldUntilMs;
        },
        leave: async () => void reported.push('left'),
      };
    },
  };
  const share = await TaskShare.join({
    ...{ log: playing, topic, group },
    onTaken: async (partition) => void reported.push(`taken ${partition}`),
    onGone: (partition) => void reported.push(`gone ${partition}`),
    async atRest() {
      await until(() => isAtRest);
      reported.push('at rest');
    },
    onLapsed: () => void reported.push('lapsed'),
    onTask(record) {
      tasks.push(record);
      reported.push(`task ${record.value}`);
    },
    onLeft: async (records) => void reported.push(`left ${records.map(({ value }) => value).join(' ')}`),
    onFailure: (error) => void reported.push(`failed: ${(error as Error).message}`),
  });
  return {
    ...{ share, reported, tasks },
    give: (partitions: readonly number[]) => held!.onAssigned(partitions, []),
    rejoin: () => held!.beforeRejoin!(),
    hold(untilMs: number) {
      heldUntilMs = untilMs;
    },
    rest(atRest: boolean) {
      isAtRest = atRest;
    },
  };
}

test('a partition is read from its end; older tasks that may be unfinished are ended, once for all', async () => {
  const log = await openLog();
  await put(log, 0, 'over', 'a', 'b');
  await log.commit(group, [{ topic, partition: 0, offset: 1 }]);
  const one = await joined(log, [0]);
  await until(() => one.share.has(0));
  await put(log, 0, 'c', 'd');
  await put(log, 1, 'another’s');
  await until(() => one.reported.includes('task d') && one.reported.includes('left a b'));
  assert.deepEqual([...one.reported].sort(), ['left a b', 'taken 0', 'task c', 'task d']);
  assert.deepEqual([one.share.has(0), one.share.has(1), one.share.members], [true, false, 2]);
  // The oldest that is not over is where the next one goes on from.
  const position = () => log.committed(group, topic, 0);
  await until(async () => (await position()) === 3);
  one.share.over(one.tasks[1]!);
  await put(log, 0, 'e');
  await until(() => one.reported.includes('task e'));
  one.share.over(one.tasks[0]!);
  await until(async () => (await position()) === 5);
  await one.share.leave();
  const next = await joined(log, [0]);
  await until(() => next.reported.includes('left e'));
  assert.deepEqual(next.reported, ['taken 0', 'left e']);
  await next.share.leave();
  await log.close();
});

test('nothing starts while partitions move, nor for a margin before the session could end', async () => {
  const log = await openLog();
  const one = await joined(log, [0, 1]);
  await until(() => one.share.has(0) && one.share.has(1));
  assert.ok(one.share.mayContact());
  one.rest(false);
  const resting = one.rejoin();
  assert.equal(one.share.mayContact(), false);
  assert.ok(one.share.isOwn(0), 'a pause that a host asks for in its last answer must reach the next process');
  one.rest(true);
  await resting;
  assert.equal(one.share.mayContact(), false, 'whose partitions they will be is not known yet');
  one.give([1]);
  assert.ok(one.share.mayContact());
  assert.deepEqual([one.share.has(0), one.share.has(1)], [false, true]);
  assert.deepEqual([one.share.isOwn(0), one.share.isOwn(1)], [false, true]);
  await put(log, 0, 'another’s');
  await put(log, 1, 'ours');
  await until(() => one.reported.includes('task ours'));
  assert.deepEqual(one.reported, ['taken 0', 'taken 1', 'at rest', 'gone 0', 'task ours']);
  await one.share.leave();
  assert.equal(one.reported.at(-1), 'left');
  await log.close();
});

test('a member whose session could have ended owns nothing, and its partitions are assigned again', async () => {
  const log = await openLog();
  const one = await joined(log, [0]);
  await until(() => one.share.has(0));
  await put(log, 0, 'a');
  await until(() => one.reported.includes('task a'));
  const counts = one.share.term();
  assert.ok(counts());
  one.hold(performance.now() + 3_900);
  assert.equal(one.share.mayContact(), false);
  assert.deepEqual(one.reported, ['taken 0', 'task a', 'gone 0', 'lapsed']);
  one.hold(performance.now() + 60_000);
  assert.equal(one.share.mayContact(), false, 'until it is taken anew');
  await until(() => one.reported.includes('left a'));
  assert.deepEqual(one.reported.slice(4), ['taken 0', 'left a']);
  assert.deepEqual([one.share.mayContact(), counts(), one.share.term()()], [true, false, true]);
  await one.share.leave();
  await log.close();
});

test('a partition that is revoked and returns starts over', async () => {
  const log = await openLog();
  const one = await joined(log, [0]);
  await until(() => one.share.has(0));
  await put(log, 0, 'a');
  await until(() => one.reported.includes('task a'));
  one.give([]);
  one.share.over(one.tasks[0]!);
  one.give([0]);
  await until(() => one.reported.includes('left a'));
  await put(log, 0, 'b');
  await until(() => one.reported.includes('task b'));
  assert.deepEqual(
    one.reported.filter((what) => what !== 'task b'),
    ['taken 0', 'task a', 'gone 0', 'taken 0', 'left a'],
  );
  await one.share.leave();
  await log.close();
});
