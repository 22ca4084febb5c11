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

it('a key that was looked up before it was added is found, whatever was looked up last', () => {
  const table = new KeyTable({ hi: 1, lo: 2 });
  const known = new Map<string, number>();
  let random = 7;
  for (let step = 0; step < 20_000; step++) {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    const key = `h${(random >>> 8) % 500}.test`;
    const isAdded = random >>> 28 === 0 && !known.has(key);
    if (isAdded) {
      table.add(key, known.size);
      known.set(key, known.size);
    }
    const asked = (random & 64) === 0 ? key : `h${(random >>> 16) % 500}.test`;
    assert.equal(table.find(asked), known.get(asked) ?? -1, `step ${step}: ${asked}`);
  }
  assert.ok(known.size > 400);
});
