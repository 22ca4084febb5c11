/** Records that are erased in place: what stays of them, in memory and on disk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../../../services/runtime/log/embedded-log.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';

const record = (n: number, partition = 0) => ({
  ...{ topic: 't', partition, key: Buffer.from(`key ${n}`) },
  ...{ value: Buffer.from(`value ${n}`), headers: { name: `header ${n}` } },
});

async function all(log: EmbeddedLog, partition = 0, from = 0) {
  const reader = log.reader();
  reader.seek('t', partition, from);
  const { end } = await log.offsets('t', partition);
  const records: Awaited<ReturnType<typeof reader.poll>> = [];
  while (records.length < end - from) records.push(...(await reader.poll({ maxBytes: 1e6, waitMs: 0 })));
  await reader.close();
  return records;
}

/** Offsets with what is in their records. */
const texts = (records: Awaited<ReturnType<typeof all>>) =>
  records.map(({ offset, key, value, headers }) => `${offset} ${key} ${value} ${headers['name'] ?? ''}`);
const kept = (n: number) => `${n} key ${n} value ${n} header ${n}`;
const erased = (n: number) => `${n} null  `;

for (const tailBytes of [1 << 20, 0])
  test(`erased records keep their offsets and times alone, with a tail of ${tailBytes} bytes`, async () => {
    const store = createMemoryStore();
    let log = await openEmbeddedLog(store, new SystemClock(), { tailBytes, segmentBytes: 60 });
    await log.createTopics([{ name: 't', partitions: 2, retention: 'time' }]);
    for (let n = 0; n < 8; n++) await log.append([record(n)]);
    await log.append([record(0, 1)]);
    const before = await all(log);
    await log.erase('t', 0, [1, 3, 3, 7, 99]);
    await log.erase('t', 0, []);
    const wanted = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => ([1, 3, 7].includes(n) ? erased(n) : kept(n)));
    const check = async () => {
      const after = await all(log);
      assert.deepEqual(texts(after), wanted);
      assert.deepEqual(
        after.map(({ timestampMs }) => timestampMs),
        before.map(({ timestampMs }) => timestampMs),
      );
      assert.deepEqual(texts(await all(log, 1)), [kept(0)]);
      assert.deepEqual(await log.offsets('t', 0), { start: 0, end: 8 });
      assert.equal((await log.last('t', 0))?.value.length, 0);
    };
    await check();
    await log.close();
    for await (const [key, value] of store.scan({ gte: Buffer.alloc(0), lt: Buffer.alloc(40, 0xff) }))
      for (const n of [1, 3, 7])
        for (const bytes of [key, value])
          assert.doesNotMatch(bytes.toString('latin1'), new RegExp(`(key|header) ${n}`));
    log = await openEmbeddedLog(store, new SystemClock(), { tailBytes });
    await check();
    await log.append([record(8)]);
    assert.deepEqual(texts(await all(log)).slice(-1), [kept(8)]);
    await log.close();
  });

test('more records than one write takes are all erased, and those below a trim are passed over', async () => {
  const log = await openEmbeddedLog(createMemoryStore(), new SystemClock(), { tailBytes: 0 });
  await log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]);
  const count = 700;
  await log.append(Array.from({ length: count }, (_, n) => record(n)));
  await log.trim('t', 0, 50);
  await log.erase(
    't',
    0,
    Array.from({ length: count }, (_, n) => n),
  );
  const left = await all(log, 0, 50);
  assert.equal(left.length, count - 50);
  for (const { offset, value, key } of left) assert.deepEqual([value.length, key], [0, null], `${offset}`);
  await log.close();
});

test('the tables of a log are rewritten when it closes after an erasure, and not otherwise', async () => {
  for (const [offsets, rewrites] of [
    [[0], 1],
    [[], 0],
  ] as const) {
    let rewritten = 0;
    const store = { ...createMemoryStore(), rewrite: async () => void (rewritten += 1) };
    const log = await openEmbeddedLog(store, new SystemClock());
    await log.createTopics([{ name: 't', partitions: 1, retention: 'time' }]);
    await log.append([record(0)]);
    await log.erase('t', 0, offsets);
    assert.equal(rewritten, 0);
    await log.close();
    await log.close();
    assert.equal(rewritten, rewrites);
  }
});
