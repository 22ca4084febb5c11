import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { isolate, loadIsolated } from '../../../../services/runtime/store/isolated-module.ts';
import type { RocksdbBinding } from '../../../../services/runtime/store/rocksdb-binding.ts';
import { temporaryFolder } from './temporary-folder.ts';

const skip = process.platform === 'linux' ? false : 'only Linux mixes the symbols of a module and its host';

describe('isolated native module', { skip }, () => {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('rocksdb/package.json'));
  const file = (createRequire(join(folder, 'package.json'))('node-gyp-build') as { path(folder: string): string }).path(
    folder,
  );

  it('an isolated native module works like its original, on every Node', async () => {
    const binding = loadIsolated(file) as RocksdbBinding;
    const db = binding.db_init();
    const options = {
      createIfMissing: true,
      readOnly: false,
      compression: true,
      cacheSize: 1 << 20,
      writeBufferSize: 1 << 20,
      blockSize: 4096,
      maxOpenFiles: 100,
    };
    const done = (start: (callback: (error: Error | null) => void) => void) =>
      new Promise<void>((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
    await done((callback) => binding.db_open(db, join(temporaryFolder(), 'db'), options, callback));
    const put = { type: 'put', key: Buffer.from('k'), value: Buffer.from('v') } as const;
    await done((callback) => binding.batch_do(db, [put], { sync: true }, callback));
    const values = await new Promise((resolve) =>
      binding.db_get_many(db, [put.key], { asBuffer: true, fillCache: true }, (_, found) => resolve(found)),
    );
    assert.deepEqual(values, [put.value]);
    await done((callback) => binding.db_close(db, callback));
  });

  it('an isolated native module hides each weak definition and changes nothing else', () => {
    const before = readFileSync(file);
    const after = Buffer.from(before);
    const marked = isolate(after);
    assert.ok(marked > 1000, `${marked} of RocksDB's template functions`);
    let changed = 0;
    for (let i = 0; i < before.length; i++) {
      if (before[i] === after[i]) continue;
      changed++;
      assert.equal((before[i] as number) & ~3, (after[i] as number) & ~3);
      assert.equal((after[i] as number) & 3, 2, 'hidden');
    }
    assert.equal(changed, marked);
  });

  it('an unloadable native module is an error, not a crash', () => {
    const text = join(temporaryFolder(), 'text.node');
    writeFileSync(text, 'this is not a module, however long it may be: not at all');
    assert.throws(() => loadIsolated(text), /not a 64-bit little-endian ELF module/);
    const cut = join(temporaryFolder(), 'cut.node');
    writeFileSync(cut, readFileSync(file).subarray(0, 4096));
    assert.throws(() => loadIsolated(cut));
  });
});
