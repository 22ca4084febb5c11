import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { snappyCodec } from '../../../../services/runtime/log/kafka/compression/snappy-blocks.ts';
import { tableBlocks, unsnapped } from '../../../../services/runtime/store/table-blocks.ts';
import { storesOnDisk } from './stores-on-disk.ts';
import { temporaryFolder } from './temporary-folder.ts';

for (const { name, open } of storesOnDisk) {
  test(`${name}: table blocks hold the text of every row, also compressed`, async () => {
    const folder = temporaryFolder();
    const store = await open(folder, { writeBufferBytes: 50_000 });
    const texts = Array.from({ length: 500 }, (_, n) => `${'much the same text '.repeat(20)} of row ${n}.`);
    for (const [n, text] of texts.entries()) {
      await store.write([{ key: Buffer.from(`${n}`), value: Buffer.from(text) }]);
    }
    await store.rewrite!();
    await store.close();
    const tables = (await readdir(folder)).filter((one) => /\.(sst|ldb)$/.test(one));
    const raw = Buffer.concat(await Promise.all(tables.map((one) => readFile(join(folder, one)))));
    assert.ok(texts.some((text) => !raw.includes(text)));
    const blocks: Buffer[] = [];
    for (const one of tables) blocks.push(...tableBlocks(await readFile(join(folder, one))));
    for (const text of texts)
      assert.ok(
        blocks.some((block) => block.includes(text)),
        text,
      );
  });
}

test('Snappy data is restored, with long literals and overlapping copies', () => {
  for (const text of ['', 'a', 'abc'.repeat(5_000), 'x'.repeat(70_000)]) {
    assert.equal(unsnapped(snappyCodec.compress(Buffer.from(text)) as Buffer).toString(), text);
  }
  const noise = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * n * 2_654_435_761) >>> 24));
  assert.deepEqual(unsnapped(snappyCodec.compress(noise) as Buffer), noise);
});

test('a file that is no table, and a block that copies from before its beginning, are errors', () => {
  assert.throws(() => [...tableBlocks(Buffer.alloc(100))], /not the footer of a table/);
  assert.throws(() => [...tableBlocks(Buffer.alloc(3))], /not the footer of a table/);
  assert.throws(() => unsnapped(Buffer.from([4, 1, 9])), /damaged/);
});
