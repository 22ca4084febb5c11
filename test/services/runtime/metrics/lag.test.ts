/** How far groups are behind is looked at beside the scrapes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { type Lagging, LagWatch } from '../../../../services/runtime/metrics/lag.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';

/** What it tells now, by name and partition: it must tell at once, so that nothing is awaited. */
function reported(watch: LagWatch): Map<string, number> {
  const values = new Map<string, number>();
  const report = (name: string, value: number, labels: { readonly partition?: number } = {}) =>
    values.set(labels.partition === undefined ? name : `${name} ${labels.partition}`, value);
  assert.equal(watch.metrics({ value: report, spread: () => assert.fail() } as never), undefined);
  return values;
}

async function untilReported(watch: LagWatch, count: number): Promise<Map<string, number>> {
  for (;;) {
    const values = reported(watch);
    if (values.size >= count) return values;
    await sleep(20);
  }
}

test('lag counts records that a group has not handled, and reports the age of the oldest', async () => {
  const clock = new SystemClock();
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics([{ name: 't.pages', partitions: 3, retention: 'time' }]);
  const record = (partition: number) => ({ topic: 't.pages', partition, key: null, value: Buffer.from('page') });
  await log.append([record(0), record(0), record(0), record(1)]);
  const later = { nowMs: () => clock.nowMs() + 60_000, sleepUntil: clock.sleepUntil.bind(clock) };
  const offsets = [1, 1, 0];
  const positions = () => offsets.map((offset, partition) => ({ topic: 't.pages', partition, offset }));
  const watch = new LagWatch();
  const leave = watch.add({ log, clock: later, group: 't.g', positions });
  const closing = new AbortController();
  const running = watch.run(closing.signal);
  const values = await untilReported(watch, 10);
  const of = (name: string) => [0, 1, 2].map((partition) => values.get(`crawlstream_lag_${name} ${partition}`)!);
  assert.deepEqual(of('records'), [2, 0, 0]);
  assert.deepEqual(of('seconds').slice(1), [0, 0]);
  const [age] = of('seconds');
  assert.ok(age! >= 60 && age! < 90, `${age}`);
  offsets[0] = 3;
  assert.equal(
    reported(watch).get('crawlstream_lag_records 0'),
    0,
    'what the group has dealt with meanwhile is counted',
  );
  offsets.length = 1;
  assert.equal(reported(watch).size, 4, 'a partition that has gone to another member is its to tell of');
  leave();
  assert.equal(reported(watch).size, 0);
  closing.abort();
  await running;
  await log.close();
});

test('the last known lag is reported with its age while no broker answers', async () => {
  let nowMs = 1_000_000;
  let isAway = false;
  let asked = 0;
  const never = new Promise<never>(() => {});
  const offsets = async () => {
    asked += 1;
    return isAway ? never : { start: 1, end: 11 };
  };
  const oldest = { topic: 't.pages', partition: 0, offset: 6, timestampMs: nowMs - 5_000 };
  const reader = () => ({ seek() {}, drop() {}, close: async () => {}, poll: async () => [oldest] });
  const group: Lagging = {
    log: { offsets, reader } as never,
    clock: { nowMs: () => nowMs } as never,
    group: 't.g',
    positions: () => [{ topic: 't.pages', partition: 0, offset: 6 }],
  };
  const watch = new LagWatch();
  const closing = new AbortController();
  const running = watch.run(closing.signal);
  watch.add(group);
  await untilReported(watch, 4);
  isAway = true;
  // Whoever is new is looked at soon: it never hears of its partition.
  watch.add({ ...group, group: 't.other' });
  const before = asked;
  while (asked === before) await sleep(20);
  nowMs += 600_000;
  assert.deepEqual(Object.fromEntries(reported(watch)), {
    'crawlstream_lag_records 0': 5,
    'crawlstream_lag_retained_ratio 0': 0.5,
    'crawlstream_lag_seconds 0': 605,
    crawlstream_lag_age_seconds: 600,
  });
  closing.abort();
  await running;
});

test('trimmed records no longer count as lag, and the estimate of the others is not halved', async () => {
  const at = (topic: string) => ({ topic, partition: 0, offset: 4 });
  const record = { ...at('t.pages'), offset: 90, timestampMs: 0 };
  const watch = new LagWatch();
  watch.add({
    log: {
      offsets: async () => ({ start: 90, end: 100 }),
      reader: () => ({ seek() {}, drop() {}, close: async () => {}, poll: async () => [record] }),
    } as never,
    clock: { nowMs: () => 0 } as never,
    group: 't.g',
    positions: () => [at('t.pages')],
  });
  const closing = new AbortController();
  const running = watch.run(closing.signal);
  const values = await untilReported(watch, 4);
  assert.deepEqual([values.get('crawlstream_lag_records 0'), values.get('crawlstream_lag_retained_ratio 0')], [10, 1]);
  closing.abort();
  await running;
});

test('groups are listed with their positions, and forgotten all at once', () => {
  const watch = new LagWatch();
  const position = { topic: 't.pages', partition: 0, offset: 4 };
  const group = (name: string, positions: Lagging['positions']): Lagging => ({
    ...{ log: {} as never, clock: {} as never, group: name, positions },
  });
  watch.add(group('t.a', () => [position]));
  const leave = watch.add(group('t.b', () => []));
  assert.deepEqual(watch.positions(), [
    ['t.a', [position]],
    ['t.b', []],
  ]);
  leave();
  assert.deepEqual(
    watch.positions().map(([name]) => name),
    ['t.a'],
  );
  watch.clear();
  assert.deepEqual(watch.positions(), []);
});

test('a partition that has gone to another member and comes back is measured again', async () => {
  let isOurs = true;
  const read: number[] = [];
  let polls = 0;
  const record = (partition: number) => ({ topic: 't.pages', partition, offset: 2, timestampMs: 0 });
  const reader = () => ({
    ...{ seek: (_: string, partition: number) => read.push(partition), drop() {}, close: async () => {} },
    // Of another partition first, which nobody asked for.
    poll: async () => (polls++ % 2 === 0 ? [record(7)] : [record(0)]),
  });
  const watch = new LagWatch();
  watch.add({
    log: { offsets: async () => ({ start: 0, end: 3 }), reader } as never,
    clock: { nowMs: () => 0 } as never,
    group: 't.g',
    positions: () => [{ topic: 't.pages', partition: isOurs ? 0 : 1, offset: isOurs ? 2 : 3 }],
  });
  const closing = new AbortController();
  const running = watch.run(closing.signal);
  await untilReported(watch, 4);
  assert.deepEqual(read, [0]);
  isOurs = false;
  const values = await untilReported(watch, 4);
  assert.equal(values.get('crawlstream_lag_records 1'), 0);
  isOurs = true;
  assert.equal((await untilReported(watch, 4)).get('crawlstream_lag_records 0'), 1);
  assert.deepEqual(read, [0, 0], 'what was known of it was forgotten');
  closing.abort();
  await running;
});
