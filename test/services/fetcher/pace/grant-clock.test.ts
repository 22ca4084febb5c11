import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import { createGrantClock } from '../../../../services/fetcher/pace/grant-clock.ts';
import { createFakeClock } from '../fake-clock.ts';

test('the grant clock is never behind the latest grant and never goes back', async () => {
  const own = createFakeClock(1_000);
  const clock = createGrantClock(own);
  assert.deepEqual([clock.nowMs(), clock.aheadMs], [1_000, 0]);
  clock.observe(900);
  assert.equal(clock.aheadMs, 0, 'a frontier behind us');
  clock.observe(1_300);
  clock.observe(1_200);
  assert.deepEqual([clock.nowMs(), clock.aheadMs], [1_300, 300]);
  let isAwake = false;
  void clock.sleepUntil(1_350).then(() => (isAwake = true));
  await own.advance(49);
  assert.equal(isAwake, false);
  await own.advance(1);
  assert.deepEqual([isAwake, clock.nowMs()], [true, 1_350]);
  const stop = new AbortController();
  const asleep = clock.sleepUntil(9_999, stop.signal);
  stop.abort();
  await asleep;
});

test('a grant of the far future does not move the clock, and those after it do', () => {
  const own = createFakeClock(1_000);
  const clock = createGrantClock(own);
  for (const grantedAtMs of [8.64e15, 1_001 + fetcherLimits.grantAheadMsMax]) {
    clock.observe(grantedAtMs);
    assert.equal(clock.aheadMs, 0);
  }
  clock.observe(1_300);
  assert.equal(clock.aheadMs, 300);
  clock.observe(1_000 + fetcherLimits.grantAheadMsMax);
  assert.equal(clock.aheadMs, fetcherLimits.grantAheadMsMax);
});
