import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { ThreadTurns } from '../../../../services/runtime/store/thread-turns.ts';
import { temporaryFolder } from './temporary-folder.ts';

test('a read of one store does not wait behind the writes of all others', async (t) => {
  const folder = temporaryFolder();
  const options = { writeBufferBytes: 1 << 20, cacheBytes: 1 << 20 };
  const stores = await Promise.all(Array.from({ length: 24 }, (_, n) => openStateStore(join(folder, `${n}`), options)));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const [reader, ...writers] = stores as [(typeof stores)[0], ...typeof stores];
  const key = Buffer.from('a');
  await reader.write([{ key, value: Buffer.from('b') }]);
  let written = 0;
  const value = Buffer.alloc(1 << 19, 'x');
  const writes = writers.map((store) => store.write([{ key, value }], { sync: true }).then(() => written++));
  assert.equal(`${await reader.get(key)}`, 'b');
  assert.ok(written <= 6, `${written} of ${writers.length} stores were written before the read`);
  await Promise.all(writes);
});

test('turns come in order, a few at once, and one that fails passes its turn on', async () => {
  const turns = new ThreadTurns(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3].map((n) =>
    turns.run(() => {
      begun.push(n);
      return new Promise<number>((resolve, reject) => {
        ends[n] = () => (n === 0 ? reject(new Error('full')) : resolve(n));
      });
    }),
  );
  const results = Promise.allSettled(all);
  assert.deepEqual(begun, [0, 1]);
  for (const n of [0, 1, 2, 3]) {
    ends[n]!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(begun, [0, 1, 2, 3]);
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  assert.equal(await turns.run(async () => 7), 7);
});

test('a turn is kept for work that outlasts its act, also if the work fails', async () => {
  const turns = new ThreadTurns(1);
  for (const isGood of [true, false]) {
    let end = () => {};
    const work = new Promise<void>((resolve, reject) => {
      end = () => (isGood ? resolve() : reject(new Error('full')));
    });
    await turns.run(async (keepFor) => keepFor(work));
    let hasBegun = false;
    const next = turns.run(async () => (hasBegun = true));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(hasBegun, false);
    end();
    assert.equal(await next, true);
  }
});
