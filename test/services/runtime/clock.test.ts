import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemClock } from '../../../services/runtime/clock.ts';

function handSet() {
  const time = { wallMs: 1_000_000, monotonicMs: 50 };
  const pass = (ms: number) => {
    time.wallMs += ms;
    time.monotonicMs += ms;
  };
  const clock = new SystemClock({
    wallMs: () => time.wallMs,
    monotonicMs: () => time.monotonicMs,
    pause: async (ms) => pass(ms),
  });
  return { time, pass, clock };
}

test('a wall clock that steps back is not followed, even if nobody read it since', () => {
  const { time, pass, clock } = handSet();
  assert.equal(clock.nowMs(), 1_000_000);
  pass(60_000);
  time.wallMs -= 8_000;
  assert.equal(clock.nowMs(), 1_060_000);
  pass(500);
  assert.equal(clock.nowMs(), 1_060_500);
});

test('a wall clock that steps forward, as after the machine slept, is followed', async () => {
  const { time, clock } = handSet();
  clock.nowMs();
  time.wallMs += 3_600_000;
  assert.equal(clock.nowMs(), 4_600_000);
  await clock.sleepUntil(4_601_000);
  assert.equal(clock.nowMs(), 4_601_000);
});

test('a jump of the wall clock is reported: the rest is time that really passed', () => {
  const { time, pass, clock } = handSet();
  clock.nowMs();
  pass(60_000);
  clock.nowMs();
  assert.equal(clock.jumpedMs, 0);
  time.wallMs += 3_600_000;
  pass(500);
  assert.equal(clock.nowMs() - clock.jumpedMs, 1_060_500);
  assert.equal(clock.jumpedMs, 3_600_000);
  time.wallMs -= 7_200_000;
  pass(500);
  assert.equal(clock.nowMs() - clock.jumpedMs, 1_061_000);
});

test('a clock that goes on from a later time passes from there, and one from an earlier time as it was', () => {
  let [wallMs, monotonicMs] = [1_000, 0];
  const clock = new SystemClock({ wallMs: () => wallMs, monotonicMs: () => monotonicMs, pause: async () => {} });
  clock.goOnFrom(5_000);
  assert.equal(clock.nowMs(), 5_000);
  [wallMs, monotonicMs] = [1_010, 10];
  assert.deepEqual([clock.nowMs(), clock.jumpedMs], [5_010, 0]);
  clock.goOnFrom(4_000);
  assert.equal(clock.nowMs(), 5_010);
  [wallMs, monotonicMs] = [9_000, 20];
  assert.equal(clock.nowMs(), 9_000);
});
