import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hostKeyBytesMax, KeyTable } from '../../../../topology/frontier/hosts/key-table.ts';

it('keys are found by name and by number, over more than one page of bytes', () => {
  const table = new KeyTable({ hi: 1, lo: 2 });
  // Two pages of 1 MiB and a part of a third.
  const keyOf = (n: number) => `${n}.${'x'.repeat(1_000)}.test`;
  for (let n = 0; n < 2_300; n++) table.add(keyOf(n), n);
  assert.equal(table.size, 2_300);
  for (let n = 0; n < 2_300; n++) {
    assert.equal(table.find(keyOf(n)), n);
    assert.equal(table.keyOf(n), keyOf(n));
  }
  assert.equal(table.find('unknown.test'), -1);
});

it('the longest key is held, and one byte more is an error', () => {
  const table = new KeyTable({ hi: 1, lo: 2 });
  const most = 'ü'.repeat(hostKeyBytesMax / 2);
  table.add(most, 0);
  assert.equal(table.find(most), 0);
  assert.throws(() => table.add(`${most}x`, 1), /host key has 1025 bytes/);
});
