import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepStanding } from '../../../topology/policy/keep-standing.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';

test('a pause, a bandwidth and traces stand unless the new policy speaks of them', () => {
  const inForce = { ...defaultPolicy(), paused: true, bytesPerSecond: 1_000, maxDepth: 3 };
  const kept = keepStanding(inForce, defaultPolicy());
  assert.deepEqual([kept.paused, kept.bytesPerSecond, kept.maxDepth], [true, 1_000, null]);
  assert.equal('trace' in kept, false);
  assert.equal(keepStanding(inForce, { ...defaultPolicy(), paused: false }).paused, false);
});
