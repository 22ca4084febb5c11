import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lsmMetrics } from '../../../../services/runtime/metrics/lsm-metrics.ts';
import type { StateStore } from '../../../../services/runtime/store/store.ts';
import { storesOnDisk } from '../store/stores-on-disk.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

/** Values by name and labels. */
function reported(opened: Set<Pick<StateStore, 'figures'>>): Record<string, number> {
  const values: Record<string, number> = {};
  const value = (name: string, one: number, labels: object = {}) => {
    const key = [name.replace('crawlstream_store_', ''), ...Object.values(labels).slice(1)].join(' ');
    values[key] = (values[key] ?? 0) + one;
  };
  void lsmMetrics('state', opened)({ value, spread: () => assert.fail() });
  return values;
}

for (const { name, open } of storesOnDisk) {
  describe(`figures of ${name}`, () => {
    it('a store exports its number of files until it is closed', async () => {
      const folder = temporaryFolder();
      const store = await open(folder, { writeBufferBytes: 64 << 10 });
      const opened = new Set<StateStore>([store]);
      assert.equal(reported(opened)['files 0'], 0);
      for (let i = 0; i < 40; i++) {
        await store.write([{ key: Buffer.from(`k${i}`), value: Buffer.from(`${i}`.repeat(20_000)) }]);
      }
      await store.close();
      assert.deepEqual(reported(opened), {});
      assert.equal(opened.size, 0);
      const again = await open(folder);
      const now = reported(new Set([again]));
      const files = Object.entries(now).filter(([key]) => key.startsWith('files '));
      assert.ok(files.reduce((sum, [, count]) => sum + count, 0) > 0, JSON.stringify(now));
      if (name === 'rocksdb') {
        assert.ok(now['memtable_bytes']! > 0);
        for (const key of ['compactions', 'compaction_bytes', 'stalled stopped', 'stalled delayed'])
          assert.ok(now[key]! >= 0, key);
      }
      await again.close();
    });
  });
}
