/** When LevelDB's store ends a write-ahead log: what a power cut may undo follows from it. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLevelStore } from '../../../../services/runtime/store/level-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The newest write-ahead log: its number and its length. */
function newestLog(folder: string): { readonly number: number; readonly bytes: number } {
  const numbers = readdirSync(folder).flatMap((name) => /^(\d+)\.log$/.exec(name)?.[1] ?? []);
  const name = numbers.sort((a, b) => Number(a) - Number(b)).at(-1)!;
  return { number: Number(name), bytes: statSync(join(folder, `${name}.log`)).size };
}

const keyOf = (row: number) => Buffer.from(`k${String(row).padStart(7, '0')}`);

test('the write that fills the memtable is the last one in its log, and the next write begins another', async () => {
  const folder = temporaryFolder();
  const memtableBytes = 1 << 16;
  const store = await openLevelStore(folder, { writeBufferBytes: memtableBytes });
  // Each row counts as its key, its value and 100 bytes.
  const valueBytes = 1_000;
  const rowsOfLog = Math.ceil(memtableBytes / (8 + valueBytes + 100));
  let row = 0;
  for (let logs = 0; logs < 3; logs++) {
    const { number } = newestLog(folder);
    for (let rows = 1; rows < rowsOfLog; rows++) {
      await store.write([{ key: keyOf(row++), value: Buffer.alloc(valueBytes, row) }]);
      assert.equal(newestLog(folder).number, number, `row ${rows} of log ${logs}`);
    }
    await store.write([{ key: keyOf(row++), value: Buffer.alloc(valueBytes, row) }]);
    const next = newestLog(folder);
    assert.ok(next.number > number, `log ${logs} has ended`);
    assert.equal(next.bytes, 0, 'with nothing of the write that ended the other');
  }
  await store.close();
  const again = await openLevelStore(folder);
  let rows = 0;
  for await (const [key] of again.scan({ gte: Buffer.from('k'), lt: Buffer.from('l') }))
    assert.deepEqual(key, keyOf(rows++));
  assert.equal(rows, row);
  await again.close();
});

test('rows that are freed are gone, and the log that deleted them ends', async () => {
  const folder = temporaryFolder();
  const store = await openLevelStore(folder);
  const range = { gte: Buffer.from('k'), lt: Buffer.from('l') };
  for (let row = 0; row < 50; row++)
    await store.write([{ key: keyOf(row), value: Buffer.from(`mark-${row}-`.repeat(100)) }]);
  await store.write(Array.from({ length: 50 }, (_, row) => ({ key: keyOf(row), value: null })));
  const { number } = newestLog(folder);
  await store.free!(range.gte, range.lt);
  assert.ok(newestLog(folder).number > number);
  assert.equal(newestLog(folder).bytes, 0);
  for await (const [key] of store.scan(range)) assert.fail(`${key}`);
  await store.close();
});

test('a store that is open read-only takes no writes, and has nothing to free', async () => {
  const folder = temporaryFolder();
  await (await openLevelStore(folder)).close();
  const view = await openLevelStore(folder, { readOnly: true });
  await assert.rejects(view.write([{ key: keyOf(1), value: null }]), {
    code: 'UNSUPPORTED',
    message: `the store in ${folder} is open read-only`,
  });
  assert.equal(view.free, undefined);
  await view.close();
  assert.equal(view.figures!(), null);
});
