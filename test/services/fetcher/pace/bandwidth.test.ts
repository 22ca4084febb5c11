import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBandwidth } from '../../../../services/fetcher/pace/bandwidth.ts';

/** A clock that jumps to whatever is waited for. */
function jumpingClock() {
  let now = 1_000_000;
  return {
    nowMs: () => now,
    sleepUntil: async (untilMs: number, signal?: AbortSignal) => {
      if (!signal?.aborted) now = Math.max(now, Math.ceil(untilMs));
    },
  };
}

const never = new AbortController().signal;

/** Bytes a second over so many responses of these sizes, one after another, less the burst at the start. */
async function rateOver(rate: number, group: number, sizes: readonly number[]): Promise<number> {
  const clock = jumpingClock();
  const bandwidth = createBandwidth(clock, () => group);
  bandwidth.setRate(rate);
  const beganMs = clock.nowMs();
  let bytes = 0;
  for (const size of sizes) {
    const passage = await bandwidth.take(Number.POSITIVE_INFINITY, never);
    passage!.received(size);
    bytes += size;
  }
  return (1000 * bytes) / (clock.nowMs() - beganMs + 1_000);
}

test('the rate holds over many responses of any size, and the group shares it', async () => {
  const even = Array.from({ length: 400 }, () => 10_000);
  const mixed = Array.from({ length: 400 }, (_, i) => (i % 20 === 0 ? 400_000 : 5_000));
  for (const sizes of [even, mixed]) {
    for (const group of [1, 4]) {
      const rate = (await rateOver(100_000, group, sizes)) / (100_000 / group);
      assert.ok(rate > 0.85 && rate < 1.15, `${rate} of the share of one in ${group}`);
    }
  }
});

test('nothing waits without a rate, and removing the rate releases the queue', async () => {
  const clock = jumpingClock();
  const bandwidth = createBandwidth(clock, () => 1);
  const beganMs = clock.nowMs();
  for (let i = 0; i < 100; i++) (await bandwidth.take(beganMs, never))!.received(1e9);
  bandwidth.setRate(1);
  (await bandwidth.take(beganMs, never))!.received(1e9);
  assert.equal(await bandwidth.take(beganMs + 10_000, never), null, 'too late for its deadline, it does not start');
  bandwidth.setRate(null);
  assert.ok(await bandwidth.take(beganMs, never));
  assert.equal(clock.nowMs(), beganMs);
});

test('a request that is aborted at shutdown uses no bandwidth', async () => {
  const clock = jumpingClock();
  const bandwidth = createBandwidth(clock, () => 1);
  bandwidth.setRate(1_000);
  const stopped = new AbortController();
  stopped.abort();
  assert.ok(await bandwidth.take(Number.POSITIVE_INFINITY, stopped.signal), 'the burst is free');
  for (let i = 0; i < 5; i++) assert.equal(await bandwidth.take(Number.POSITIVE_INFINITY, stopped.signal), null);
});
