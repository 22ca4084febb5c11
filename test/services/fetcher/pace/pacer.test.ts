import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressPacer } from '../../../../services/fetcher/pace/address-pacer.ts';
import { createPacer } from '../../../../services/fetcher/pace/pacer.ts';
import { createFakeClock } from '../fake-clock.ts';

const never = new AbortController().signal;
const late = Number.MAX_SAFE_INTEGER;

test('a host’s next permit starts after the delay in force since completion', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  const permit = await pacer.acquire('a', 100, late);
  await clock.advance(40);
  permit?.release(clock.nowMs(), 100);
  const endMs = clock.nowMs();
  let startMs = 0;
  const next = pacer.acquire('a', 100, late).then((taken) => {
    startMs = clock.nowMs();
    return taken;
  });
  await clock.advance(1_000);
  assert.ok(await next);
  // A completion lies somewhere inside its millisecond.
  assert.equal(startMs, endMs + 101);
});

test('the larger delay wins: the one in force then or the one of the new request', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  (await pacer.acquire('a', 0, late))?.release(clock.nowMs(), 500);
  assert.equal(pacer.waitMs('a', 100), 501);
  assert.equal(pacer.waitMs('a', 900), 901);
  assert.equal(pacer.waitMs('b', 900), 0);
});

test('of a delay only the part that is kept outlasts a shorter request, and a host is remembered for all of it', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  const first = (await pacer.acquire('a.test', 60_000, late))!;
  first.release(clock.nowMs(), 60_000, undefined, 3_000);
  assert.equal(pacer.waitMs('a.test', 60_000), 60_001);
  assert.equal(pacer.waitMs('a.test', 1_000), 3_001);
  assert.equal(pacer.waitMs('a.test', 5_000), 5_001);
});

test('a host has one permit at a time; others wait in order, and give up once they are too late', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  const first = await pacer.acquire('a', 10, late);
  const order: string[] = [];
  const second = pacer.acquire('a', 10, late).finally(() => order.push('second'));
  const hasty = pacer.acquire('a', 10, clock.nowMs() + 50).finally(() => order.push('hasty'));
  await clock.advance(100);
  assert.deepEqual(order, []);
  first?.release(clock.nowMs(), 10);
  await clock.advance(100);
  const permit = await second;
  assert.ok(permit);
  permit.release(clock.nowMs(), 10);
  assert.equal(await hasty, null);
  assert.deepEqual(order, ['second', 'hasty']);
  const third = pacer.acquire('a', 10, late);
  await clock.advance(100);
  assert.ok(await third);
  assert.equal(pacer.waitMs('a', 0), Number.POSITIVE_INFINITY);
});

test('a permit that cannot start in time is refused at once', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  (await pacer.acquire('a', 0, late))?.release(clock.nowMs(), 500);
  assert.equal(await pacer.acquire('a', 0, clock.nowMs() + 400), null);
});

test('a permit that made no contact costs the host nothing', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  (await pacer.acquire('a', 500, late))?.release(0, 0);
  assert.equal(pacer.waitMs('a', 500), 0);
});

test('waiting ends at shutdown', async () => {
  const clock = createFakeClock();
  const stop = new AbortController();
  const pacer = createPacer(clock, stop.signal);
  (await pacer.acquire('a', 0, late))?.release(clock.nowMs(), 500);
  const waiting = pacer.acquire('a', 0, late);
  const held = await pacer.acquire('b', 0, late);
  const inLine = pacer.acquire('b', 0, late);
  await clock.advance(10);
  stop.abort();
  assert.deepEqual([await waiting, await inLine], [null, null]);
  held?.release(0, 0);
});

test('hosts whose delay has passed are forgotten, so memory follows the delays and not the hosts', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  for (let n = 0; n < 50_000; n++) {
    (await pacer.acquire(`h${n}`, 0, late))?.release(clock.nowMs(), 100);
    if (n % 100 === 0) await clock.advance(10);
  }
  assert.ok(pacer.size < 10_000, `${pacer.size} hosts`);
});

test('starts on one address keep the interval of the whole group', async () => {
  const clock = createFakeClock();
  const pacer = createAddressPacer(clock, 10, () => 3);
  const startedMs: number[] = [];
  const beginMs = clock.nowMs();
  for (let n = 0; n < 3; n++)
    void pacer.acquire('192.0.2.1', late, never).then((permit) => {
      permit!.start();
      startedMs.push(clock.nowMs() - beginMs);
    });
  assert.equal(await pacer.acquire('192.0.2.1', clock.nowMs() + 80, never), null);
  assert.equal((await pacer.acquire('192.0.2.2', clock.nowMs(), never))?.apartMs, 30);
  await clock.advance(1_000);
  assert.deepEqual(startedMs, [0, 30, 60]);
});

test('a held host waits for the hold and keeps its delay', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  pacer.hold('a', clock.nowMs() + 500);
  assert.equal(pacer.waitMs('a', 0), 500);
  const next = pacer.acquire('a', 0, late);
  await clock.advance(500);
  (await next)?.release(clock.nowMs(), 2_000);
  pacer.hold('a', clock.nowMs() + 100);
  assert.equal(pacer.waitMs('a', 0), 2_001);
  assert.equal(await pacer.acquire('a', 0, clock.nowMs() + 1_000), null);
});

test('late starts on one address keep the interval among themselves', async () => {
  const clock = createFakeClock();
  let lags = true;
  // The first sleeper oversleeps, as on a busy machine, past the time of those behind it.
  const sleepUntil = (untilMs: number, signal?: AbortSignal) => {
    const lagMs = lags && untilMs > clock.nowMs() ? 100 : 0;
    if (lagMs > 0) lags = false;
    return clock.sleepUntil(untilMs + lagMs, signal);
  };
  const pacer = createAddressPacer({ ...clock, sleepUntil }, 30, () => 1);
  const startedMs: number[] = [];
  const beginMs = clock.nowMs();
  for (let n = 0; n < 4; n++) {
    void pacer.acquire('192.0.2.1', late, never).then((permit) => {
      permit!.start();
      startedMs.push(clock.nowMs() - beginMs);
    });
  }
  await clock.advance(1_000);
  assert.deepEqual(startedMs, [0, 130, 160, 190]);
});

/** Permits of a host with slots, each a contact of `takesMs`: when they start. */
async function startsOf(hostSlots: number, permits: number, delayMs: number, takesMs: number): Promise<number[]> {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never, () => hostSlots);
  const beginMs = clock.nowMs();
  const startedMs: number[] = [];
  for (let n = 0; n < permits; n++) {
    void pacer.acquire('a', delayMs, late).then(async (permit) => {
      startedMs.push(clock.nowMs() - beginMs);
      await clock.sleepUntil(clock.nowMs() + takesMs);
      permit!.release(clock.nowMs(), delayMs);
    });
  }
  await clock.advance(1_000_000);
  return startedMs;
}

test('a host with n slots has n permits at once, each a delay after the last end of its slot, without bursts', async () => {
  const starts = await startsOf(4, 12, 400, 1_000);
  assert.deepEqual(starts.slice(0, 4), [0, 100, 200, 300]);
  // A slot goes on a delay after its contact ended, and the millisecond that ended in.
  assert.deepEqual(starts.slice(4, 8), [1_401, 1_501, 1_601, 1_701]);
  assert.deepEqual(starts.slice(8), [2_802, 2_902, 3_002, 3_102]);
  assert.deepEqual(await startsOf(1, 3, 400, 1_000), [0, 1_401, 2_802], 'one slot is what any host has');
});

test('an exclusive permit waits until all others have ended, and delays the next ones', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never, () => 3);
  const beginMs = clock.nowMs();
  const first = await pacer.acquire('a', 0, late);
  const second = await pacer.acquire('a', 0, late);
  const log: [string, number][] = [];
  const note = (name: string) => log.push([name, clock.nowMs() - beginMs]);
  const alone = pacer.acquire('a', 500, late, true).finally(() => note('alone'));
  await clock.advance(100);
  first?.release(clock.nowMs(), 0);
  await clock.advance(100);
  second?.release(clock.nowMs(), 0);
  await clock.advance(1_000);
  (await alone)?.release(clock.nowMs(), 500);
  const next = pacer.acquire('a', 0, late).finally(() => note('next'));
  await clock.advance(1_000);
  (await next)?.release(clock.nowMs(), 0);
  assert.deepEqual(log, [
    ['alone', 701],
    ['next', 1_701],
  ]);
});

test('after the number of slots falls, a host waits for the slots used last', async () => {
  const clock = createFakeClock();
  let hostSlots = 3;
  const pacer = createPacer(clock, never, () => hostSlots);
  const permits = await Promise.all([1, 2, 3].map(() => pacer.acquire('a', 0, late)));
  for (const permit of permits) {
    await clock.advance(100);
    permit?.release(clock.nowMs(), 1_000);
  }
  assert.equal(pacer.waitMs('a', 0), 801);
  hostSlots = 1;
  assert.equal(pacer.waitMs('a', 0), 1_001);
});

test('a permit for an address lasts until its request starts or is dropped', async () => {
  const clock = createFakeClock();
  const pacer = createAddressPacer(clock, 100, () => 1);
  const beginMs = clock.nowMs();
  const first = await pacer.acquire('192.0.2.1', late, never);
  const given: number[] = [];
  const next = () => pacer.acquire('192.0.2.1', late, never).finally(() => given.push(clock.nowMs() - beginMs));
  const [second, third] = [next(), next()];
  await clock.advance(500);
  assert.deepEqual(given, [], 'the first waits for a slot');
  first!.start();
  await clock.advance(100);
  (await second)!.pass();
  await clock.advance(100);
  (await third)!.start();
  assert.deepEqual(given, [600, 600]);
});

test('the address of a host with n slots may be contacted n times as often', async () => {
  const clock = createFakeClock();
  const pacer = createAddressPacer(clock, 100, () => 1);
  const beginMs = clock.nowMs();
  const startedMs: number[] = [];
  for (const hostSlots of [4, 4, 4, 1])
    void pacer.acquire('192.0.2.1', late, never, hostSlots).then((permit) => {
      permit!.start();
      startedMs.push(clock.nowMs() - beginMs);
    });
  await clock.advance(1_000);
  assert.deepEqual(startedMs, [0, 25, 50, 150]);
});

test('a clock that is set forward causes no early contact and no endless wait', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  (await pacer.acquire('a', 30_000, late))?.release(clock.nowMs(), 30_000);
  let isTaken = false;
  const sleeping = pacer.acquire('a', 30_000, late).then((permit) => {
    isTaken = true;
    return permit;
  });
  await clock.advance(10_000);
  clock.leap(3 * 3_600_000);
  assert.equal(pacer.waitMs('a', 30_000), 20_001);
  await clock.advance(20_000);
  assert.equal(isTaken, false);
  await clock.advance(1);
  (await sleeping)?.release(clock.nowMs(), 30_000);
  pacer.hold('a', clock.nowMs() + 60_000);
  clock.leap(3_600_000);
  assert.equal(pacer.waitMs('a', 0), 60_000);
  assert.equal(await pacer.acquire('a', 0, clock.nowMs() + 59_999), null);
});

test('a clock that is set forward causes no early contact of an address', async () => {
  const clock = createFakeClock();
  const pacer = createAddressPacer(clock, 5_000, () => 1);
  (await pacer.acquire('192.0.2.1', late, never))?.start();
  clock.leap(3_600_000);
  let isTaken = false;
  const next = pacer.acquire('192.0.2.1', late, never).then(() => (isTaken = true));
  await clock.advance(4_999);
  assert.equal(isTaken, false);
  await clock.advance(1);
  assert.ok(await next);
});
