import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RecentCache } from '../../../../topology/frontier/seen/recent-cache.ts';

it('a cache exceeds its limit by at most one line', () => {
  const sizes = [0, 63, 64, 127, 128, 1_000].map((bytes) => new RecentCache(bytes).bytes);
  assert.deepEqual(sizes, [64, 64, 64, 64, 128, 512]);
});

it('a cache holds both words of added fingerprints, and forgets the oldest', () => {
  const cache = new RecentCache(64);
  for (let n = 1; n <= 8; n++) cache.add(n, 2 * n);
  const held = () => Array.from({ length: 10 }, (_, n) => n).filter((n) => n > 0 && cache.has(n, 2 * n));
  assert.deepEqual(held(), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual([cache.has(1, 4), cache.has(2, 2), cache.has(4, 2)], [false, false, false]);
  cache.add(9, 18);
  assert.deepEqual(held(), [2, 3, 4, 5, 6, 7, 8, 9]);
});

it('a cache line does not affect the others', () => {
  const cache = new RecentCache(128);
  cache.add(1, 0);
  for (let n = 0; n < 8; n++) cache.add(2, 2 * n + 1);
  assert.deepEqual([cache.has(1, 0), cache.has(2, 1), cache.has(2, 15)], [true, true, true]);
});
