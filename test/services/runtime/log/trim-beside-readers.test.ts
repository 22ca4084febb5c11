/** What a log's readers find while others trim it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';

/** 60 records in segments of three; each scan of the disk runs `beside` first, once it is set. */
async function logOnDisk() {
  const memory = createMemoryStore();
  const disk: { beside?: (() => Promise<void>) | undefined } = {};
  const scan: StateStore['scan'] = async function* (range) {
    const act = disk.beside;
    disk.beside = undefined;
    await act?.();
    yield* memory.scan(range);
  };
  const log = await openEmbeddedLog({ ...memory, scan }, new SystemClock(), { tailBytes: 0, segmentBytes: 1000 });
  await log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]);
  for (let n = 0; n < 60; n++) await log.append([{ topic: 't', partition: 0, key: null, value: Buffer.alloc(300, n) }]);
  return { log, disk };
}

test('a reader of many segments finds all its records while records before it are trimmed', async () => {
  for (const before of [1, 4, 10, 19, 20]) {
    const { log, disk } = await logOnDisk();
    const reader = log.reader();
    reader.seek('t', 0, 20);
    disk.beside = () => log.trim('t', 0, before);
    const records = await reader.poll({ maxBytes: 1e6, waitMs: 0 });
    assert.deepEqual(
      records.map(({ offset }) => offset),
      Array.from({ length: 40 }, (_, n) => 20 + n),
    );
  }
});

test('the offset of a time and the newest record are found while the log is trimmed', async () => {
  for (const before of [10, 31, 59, 60]) {
    const { log, disk } = await logOnDisk();
    disk.beside = () => log.trim('t', 0, before);
    assert.equal(await log.offsetAt('t', 0, 0), before);
    const other = await logOnDisk();
    other.disk.beside = () => other.log.trim('t', 0, before);
    assert.equal((await other.log.last('t', 0))?.offset, before === 60 ? undefined : 59);
  }
});
