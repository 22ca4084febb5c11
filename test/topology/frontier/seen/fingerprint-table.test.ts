import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FingerprintTable } from '../../../../topology/frontier/seen/fingerprint-table.ts';
import { fingerprintOf } from './fingerprints.ts';

it('the table is exact: a fingerprint is new once, and only added ones are found', () => {
  const table = new FingerprintTable();
  for (let n = 0; n < 200_000; n++) assert.equal(table.add(...fingerprintOf(n)), true);
  for (let n = 0; n < 200_000; n++) {
    assert.equal(table.add(...fingerprintOf(n)), false);
    assert.equal(table.has(...fingerprintOf(n)), true);
    assert.equal(table.has(...fingerprintOf(n + 1_000_000)), false);
  }
  assert.equal(table.size, 200_000);
});

it('the table returns its fingerprints in ascending order, in blocks of the requested size', () => {
  const table = new FingerprintTable();
  for (let n = 0; n < 100_000; n++) table.add(...fingerprintOf(n));
  let before = -1n;
  const sizes: number[] = [];
  for (const block of table.blocks(8192)) {
    sizes.push(block.length / 2);
    for (let i = 0; i < block.length; i += 2) {
      const fingerprint = (BigInt(block[i]!) << 32n) | BigInt(block[i + 1]!);
      assert.ok(fingerprint > before);
      before = fingerprint;
    }
  }
  assert.deepEqual(sizes, [...Array.from({ length: 12 }, () => 8192), 100_000 - 12 * 8192]);
});

it('the table takes at most 17 bytes a fingerprint, at any size from 100,000 on', () => {
  const table = new FingerprintTable();
  for (let n = 0; n < 1_500_000; n++) {
    table.add(...fingerprintOf(n));
    if (n >= 100_000 && n % 10_000 === 0) assert.ok(table.bytes / table.size <= 17, `${table.bytes / table.size}`);
  }
});

it('the table accepts the fingerprint of zeros', () => {
  const table = new FingerprintTable();
  assert.equal(table.has(0, 0), false);
  assert.equal(table.add(0, 0), true);
  assert.equal(table.add(0, 0), false);
  assert.equal(table.has(0, 0), true);
});

it('the table distinguishes fingerprints that agree in one word, and survives many with one place', () => {
  const table = new FingerprintTable();
  for (let n = 1; n < 3_000; n++) {
    assert.equal(table.add(7, n), true);
    assert.equal(table.add(n + 8, 7), true);
    assert.equal(table.add(0xffffffff, 0xffffffff - n), true);
  }
  for (let n = 1; n < 3_000; n++) {
    assert.ok(table.has(7, n) && table.has(n + 8, 7) && table.has(0xffffffff, 0xffffffff - n));
  }
});
