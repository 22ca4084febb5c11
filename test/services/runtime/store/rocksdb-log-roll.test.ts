/** When RocksDB's store ends a write-ahead log, on a memtable that the test plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Callback, DbContext, RocksdbBinding } from '../../../../services/runtime/store/rocksdb-binding.ts';
import { createLogRoll } from '../../../../services/runtime/store/rocksdb-log-roll.ts';

const blockBytes = 16 * 4096;
const writeBufferBytes = 8 * blockBytes;
const db = {} as DbContext;

interface Batch {
  bytes: number;
  deletes: number;
}

/** A memtable that is full with `fullBlocks` blocks: the write after that begins a new log. */
function memtable(fullBlocks: number, failing?: (write: number) => Error | null) {
  const state = { used: 0, logs: 1 };
  const keys: Uint8Array[] = [];
  const writes: { readonly bytes: number; readonly sync: boolean; readonly deletes: number }[] = [];
  const binding = {
    batch_init: () => ({ bytes: 0, deletes: 0 }),
    batch_put: (batch: Batch, key: Uint8Array, value: Uint8Array) => {
      batch.bytes += value.length;
      keys.push(key);
    },
    batch_del: (batch: Batch, key: Uint8Array) => {
      batch.deletes += 1;
      keys.push(key);
    },
    batch_write(batch: Batch, { sync }: { sync: boolean }, done: Callback) {
      writes.push({ ...batch, sync });
      const error = failing?.(writes.length) ?? null;
      if (error !== null) return done(error);
      if (state.used >= fullBlocks * blockBytes) {
        state.used = 0;
        state.logs += 1;
      }
      state.used += batch.bytes;
      return done(null);
    },
    db_get_property: (_: DbContext, name: string) =>
      name === 'rocksdb.cur-size-active-mem-table' ? `${state.used}` : '',
  };
  const roll = createLogRoll(binding as unknown as RocksdbBinding, db, writeBufferBytes);
  const begin = () =>
    new Promise<void>((resolve, reject) => roll.begin((error) => (error === null ? resolve() : reject(error))));
  return { roll, state, writes, keys, begin };
}

/** Writes rows until one may fill the memtable. Returns how many there were. */
function writeUntilDue({ roll, state }: ReturnType<typeof memtable>, bytes: number): number {
  for (let rows = 0; ; rows++) {
    if (roll.isDue(1, bytes)) return rows;
    state.used += bytes;
    assert.ok(state.used < 7.35 * blockBytes, 'a write that fills the memtable was not expected');
  }
}

for (const bytes of [10, 1_000, 20_000])
  test(`rows of ${bytes} bytes are due when the memtable may be full with the next one, and hardly before`, async () => {
    const table = memtable(7.8);
    writeUntilDue(table, bytes);
    // A row of another size may leave a fourth of a block unused.
    assert.ok(table.state.used > 6.6 * blockBytes, `${table.state.used / blockBytes} blocks`);
    table.state.used += bytes;
    await table.begin();
    assert.equal(table.state.logs, 2);
    writeUntilDue(table, bytes);
    assert.ok(table.state.used > 6.6 * blockBytes, 'the same for the next log');
  });

test('one write that is larger than a memtable is due', () => {
  const { roll } = memtable(7.8);
  assert.equal(roll.isDue(1, writeBufferBytes), true);
});

test('many small rows count for more than their bytes', () => {
  const { roll } = memtable(7.8);
  // 128 bytes each, whatever is in them.
  assert.equal(roll.isDue(Math.ceil((7.35 * blockBytes) / 128), 0), true);
  assert.equal(memtable(7.8).roll.isDue(100, 0), false);
});

test('a new log begins after a synced filler, which leaves no row', async () => {
  const table = memtable(7.8);
  table.state.used = 7 * blockBytes;
  await table.begin();
  const [filler, empty] = table.writes;
  assert.equal(table.writes.length, 2);
  assert.ok(filler!.bytes >= 0.8 * blockBytes && filler!.bytes < 0.9 * blockBytes, 'no more than it takes');
  assert.deepEqual([filler!.sync, filler!.deletes], [true, 1]);
  assert.deepEqual(empty, { bytes: 0, deletes: 1, sync: false });
  assert.equal(table.state.logs, 2);
  // Behind all rows, and before the end of what a rewrite compacts.
  for (const key of table.keys)
    assert.ok(Buffer.compare(key, Buffer.alloc(31, 0xff)) < 0 && Buffer.compare(key, Buffer.alloc(20, 0xff)) > 0);
});

test('a memtable that is not full yet is filled up to its end', async () => {
  const table = memtable(8.5);
  table.state.used = 7 * blockBytes;
  await table.begin();
  assert.equal(table.state.logs, 2);
  assert.deepEqual(
    table.writes.map(({ sync }) => sync),
    [true, false, true, false],
  );
});

test('a memtable that never gets full is left so, and its next write is due again', async () => {
  const table = memtable(100);
  table.state.used = 7 * blockBytes;
  await table.begin();
  assert.equal(table.writes.length, 4);
  assert.equal(table.state.logs, 1);
  assert.equal(table.roll.isDue(1, 1), true);
});

test('a write that fails ends the change of logs with its error', async () => {
  for (const failed of [1, 2]) {
    const table = memtable(7.8, (write) => (write === failed ? new Error('no space') : null));
    table.state.used = 7 * blockBytes;
    await assert.rejects(table.begin(), /no space/);
    assert.equal(table.writes.length, failed);
  }
});
