import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SeenTest } from '../../../topology/frontier/seen-test.ts';

it('is exact: a fingerprint is new once, and only those added are there', () => {
  const seen = new SeenTest();
  const mix = (n: number) => Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0;
  for (let n = 1; n <= 200_000; n++) assert.equal(seen.add(mix(n), n), true);
  for (let n = 1; n <= 200_000; n++) {
    assert.equal(seen.add(mix(n), n), false);
    assert.equal(seen.has(mix(n), n + 1_000_000), false);
  }
  assert.equal(seen.size, 200_000);
  let visited = 0;
  seen.forEach((hi, lo) => {
    visited += 1;
    assert.equal(hi, mix(lo));
  });
  assert.equal(visited, 200_000);
});

it('takes the fingerprint of zeros as any other', () => {
  const seen = new SeenTest();
  assert.equal(seen.has(0, 0), false);
  assert.equal(seen.add(0, 0), true);
  assert.equal(seen.add(0, 0), false);
  assert.equal(seen.has(0, 0), true);
});

it('keeps fingerprints apart that agree in one word', () => {
  const seen = new SeenTest();
  for (let n = 0; n < 5_000; n++) {
    assert.equal(seen.add(7, n), true);
    assert.equal(seen.add(n + 8, 7), true);
  }
});
