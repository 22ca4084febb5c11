import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { openReadOnlyLog } from '../../../../services/runtime/log/read-only.ts';
import { openLevelStore } from '../../../../services/runtime/store/level-store.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test('a reader that is moved while a poll below the start fails reads all records from its new position', async (t) => {
  const folder = temporaryFolder();
  const clock = new SystemClock();
  const store = await openLevelStore(folder);
  const log = await openEmbeddedLog(store, clock);
  await log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]);
  for (let n = 0; n < 10; n++) await log.append([{ topic: 't', partition: 0, key: null, value: Buffer.from(`${n}`) }]);
  await log.trim('t', 0, 5);
  await log.close();
  await store.close();

  const view = await openReadOnlyLog(folder, clock);
  t.after(() => view.close());
  // The poll fails after some turns of the loop's microtasks.
  for (let turns = 0; turns < 30; turns++) {
    const reader = view.reader();
    reader.seek('t', 0, 0);
    const polled = reader.poll({ maxBytes: 1e6, waitMs: 0 }).catch(() => []);
    for (let turn = 0; turn < turns; turn++) await null;
    reader.seek('t', 0, 5);
    const offsets = (await polled).map(({ offset }) => offset);
    for (let polls = 0; polls < 3 && offsets.at(-1) !== 9; polls++)
      for (const { offset } of await reader.poll({ maxBytes: 1e6, waitMs: 0 })) offsets.push(offset);
    assert.deepEqual(offsets, [5, 6, 7, 8, 9], `moved after ${turns} turns`);
    await reader.close();
  }
});

/** A folder with a log of two partitions. `append` writes to it as another process does, which ends. */
async function folderLog() {
  const folder = temporaryFolder();
  const append = async (...partitions: readonly number[]) => {
    const store = await openLevelStore(folder);
    const log = await openEmbeddedLog(store, new SystemClock());
    await log.createTopics([{ name: 't', partitions: 2, retention: 'time' }]);
    for (const partition of partitions)
      await log.append([{ topic: 't', partition, key: null, value: Buffer.from('x') }]);
    await log.close();
    await store.close();
  };
  await append(0, 0, 1);
  return { folder, append };
}

const all = { maxBytes: 1e6, waitMs: 0 };

test('a reader goes on where it was after a refresh, and what was paused or dropped stays so', async (t) => {
  const { folder, append } = await folderLog();
  const view = await openReadOnlyLog(folder, new SystemClock());
  t.after(() => view.close());
  const read = async (reader: ReturnType<typeof view.reader>) =>
    (await reader.poll(all)).map(({ partition, offset }) => `${partition}/${offset}`);
  const [reader, paused, dropped] = [view.reader(), view.reader(), view.reader()];
  for (const one of [reader, paused, dropped]) for (const partition of [0, 1]) one.seek('t', partition, 0);
  assert.deepEqual(await read(reader), ['0/0', '0/1', '1/0']);
  paused.pause('t', 0);
  dropped.drop('t', 0);
  await append(0, 1);
  assert.deepEqual(await read(reader), [], 'before a refresh');
  assert.equal((await view.offsets('t', 0)).end, 2);
  await view.refresh();
  assert.equal((await view.offsets('t', 0)).end, 3);
  assert.deepEqual((await read(reader)).sort(), ['0/2', '1/1']);
  assert.deepEqual(await read(paused), ['1/0', '1/1']);
  assert.deepEqual(await read(dropped), ['1/0', '1/1']);
  paused.resume('t', 0);
  assert.deepEqual(await read(paused), ['0/0', '0/1', '0/2']);
  paused.seek('t', 0, 2);
  assert.deepEqual(await read(paused), ['0/2']);
});

test('a poll that waits sees new records at the next look, and ends with its time, a wake or a close', async (t) => {
  const { folder, append } = await folderLog();
  const clock = createFakeClock();
  const view = await openReadOnlyLog(folder, clock);
  t.after(() => view.close());
  const reader = view.reader();
  reader.seek('t', 0, 2);
  const polled = async (waitMs: number, meanwhile: () => unknown) => {
    const startMs = clock.nowMs();
    const ends: { readonly afterMs: number; readonly records: number }[] = [];
    const done = reader.poll({ maxBytes: 1e6, waitMs }).then(({ length: records }) => {
      ends.push({ afterMs: clock.nowMs() - startMs, records });
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await meanwhile();
    while (ends.length === 0) {
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await done;
    return ends[0]!;
  };
  assert.equal((await polled(10_000, () => append(0))).records, 1);
  const timed = await polled(700, () => {});
  assert.deepEqual([timed.records, timed.afterMs >= 700], [0, true]);
  const woken = await polled(100_000, () => reader.wake());
  assert.deepEqual([woken.records, woken.afterMs < 1_000], [0, true]);
  const closed = await polled(100_000, () => reader.close());
  assert.deepEqual([closed.records, closed.afterMs < 1_000], [0, true]);
});

test('a view that is closed answers nothing, and a folder without a log none at all', async () => {
  const { folder } = await folderLog();
  const view = await openReadOnlyLog(folder, new SystemClock());
  assert.deepEqual(
    view.topics().map(({ name }) => name),
    ['t'],
  );
  assert.equal(await view.partitionsOf('t'), 2);
  assert.equal((await view.last('t', 0))?.offset, 1);
  assert.equal(await view.committed('g', 't', 0), undefined);
  await view.close();
  await assert.rejects(view.last('t', 0), { code: 'STORE_CLOSED' });
  await assert.rejects(openReadOnlyLog(temporaryFolder(), new SystemClock()), { code: 'STORE_FAILED' });
});

test('calls during a refresh have their answers, of the old view or the new one', async (t) => {
  const { folder } = await folderLog();
  const view = await openReadOnlyLog(folder, new SystemClock());
  t.after(() => view.close());
  for (let refreshes = 0; refreshes < 5; refreshes++) {
    let isFresh = false;
    const both = [view.refresh(), view.refresh()];
    assert.equal(both[0], both[1], 'refreshes at once are one');
    const refreshed = both[0]!.then(() => (isFresh = true));
    while (!isFresh) {
      assert.equal(await view.offsetAt('t', 0, 0), 0);
      assert.equal((await view.last('t', 0))?.offset, 1);
    }
    await refreshed;
  }
});

test('a poll that is woken or closed opens the folder no more', async (t) => {
  const { folder, append } = await folderLog();
  const view = await openReadOnlyLog(folder, createFakeClock());
  t.after(() => view.close());
  for (const end of ['wake', 'close'] as const) {
    const reader = view.reader();
    reader.seek('t', 0, 2);
    const polled = reader.poll({ maxBytes: 1e6, waitMs: 10_000 });
    await append(0);
    await reader[end]();
    assert.deepEqual(await polled, []);
    assert.equal((await view.offsets('t', 0)).end, 2, `after ${end}`);
    await reader.close();
  }
});

test('a reader that is closed while its poll reads ends the poll, and takes no other', async (t) => {
  const { folder } = await folderLog();
  const view = await openReadOnlyLog(folder, new SystemClock());
  t.after(() => view.close());
  for (let turns = 0; turns < 30; turns++) {
    const reader = view.reader();
    reader.seek('t', 0, 0);
    const polled = reader.poll({ maxBytes: 1e6, waitMs: 60_000 });
    for (let turn = 0; turn < turns; turn++) await null;
    await reader.close();
    assert.ok((await polled).length <= 2);
    await assert.rejects(reader.poll(all), { code: 'STORE_CLOSED' });
  }
});
