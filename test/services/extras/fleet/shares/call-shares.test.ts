import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallShares, strangers } from '../../../../../services/extras/fleet/shares/call-shares.ts';
import { shareLimits } from '../../../../../services/extras/fleet/shares/share-limits.ts';
import { LoopShares } from '../../../../../services/fetcher/pace/loop-shares.ts';

/** A process with a busy loop, in which the crawls of twenty owners take a hundredth of the time each. */
function busyProcess({ utilization = 1 } = {}) {
  let nowMs = 0;
  const loop = new LoopShares({ nowMs: () => nowMs, utilization: () => utilization });
  const owners = Array.from({ length: 20 }, (_, n) => loop.join(`honest-${n}`));
  const pass = (ms: number) => {
    nowMs += ms;
    for (const owner of owners) owner.spend(ms / 100);
  };
  // The loop is busy for a while already.
  for (let times = 0; times < 80; times++) {
    pass(250);
    assert.equal(owners[0]!.isOver, false);
  }
  const clock = { nowMs: () => nowMs, sleepUntil: async (untilMs: number) => pass(untilMs - nowMs) };
  return { calls: new CallShares(loop, clock), pass, clock, honest: owners[0]! };
}

/** Calls without a pause for so long: how many were let in, and the longest wait. */
async function storm(
  { calls, pass, clock }: ReturnType<typeof busyProcess>,
  owner: string | null,
  forMs: number,
  bodyBytes = 0,
) {
  let [count, waitMs] = [0, 0];
  const endMs = clock.nowMs() + forMs;
  while (clock.nowMs() < endMs) {
    const beganMs = clock.nowMs();
    await calls.enter(owner, bodyBytes);
    waitMs = Math.max(waitMs, clock.nowMs() - beganMs);
    count++;
    pass(1);
  }
  return { count, waitMs };
}

test('a storm of an owner’s calls becomes slow while the loop is busy, and another owner’s calls do not', async () => {
  const process = busyProcess();
  const { count, waitMs } = await storm(process, 'eve', 60_000);
  assert.ok(count < 6_000, `${count} calls`);
  assert.ok(waitMs > 200 && waitMs <= 2_250, `${waitMs} ms`);
  const before = process.clock.nowMs();
  await process.calls.enter('honest-1', 1_000);
  assert.equal(process.clock.nowMs(), before);
});

test('calls without a key are slowed together as those of one owner', async () => {
  const { count } = await storm(busyProcess(), strangers, 60_000);
  assert.ok(count < 6_000, `${count} calls`);
});

test('a large body of an owner above its share is refused after the wait, and a small call is let in', async () => {
  const process = busyProcess();
  await storm(process, 'eve', 30_000, 1_000_000);
  assert.equal(await process.calls.enter('eve', 1_000_000), false);
  assert.equal(await process.calls.enter('eve', 100), true);
});

test('no call waits while the loop has spare time, and the operator’s never wait', async () => {
  assert.equal((await storm(busyProcess({ utilization: 0.5 }), 'eve', 10_000)).waitMs, 0);
  assert.equal((await storm(busyProcess(), null, 10_000)).waitMs, 0);
});

test('the time of a call’s work counts for its owner', async () => {
  const { calls, clock, pass, honest } = busyProcess();
  const real = calls.run('eve', () => {
    for (const endMs = performance.now() + 300; performance.now() < endMs; );
    return 'done';
  });
  assert.equal(real, 'done');
  pass(1_000);
  assert.equal(honest.isOver, false);
  const beganMs = clock.nowMs();
  await calls.enter('eve', 0);
  assert.ok(clock.nowMs() > beganMs);
});

test('calls beyond those that may wait are refused, and others are let in later', async () => {
  let nowMs = 0;
  const loop = new LoopShares({ nowMs: () => nowMs, utilization: () => 1 });
  const [eve, ann] = [loop.join('eve'), loop.join('ann')];
  const waiting: (() => void)[] = [];
  const clock = { nowMs: () => nowMs, sleepUntil: () => new Promise<void>((resolve) => waiting.push(resolve)) };
  const calls = new CallShares(loop, clock);
  for (let times = 0; times < 40; times++) {
    nowMs += 250;
    ann.spend(25);
    eve.spend(220);
    assert.equal(ann.isOver, false);
  }
  const storm = Array.from({ length: shareLimits.callsWaitingMax + 3 }, () => calls.enter('eve', 0));
  const refused = await Promise.all(storm.slice(-3));
  assert.deepEqual(refused, [false, false, false]);
  assert.equal(await calls.enter('ann', 0), true);
  nowMs += shareLimits.callWaitMsMax;
  for (const wake of waiting) wake();
  assert.deepEqual(new Set(await Promise.all(storm.slice(0, -3))), new Set([true]));
});

test('large answers slow an owner’s calls down', async () => {
  const busy = busyProcess();
  busy.calls.answered('eve', 10_000_000);
  busy.pass(1_000);
  const beganMs = busy.clock.nowMs();
  await busy.calls.enter('eve', 0);
  assert.ok(busy.clock.nowMs() > beganMs);
});

test('an answer in parts becomes slow for an owner above its share, and for no other', async () => {
  const busy = busyProcess();
  const partsFor = async (forMs: number, bytes: number) => {
    const endMs = busy.clock.nowMs() + forMs;
    const sent = busy.calls.streamed('eve');
    let parts = 0;
    for (; busy.clock.nowMs() < endMs; busy.pass(1)) {
      await sent(bytes);
      parts++;
    }
    return parts;
  };
  const large = await partsFor(20_000, 100_000);
  assert.ok(large < 2_000, `${large} parts`);
  const small = await partsFor(20_000, 1_000);
  assert.ok(small > 5 * large, `${small} small parts, ${large} large ones: it does not wait between any two`);
  const beganMs = busy.clock.nowMs();
  await busy.calls.streamed('honest-1')(100);
  await busy.calls.streamed(null)(100_000_000);
  assert.equal(busy.clock.nowMs(), beganMs);
});
