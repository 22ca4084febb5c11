/**
 * One step of a folder's way through several Nodes: reads all rows that earlier steps wrote, then writes its own.
 *
 * Arguments: folder, number of this step from 0, store. Each step leaves rows in a table file as well as in the write-ahead
 * log, so that the next one reads both.
 */
import assert from 'node:assert/strict';
import { openStateStore } from '../../services/runtime/store/open-store.ts';

const [folder = '', stepText = '0', store = 'rocksdb'] = process.argv.slice(2);
process.env['CRAWLSTREAM_STORE'] = store;
const step = Number(stepText);
const rowsPerStep = 3_000;
const row = (of: number, i: number) => ({
  key: Buffer.from(`${of}/${String(i).padStart(6, '0')}`),
  value: Buffer.from(`step ${of} row ${i} `.repeat(10)),
});

// A memtable smaller than what a step writes.
const opened = await openStateStore(folder, { writeBufferBytes: 256 << 10 });
for (let earlier = 0; earlier < step; earlier++) {
  const rows = Array.from({ length: rowsPerStep }, (_, i) => row(earlier, i));
  const found = await opened.getMany(rows.map(({ key }) => key));
  rows.forEach(({ value }, i) => {
    assert.ok(found[i]?.equals(value), `row ${i} of step ${earlier} is gone`);
  });
}
for (let i = 0; i < rowsPerStep; i += 100) {
  await opened.write(
    Array.from({ length: 100 }, (_, j) => row(step, i + j)),
    { sync: true },
  );
}
await opened.close();
