/** What every state store must do: one suite, run over each of them. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { ScanRange, StateStore } from '../../services/runtime/store/store.ts';
import { CrawlstreamError } from '../../topology/errors.ts';

export interface OpenStore {
  readonly store: StateStore;
  /** Closes the store if it is open, and opens it again over the same rows; absent where rows end with the store. */
  readonly reopen?: () => Promise<StateStore>;
  /** Closes and removes everything. */
  readonly close: () => Promise<void>;
}

const bytes = (text: string) => Buffer.from(text, 'latin1');
const put = (key: string, value: string) => ({ key: bytes(key), value: bytes(value) });
const del = (key: string) => ({ key: bytes(key), value: null });
const closed = (error: unknown) => error instanceof CrawlstreamError && error.code === 'STORE_CLOSED';

async function keysOf(
  store: StateStore,
  range: Partial<Omit<ScanRange, 'gte' | 'lt'>> & { gte?: string; lt?: string } = {},
) {
  const { gte = '', lt = '\xff', ...rest } = range;
  const keys: string[] = [];
  for await (const [key] of store.scan({ gte: bytes(gte), lt: bytes(lt), ...rest })) keys.push(key.toString('latin1'));
  return keys;
}

/** `durable`: the rows outlive the store object, and `reopen` is there. */
export function storeContract(name: string, durable: boolean, open: () => Promise<OpenStore>): void {
  describe(`state store contract: ${name}`, () => {
    let opened: OpenStore;
    let store: StateStore;
    const all: OpenStore[] = [];
    beforeEach(async () => {
      opened = await open();
      all.push(opened);
      store = opened.store;
    });
    after(async () => {
      for (const each of all) await each.close();
    });

    it('a store returns what was written, and undefined for other keys', async () => {
      await store.write([put('a', '1'), put('b', '')]);
      assert.equal((await store.get(bytes('a')))?.toString(), '1');
      assert.equal((await store.get(bytes('b')))?.length, 0);
      assert.equal(await store.get(bytes('c')), undefined);
      const many = await store.getMany([bytes('b'), bytes('missing'), bytes('a'), bytes('a')]);
      assert.deepEqual(
        many.map((value) => value?.toString()),
        ['', undefined, '1', '1'],
      );
      assert.deepEqual(await store.getMany([]), []);
    });

    it('a store accepts plain Uint8Arrays as keys and values', async () => {
      await store.write([{ key: new Uint8Array([1, 2]), value: new Uint8Array([3]) }]);
      assert.deepEqual([...((await store.get(new Uint8Array([1, 2]))) ?? [])], [3]);
      const rows: Buffer[] = [];
      for await (const [key] of store.scan({ gte: new Uint8Array([1]), lt: new Uint8Array([2]) })) rows.push(key);
      assert.ok(Buffer.isBuffer(rows[0]) && rows[0].equals(Buffer.from([1, 2])));
    });

    it('a store overwrites and deletes; the last operation on a key in a batch wins', async () => {
      await store.write([put('a', '1'), put('b', '1')]);
      await store.write([put('b', '2'), del('a'), put('c', 'x'), del('c'), del('d'), put('d', 'y'), del('never')]);
      const values = await store.getMany(['a', 'b', 'c', 'd'].map(bytes));
      assert.deepEqual(
        values.map((value) => value?.toString()),
        [undefined, '2', undefined, 'y'],
      );
    });

    it('a store orders keys by unsigned bytes, shorter first', async () => {
      const sorted = ['\x00', '\x00\x00', 'a', 'a\x00', 'ab', 'b', '\x7f', '\x80', '\xfe\xff'];
      await store.write([...sorted].reverse().map((key) => put(key, 'v')));
      assert.deepEqual(await keysOf(store), sorted);
      assert.deepEqual(await keysOf(store, { reverse: true }), [...sorted].reverse());
    });

    it('a store scans from gte up to, but without, lt', async () => {
      await store.write(['a', 'b', 'c', 'd'].map((key) => put(key, key)));
      assert.deepEqual(await keysOf(store, { gte: 'b', lt: 'd' }), ['b', 'c']);
      assert.deepEqual(await keysOf(store, { gte: 'b', lt: 'd', reverse: true }), ['c', 'b']);
      assert.deepEqual(await keysOf(store, { gte: 'bb', lt: 'cc' }), ['c']);
      assert.deepEqual(await keysOf(store, { gte: 'd', lt: 'a' }), []);
      assert.deepEqual(await keysOf(store, { gte: 'b', lt: 'b' }), []);
      assert.deepEqual(await keysOf(store, { limit: 2 }), ['a', 'b']);
      assert.deepEqual(await keysOf(store, { limit: 1, reverse: true }), ['d']);
      assert.deepEqual(await keysOf(store, { limit: 0 }), []);
    });

    it('a store scans thousands of rows with large values, and can stop early', async () => {
      const value = Buffer.alloc(3000, 7);
      const key = (i: number) => bytes(`k${String(i).padStart(6, '0')}`);
      await store.write(Array.from({ length: 3000 }, (_, i) => ({ key: key((i * 7919) % 3000), value })));
      assert.equal((await keysOf(store)).length, 3000);
      let seen = 0;
      for await (const [, read] of store.scan({ gte: key(0), lt: key(3000) })) {
        assert.ok(read.equals(value));
        if (++seen === 10) break;
      }
      assert.equal((await keysOf(store, { gte: 'k000100', lt: 'k000200' })).length, 100);
    });

    it('a store shows a scan the rows as they stood when it began', async () => {
      await store.write(Array.from({ length: 2000 }, (_, i) => put(`k${String(i).padStart(5, '0')}`, 'old')));
      const rows: string[] = [];
      for await (const [key, value] of store.scan({ gte: bytes('k'), lt: bytes('l') })) {
        if (rows.length === 0) {
          await store.write([put('k00000a', 'new'), put('k01000', 'new'), del('k01999'), put('k01998z', 'new')]);
        }
        rows.push(`${key} ${value}`);
      }
      assert.equal(rows.length, 2000);
      assert.ok(rows.every((row) => row.endsWith(' old')));
      assert.equal((await keysOf(store)).length, 2001);
    });

    it('a store agrees with a sorted map over random batches', async () => {
      const model = new Map<string, string>();
      let state = 7;
      const next = (below: number) => (state = (state * 48271) % 2147483647) % below;
      for (let round = 0; round < 60; round++) {
        const ops = Array.from({ length: next(40) }, () => {
          const key = `k${next(900)}`;
          return next(4) === 0 ? del(key) : put(key, String(next(1e6)));
        });
        await store.write(ops, { sync: round % 10 === 0 });
        for (const { key, value } of ops) {
          if (value === null) model.delete(key.toString());
          else model.set(key.toString(), value.toString());
        }
      }
      assert.deepEqual(await keysOf(store), [...model.keys()].sort());
      const values = await store.getMany([...model.keys()].map(bytes));
      assert.deepEqual(values.map(String), [...model.values()]);
    });

    it('a store applies writes in the order they were issued', async () => {
      await Promise.all(Array.from({ length: 50 }, (_, i) => store.write([put('k', String(i))])));
      assert.equal(String(await store.get(bytes('k'))), '49');
    });

    it('a store accepts an empty batch', async () => {
      await store.write([], { sync: true });
      assert.deepEqual(await keysOf(store), []);
    });

    it('a store keeps a batch of several megabytes whole', async () => {
      const value = Buffer.alloc(100_000, 1);
      await store.write(
        Array.from({ length: 60 }, (_, i) => ({ key: bytes(`v${i}`), value })),
        { sync: true },
      );
      assert.equal((await keysOf(store)).length, 60);
    });

    it('a store waits in close for operations under way, then refuses every call', async () => {
      const writes = Array.from({ length: 20 }, (_, i) => store.write([put(`k${i}`, 'v')], { sync: true }));
      const read = store.getMany([bytes('k0')]);
      await store.close();
      await Promise.all([...writes, read]);
      await assert.rejects(store.get(bytes('a')), closed);
      await assert.rejects(store.getMany([bytes('a')]), closed);
      await assert.rejects(store.write([put('a', '1')]), closed);
      await assert.rejects(store.write([]), closed);
      await assert.rejects(keysOf(store), closed);
      await store.close();
    });

    it('a store ends a scan that close overtook', async () => {
      await store.write(Array.from({ length: 3000 }, (_, i) => put(`k${i}`, 'v')));
      const scan = store.scan({ gte: bytes('a'), lt: bytes('z') })[Symbol.asyncIterator]();
      await scan.next();
      await store.close();
      await assert.rejects(async () => {
        for (;;) await scan.next();
      }, closed);
    });

    if (durable) {
      it('a store finds its rows again after it was closed', async () => {
        await store.write([put('a', '1')], { sync: true });
        await store.write([put('b', '2')]);
        assert.ok(opened.reopen);
        assert.deepEqual(await keysOf(await opened.reopen()), ['a', 'b']);
      });
    }
  });
}
