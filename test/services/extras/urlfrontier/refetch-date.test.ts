import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf } from '../../../../services/extras/urlfrontier/metadata.ts';
import { dateEntry, dateKey, dateOf, msOf } from '../../../../services/extras/urlfrontier/refetch-date.ts';
import { codecOf, numberOf, type Whole } from '../../../../services/extras/urlfrontier/wire.ts';

const params = codecOf<{ time: Whole }>('BlockQueueParams');
/** As the wire brings it. */
const whole = (digits: bigint): Whole => {
  const bytes: number[] = [0x10];
  for (let left = digits; ; left >>= 7n) {
    const more = left > 0x7fn;
    bytes.push(Number(left & 0x7fn) | (more ? 0x80 : 0));
    if (!more) break;
  }
  return params.decode(Uint8Array.from(bytes)).time;
};

test('a date keeps every digit of its 64 bits', () => {
  for (const digits of [0n, 1n, 1_700_000_000n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]) {
    const kept = dateOf([entryOf('other', '7'), dateEntry(whole(digits))])!;
    const again = params.decode(params.encode({ time: kept })).time;
    assert.deepEqual(again, whole(digits), `${digits}`);
    assert.equal(numberOf(kept), Number(digits));
  }
});

test('a plain number is a date as well', () => {
  assert.equal(dateOf([dateEntry(1_700_000_000)]), 1_700_000_000);
});

test('a URL without a date has none', () => {
  assert.equal(dateOf([]), undefined);
  assert.equal(dateOf([entryOf('other', '7'), entryOf(`${dateKey.slice(0, -1)}x`, '7')]), undefined);
});

test('the frontier counts milliseconds, up to the largest date', () => {
  assert.equal(msOf(0), 0);
  assert.equal(msOf(1_700_000_000), 1_700_000_000_000);
  assert.equal(msOf(whole(8_640_000_000_000n)), 8.64e15);
  assert.equal(msOf(whole(8_639_999_999_999n)), 8.64e15 - 1_000);
  assert.equal(msOf(whole(8_640_000_000_001n)), 8.64e15);
  assert.equal(msOf(whole(2n ** 64n - 1n)), 8.64e15);
});
