import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recordHash } from '../../../../topology/frontier/changes/record-hash.ts';

const bytes = (count: number) => Uint8Array.from({ length: count }, (_, i) => (i * 37 + 11) & 255);

it('the hash of a record is the one that changelogs have always held', () => {
  assert.deepEqual(
    [0, 1, 2, 100, 1_024, 1_025].map((count) => recordHash(bytes(count))),
    [
      2_866_489_816_153_099, 1_109_154_408_405_949, 8_835_502_328_995_401, 7_620_549_570_138_203, 6_590_472_840_565_667,
      1_419_203_086_858_957,
    ],
  );
});

it('the hash of a long record covers its beginning and its length', () => {
  const changed = (at: number) => {
    const record = bytes(2_000);
    record[at]! ^= 1;
    return recordHash(record) !== recordHash(bytes(2_000));
  };
  assert.deepEqual([0, 1_023, 1_024, 1_999].map(changed), [true, true, false, false]);
  assert.notEqual(recordHash(bytes(2_000)), recordHash(bytes(2_001)));
});
