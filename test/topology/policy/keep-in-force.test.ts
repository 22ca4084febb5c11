import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepInForce } from '../../../topology/policy/keep-in-force.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';

test('a pause, a bandwidth and traces stay unless the new policy sets them', () => {
  const inForce = { ...defaultPolicy(), paused: true, bytesPerSecond: 1_000, maxDepth: 3 };
  const kept = keepInForce(inForce, defaultPolicy());
  assert.deepEqual([kept.paused, kept.bytesPerSecond, kept.maxDepth], [true, 1_000, null]);
  assert.equal('trace' in kept, false);
  assert.equal(keepInForce(inForce, { ...defaultPolicy(), paused: false }).paused, false);
});
