import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';

const put = (key: string, value: string) => [{ key: Buffer.from(key), value: Buffer.from(value) }];
async function rowsOf(store: StateStore): Promise<string> {
  const rows: string[] = [];
  for await (const [key, value] of store.scan({ gte: Buffer.from(''), lt: Buffer.from('\xff', 'latin1') }))
    rows.push(`${key}${value}`);
  return rows.join(' ');
}

describe('fault store', () => {
  it('a fault store fails the planned write and all after it, without applying them', async () => {
    const inner = createMemoryStore();
    const store = createFaultStore(inner, { failAt: 2, failCode: 'DISK_FULL' });
    await store.write(put('a', '1'));
    for (const _ of [2, 3]) {
      await assert.rejects(store.write(put('b', '1')), (e) => e instanceof CrawlstreamError && e.code === 'DISK_FULL');
    }
    assert.equal(await rowsOf(store), 'a1');
  });

  it('a fault store dies before or after a write, and answers nothing from then on', async () => {
    for (const [when, left] of [
      ['before', 'a1'],
      ['after', 'a1 b2'],
    ] as const) {
      const inner = createMemoryStore();
      const store = createFaultStore(inner, { crashAt: 2, when });
      await store.write(put('a', '1'));
      await assert.rejects(store.write(put('b', '2')));
      await assert.rejects(store.get(Buffer.from('a')));
      await assert.rejects(rowsOf(store));
      await store.close();
      assert.equal(await rowsOf(inner), left);
    }
  });

  it('a fault store drops the newest unsynced writes at a crash, never a synced one', async () => {
    const inner = createMemoryStore();
    const store = createFaultStore(inner, { loseUnsynced: 2 });
    await store.write(put('a', '1'), { sync: true });
    for (const value of ['2', '3', '4']) await store.write(put('a', value));
    await store.crash();
    assert.equal(await rowsOf(inner), 'a2');
  });
});
