import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diskLimits } from '../../../../services/runtime/disk/disk-limits.ts';
import { writeWhole } from '../../../../services/runtime/disk/write-whole.ts';

/** A file that takes as many bytes of each write as `takes` says; an error code is thrown. */
function fileThat(takes: readonly (number | string)[]) {
  const written: Buffer[] = [];
  let calls = 0;
  return {
    text: () => Buffer.concat(written).toString(),
    calls: () => calls,
    writev: async (parts: readonly Buffer[]) => {
      const take = takes[calls++] ?? Number.POSITIVE_INFINITY;
      if (typeof take === 'string') throw Object.assign(new Error(take), { code: take });
      const taken = Buffer.concat(parts).subarray(0, take);
      written.push(Buffer.from(taken));
      return { bytesWritten: taken.length };
    },
  };
}
const parts = ['one', '', 'two', 'three'].map((text) => Buffer.from(text));

test('an interrupted write continues at the byte where it stopped', async () => {
  for (let first = 0; first <= 11; first++)
    for (let second = 0; second <= 11; second++) {
      const file = fileThat([first, second]);
      await writeWhole(file, parts);
      assert.equal(file.text(), 'onetwothree', `${first}, ${second}`);
    }
});

test('a whole write takes one call, and no bytes take none', async () => {
  const [file, none] = [fileThat([]), fileThat([])];
  await writeWhole(file, parts);
  await writeWhole(none, [Buffer.alloc(0)]);
  assert.deepEqual([file.calls(), none.calls()], [1, 0]);
});

test('signals and a busy file system do not fail a write', async () => {
  const file = fileThat(['EINTR', 4, 'EAGAIN', 'EINTR', 2]);
  await writeWhole(file, parts);
  assert.equal(file.text(), 'onetwothree');
});

test('an error after a short write fails the write', async () => {
  const file = fileThat([5, 'ENOSPC']);
  await assert.rejects(writeWhole(file, parts), { code: 'ENOSPC' });
});

test('a file system that accepts no more bytes fails the write', async () => {
  const file = fileThat(Array.from({ length: 2 * diskLimits.emptyWritesMax }, () => 0));
  await assert.rejects(writeWhole(file, parts), /takes no more bytes/);
  assert.equal(file.calls(), diskLimits.emptyWritesMax + 1);
});
