import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAddressContacts } from '../../../../topology/extras/audit/address-contacts.ts';

/** Gaps that are too small, of starts in the order they are told of. */
function gapsOf(
  ...starts: readonly (readonly [startMs: number, delayMs: number])[]
): [startMs: number, gapMs: number][] {
  const address = createAddressContacts();
  return starts.flatMap(([startMs, delayMs]) =>
    address.add({ startMs, delayMs }).map(({ start, gapMs }): [number, number] => [start.startMs, gapMs]),
  );
}

it('two starts on an address must keep their interval, less one millisecond of rounding', () => {
  assert.deepEqual(gapsOf([0, 100], [98, 100]), [[98, 98]]);
  assert.deepEqual(gapsOf([0, 100], [99, 100]), []);
  assert.deepEqual(gapsOf([0, 100], [100, 100]), []);
  assert.deepEqual(gapsOf([50, 100], [50, 100]), [[50, 0]]);
});

it('the delay of the later start counts', () => {
  assert.deepEqual(gapsOf([0, 100], [50, 20]), []);
  assert.deepEqual(gapsOf([0, 20], [50, 100]), [[50, 50]]);
});

it('a start reported late is compared with its neighbours, and each gap is reported once', () => {
  assert.deepEqual(gapsOf([0, 100], [150, 100], [60, 100]), [
    [60, 60],
    [150, 90],
  ]);
  assert.deepEqual(gapsOf([0, 100], [150, 100], [101, 100]), [[150, 49]]);
  // 90 was too soon after 0, and was told of.
  assert.deepEqual(gapsOf([0, 100], [90, 100], [40, 100]), [
    [90, 90],
    [40, 40],
  ]);
});

it('starts of the last two minutes are compared with late ones, older ones are forgotten', () => {
  assert.deepEqual(gapsOf([0, 100], [120_000, 100], [10, 100]), [[10, 10]]);
  assert.deepEqual(gapsOf([0, 100], [120_001, 100], [10, 100]), []);
});

it('the last start is known, whatever was reported last', () => {
  const address = createAddressContacts();
  assert.equal(address.lastMs, 0);
  address.add({ startMs: 500, delayMs: 1 });
  address.add({ startMs: 300, delayMs: 1 });
  assert.equal(address.lastMs, 500);
});
