import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { openReadOnlyLog } from '../../../../services/runtime/log/read-only.ts';
import { openLevelStore } from '../../../../services/runtime/store/level-store.ts';
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
