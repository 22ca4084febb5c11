/** Copies that a member warms up, on a clock that the test sets. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { kafkaLimits } from '../../../../../services/runtime/log/kafka/kafka-limits.ts';
import { createWarmUps } from '../../../../../services/runtime/log/kafka/warm-ups.ts';

function onHandClock(run: (setMs: (nowMs: number) => void) => void): void {
  let nowMs = 0;
  const now = mock.method(performance, 'now', () => nowMs);
  try {
    run((atMs) => {
      nowMs = atMs;
    });
  } finally {
    now.mock.restore();
  }
}

test('a warm-up lasts from its first mention on, also when others begin or end', () => {
  onHandClock((setMs) => {
    const warmUps = createWarmUps(60_000);
    assert.deepEqual(warmUps.lastingMs(), {});
    setMs(1_000);
    warmUps.begin([1, 2]);
    setMs(5_000.4);
    assert.deepEqual(warmUps.lastingMs(), { 1: 4_000, 2: 4_000 });
    warmUps.begin([2, 3]);
    setMs(6_000);
    assert.deepEqual(warmUps.lastingMs(), { 2: 5_000, 3: 1_000 });
    warmUps.begin([]);
    assert.deepEqual(warmUps.lastingMs(), {});
  });
});

test('warm-ups are over when all have caught up, or some have and the others take too long', () => {
  onHandClock((setMs) => {
    const warmUps = createWarmUps(60_000);
    assert.equal(warmUps.areOver([1]), false, 'there is none');
    warmUps.begin([1]);
    assert.deepEqual([warmUps.areOver([2]), warmUps.areOver([1])], [false, true]);
    warmUps.begin([1, 2]);
    assert.equal(warmUps.areOver([]), false);
    assert.equal(warmUps.areOver([1, 2]), true);
    setMs(10_000);
    assert.equal(warmUps.areOver([1, 7]), true, 'since the first look that found one');
    warmUps.begin([1, 2]);
    assert.equal(warmUps.areOver([1, 7]), false);
    setMs(10_000 + kafkaLimits.warmUpsTogetherMs - 1);
    assert.equal(warmUps.areOver([1]), false);
    setMs(10_000 + kafkaLimits.warmUpsTogetherMs);
    assert.equal(warmUps.areOver([1]), true);
  });
});

test('a warm-up that lasts longer than it may is over, whatever has caught up', () => {
  onHandClock((setMs) => {
    const warmUps = createWarmUps(60_000);
    warmUps.begin([1]);
    setMs(30_000);
    warmUps.begin([1, 2]);
    setMs(60_000);
    assert.equal(warmUps.areOver([]), false);
    setMs(60_001);
    assert.equal(warmUps.areOver([]), true);
  });
});
