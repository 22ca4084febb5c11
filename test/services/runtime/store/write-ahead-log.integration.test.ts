import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openLevelStore } from '../../../../services/runtime/store/level-store.ts';
import { openRocksdbStore } from '../../../../services/runtime/store/rocksdb-store.ts';
import { damageIn, findLogDamage, refuseLogDamage } from '../../../../services/runtime/store/write-ahead-log.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The log of a store after batches of all sizes, some of them over several blocks. */
async function written(open: typeof openRocksdbStore): Promise<{ folder: string; file: string; bytes: Buffer }> {
  const folder = temporaryFolder();
  const store = await open(folder);
  for (const size of [10, 300, 40_000, 5, 90_000, 2_000, 32_700, 100]) {
    const value = randomBytes(size).map((byte) => byte | 1);
    await store.write([{ key: Buffer.from(`row ${size}`), value }], { sync: true });
  }
  await store.close();
  const [name] = readdirSync(folder).filter((one) => one.endsWith('.log'));
  const file = join(folder, name!);
  return { folder, file, bytes: readFileSync(file) };
}

for (const [name, open] of [
  ['RocksDB', openRocksdbStore],
  ['LevelDB', openLevelStore],
] as const) {
  describe(`a write-ahead log of ${name}`, () => {
    it('a whole write-ahead log has no damage, nor has one that ends anywhere', async () => {
      const { folder, bytes } = await written(open);
      assert.equal(await findLogDamage(folder), undefined);
      for (let end = 0; end <= bytes.length; end += 61)
        assert.equal(damageIn(bytes.subarray(0, end)), undefined, `${end}`);
    });

    it('a write-ahead log with overwritten bytes is refused, by file and offset', async () => {
      const { folder, file, bytes } = await written(open);
      for (const byte of [0xa5, 0, 0xff])
        for (let at = 0; at + 64 <= bytes.length; at += 997) {
          const damaged = Buffer.from(bytes);
          damaged.fill(byte, at, at + 64);
          const found = damageIn(damaged);
          assert.ok(found !== undefined && found <= at + 64, `${at}, filled with ${byte}: ${found}`);
        }
      const damaged = Buffer.from(bytes);
      damaged.fill(0xa5, 60_000, 60_064);
      writeFileSync(file, damaged);
      const { offset } = (await findLogDamage(folder))!;
      await assert.rejects(refuseLogDamage(folder), (error: Error & { code: string }) => {
        assert.equal(error.code, 'STORE_FAILED');
        assert.ok(error.message.startsWith(`${file} is damaged at byte ${offset}: the ${bytes.length - offset} bytes`));
        return error.message.endsWith(`truncate -s ${offset} ${file}`);
      });
    });

    it('a write-ahead log that lost unsynced pages is the result of a power cut, not damage', async () => {
      const { bytes } = await written(open);
      for (let page = 0; page + 4096 <= bytes.length; page += 4096) {
        const cut = Buffer.from(bytes);
        cut.fill(0, page, page + 4096);
        assert.equal(damageIn(cut), undefined, `${page}`);
      }
      const tail = Buffer.from(bytes);
      tail.fill(0, bytes.length - (bytes.length % 512));
      assert.equal(damageIn(tail), undefined);
    });
  });
}

it('a torn batch is no damage, whatever whole fragments strangers put into it', async () => {
  const { bytes } = await written(openRocksdbStore);
  const stranger = bytes.subarray(0, bytes.readUInt16LE(4) + 7);
  const folder = temporaryFolder();
  const store = await openRocksdbStore(folder);
  const value = Buffer.concat([randomBytes(500), stranger, randomBytes(20_000)]);
  await store.write([{ key: Buffer.from('page'), value }], { sync: true });
  await store.close();
  const [name] = readdirSync(folder).filter((one) => one.endsWith('.log'));
  const torn = readFileSync(join(folder, name!)).subarray(0, 10_000);
  assert.ok(torn.includes(stranger));
  assert.equal(damageIn(torn), undefined);
});
