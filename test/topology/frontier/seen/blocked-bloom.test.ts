import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockedBloom, bloomBytes } from '../../../../topology/frontier/seen/blocked-bloom.ts';
import { fingerprintOf } from './fingerprints.ts';

const share = (filter: BlockedBloom, from: number, count: number) => {
  let found = 0;
  for (let n = from; n < from + count; n++) found += Number(filter.has(...fingerprintOf(n)));
  return found / count;
};

test('every added URL is found; of others, about one in a hundred at ten bits each', () => {
  const filter = new BlockedBloom(12_800);
  assert.equal(filter.bytes, 12_800);
  assert.equal(share(filter, 0, 1_000), 0);
  for (let n = 0; n < 10_240; n++) filter.add(...fingerprintOf(n));
  assert.equal(share(filter, 0, 10_240), 1);
  const wrong = share(filter, 20_000, 20_000);
  assert.ok(wrong > 0.007 && wrong < 0.0125, `${wrong}`);
});

test('memory is in whole blocks of 64 bytes, at least one', () => {
  assert.deepEqual(
    [0, 1, 64, 127, 128].map((bytes) => new BlockedBloom(bytes).bytes),
    [64, 64, 64, 64, 128],
  );
});

test('the computed bytes for a number of URLs keep false positives at the requested share', () => {
  // 6 probes: 6 · 10⁶ / −ln(1 − 0.01^(1/6)) bits, and a tenth more, in blocks of 64 bytes.
  assert.deepEqual([bloomBytes(1_000_000, 0.01), bloomBytes(1, 0.01)], [1_322_304, 64]);
});
