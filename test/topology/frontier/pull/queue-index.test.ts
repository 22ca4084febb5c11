import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueIndex } from '../../../../topology/frontier/pull/queue-index.ts';

const place = (number: number, seq: number, pointer = 0) => ({ number, seq, pointer });

test('a URL is found at its newest place, with the information whether it had another', () => {
  const index = new QueueIndex();
  assert.deepEqual([index.find(1, 2), index.isSole(1, 2), index.size], [undefined, true, 0]);
  index.add(1, 2, place(0, 7, 3));
  index.add(1, 3, place(47, 8, 4));
  assert.deepEqual([index.find(1, 2), index.isSole(1, 2), index.size], [place(0, 7, 3), true, 2]);
  assert.deepEqual(index.find(1, 3), place(47, 8, 4));
  index.add(1, 2, place(47, 9, 5));
  assert.deepEqual([index.find(1, 2), index.isSole(1, 2), index.size], [place(47, 9, 5), false, 2]);
  index.add(1, 2, place(5, 10, 6));
  assert.deepEqual([index.find(1, 2), index.isSole(1, 2), index.isSole(1, 3)], [place(5, 10, 6), false, true]);
  for (const other of [
    [2, 1],
    [0, 2],
    [1, 0],
    [2, 2],
  ] as const)
    assert.equal(index.find(other[0], other[1]), undefined);
});

test('fingerprints that share a slot are distinguished by either word, also past the end of the table', () => {
  const index = new QueueIndex();
  // All begin at the last of 1,024 slots.
  const alike = [1_023, 2_047, 3_071].map((lo) => [0, lo] as const);
  const hi = 1_024;
  const sameWord = [hi, (1_023 ^ Math.imul(hi, 0x9e3779b1)) >>> 0] as const;
  const all = [...alike, sameWord, [0, 0] as const];
  for (const [seq, [hi, lo]] of all.entries()) index.add(hi, lo, place(seq, seq));
  assert.deepEqual(
    all.map(([hi, lo]) => index.find(hi, lo)?.seq),
    [0, 1, 2, 3, 4],
  );
  assert.equal(index.find(1, 1_023), undefined);
});

test('the table always has room to find that a URL is missing', () => {
  const index = new QueueIndex();
  for (let n = 0; n < 1_100; n++) {
    index.add(0, n, place(0, n));
    assert.equal(index.find(1, n), undefined);
  }
});

test('the table grows, and keeps its content', () => {
  const index = new QueueIndex();
  for (let n = 0; n < 3_000; n++) index.add(n % 7, n * 64, place(n % 48, n, 2 * n));
  index.add(6, 6 * 64, place(1, 1));
  for (let n = 0; n < 3_000; n++) if (n !== 6) assert.deepEqual(index.find(n % 7, n * 64), place(n % 48, n, 2 * n));
  assert.deepEqual([index.size, index.isSole(6, 6 * 64), index.isSole(5, 5 * 64)], [3_000, false, true]);
});

test('the row of a place is the last that begins at or before it', () => {
  const index = new QueueIndex();
  for (const first of [10, 20, 30]) index.addRow(3, first);
  index.addRow(4, 5);
  const rows = [10, 11, 19, 20, 29, 30, 31, 1_000].map((seq) => index.rowOf(place(3, seq)));
  assert.deepEqual(rows, [10, 10, 10, 20, 20, 30, 30, 30]);
  assert.equal(index.rowOf(place(4, 5)), 5);
  for (const none of [place(3, 9), place(5, 9), place(4, 4)]) assert.throws(() => index.rowOf(none), /no row is known/);
});
