/** Numbers of members of a group, as brokers report them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { fetchersOf } from '../../../../services/runtime/crawl/fetcher-count.ts';
import { frontierMembers, standbyGroup } from '../../../../services/runtime/crawl/frontier-members.ts';
import { watchMembers } from '../../../../services/runtime/crawl/member-watch.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { CrawlstreamError, type ErrorCode } from '../../../../topology/errors.ts';

/** Each look is answered with a number of members, or an error. */
function logOf(...looks: readonly (number | ErrorCode)[]) {
  const asked: string[] = [];
  const membersOf = async (group: string) => {
    const look = looks[asked.push(group) - 1];
    if (typeof look === 'string') throw new CrawlstreamError(look, 'no answer');
    return Array.from({ length: look ?? 0 }, () => ({ name: '', address: null, owned: [], standbys: [] }));
  };
  return { asked, log: { membersOf } };
}

test('a crawl has as many fetchers as its group has members, and an unknown number during a rebalance', async () => {
  const { asked, log } = logOf(3, 0, 'BROKER_UNREACHABLE', 'INVALID_ARGUMENT');
  assert.deepEqual([await fetchersOf(log, 'c'), await fetchersOf(log, 'c'), await fetchersOf(log, 'c')], [3, 0, null]);
  await assert.rejects(fetchersOf(log, 'c'), { code: 'INVALID_ARGUMENT' });
  assert.deepEqual(new Set(asked), new Set(['c.fetcher']));
});

/** Sleepers wait until the test wakes them. */
function handClock() {
  const waits: number[] = [];
  let wake = () => {};
  const clock = {
    nowMs: () => 1_000,
    sleepUntil: (untilMs: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        waits.push(untilMs - 1_000);
        wake = resolve;
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const next = () => {
    wake();
    return settle();
  };
  return { clock, waits, settle, next };
}

test('a watch has the newest known number of members, also while brokers do not answer', async () => {
  const { asked, log } = logOf(2, 'BROKER_UNREACHABLE', 5, 7);
  const { clock, waits, settle, next } = handClock();
  const watch = watchMembers(log, 'g', clock);
  assert.equal(watch.members, null);
  await settle();
  assert.equal(watch.members, 2);
  await next();
  assert.equal(watch.members, 2);
  await next();
  assert.equal(watch.members, 5);
  await watch.stop();
  assert.deepEqual(
    [asked, waits],
    [
      ['g', 'g', 'g'],
      [3_000, 3_000, 3_000],
    ],
  );
});

test('a watch ends if this user may not ask', async () => {
  const { asked, log } = logOf('INVALID_ARGUMENT');
  const { clock, waits, settle } = handClock();
  const watch = watchMembers(log, 'g', clock);
  await settle();
  assert.deepEqual([watch.members, asked, waits], [null, ['g'], []]);
  await watch.stop();
});

test('a frontier’s copies are as far behind as the records that they had not applied at their last report', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock());
  const topic = 'c.frontier-changelog';
  await log.createTopics([{ name: topic, partitions: 3, retention: 'state' }]);
  for (const partition of [0, 0, 0, 1])
    await log.append([{ topic, partition, key: null, value: Buffer.from('a commit') }]);
  await log.commit(standbyGroup('c', 1), [{ topic, partition: 0, offset: 1 }]);
  await log.commit(standbyGroup('c', 2), [{ topic, partition: 1, offset: 1 }]);
  const copies = [
    { partition: 0, rank: 1 },
    { partition: 1, rank: 2 },
    { partition: 2, rank: 1 },
  ];
  const member = { name: 'm', address: null, owned: [2], standbys: copies };
  const asked: string[] = [];
  const membersOf = async (group: string) => (asked.push(group) > 1 ? [] : [member]);
  const nowMs = Date.now() + 60_000;
  const [found] = await frontierMembers({ ...log, membersOf }, 'c', nowMs);
  assert.deepEqual(asked, ['c.frontier']);
  const [behind, current, silent] = found!.standbys;
  assert.deepEqual([behind!.partition, behind!.rank, behind!.behind], [0, 1, 2]);
  assert.ok(behind!.staleMs! >= 60_000 && behind!.staleMs! < 120_000, `${behind!.staleMs}`);
  assert.deepEqual(current, { partition: 1, rank: 2, behind: 0, staleMs: 0 });
  assert.deepEqual(silent, { partition: 2, rank: 1, behind: null, staleMs: null });
  assert.deepEqual([found!.name, found!.owned], ['m', [2]]);
  await log.close();
});
