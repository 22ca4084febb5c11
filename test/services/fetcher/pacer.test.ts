import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressPacer } from '../../../services/fetcher/address-pacer.ts';
import { createPacer } from '../../../services/fetcher/pacer.ts';
import { createFakeClock } from './fake-clock.ts';

const never = new AbortController().signal;
const late = Number.MAX_SAFE_INTEGER;

test('a host’s next turn starts after the delay in force since completion', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  const turn = await pacer.acquire('a', 100, late);
  await clock.advance(40);
  turn?.release(clock.nowMs(), 100);
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

test('the larger delay wins: the one in force then, or the one asked for now', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  (await pacer.acquire('a', 0, late))?.release(clock.nowMs(), 500);
  assert.equal(pacer.waitMs('a', 100), 501);
  assert.equal(pacer.waitMs('a', 900), 901);
  assert.equal(pacer.waitMs('b', 900), 0);
});

test('one turn at a time: others wait in line, and those that are late by then give up', async () => {
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
  const turn = await second;
  assert.ok(turn);
  turn.release(clock.nowMs(), 10);
  assert.equal(await hasty, null);
  assert.deepEqual(order, ['second', 'hasty']);
  const third = pacer.acquire('a', 10, late);
  await clock.advance(100);
  assert.ok(await third);
  assert.equal(pacer.waitMs('a', 0), Number.POSITIVE_INFINITY);
});

test('a turn that can’t start in time is refused at once', async () => {
  const clock = createFakeClock();
  const pacer = createPacer(clock, never);
  (await pacer.acquire('a', 0, late))?.release(clock.nowMs(), 500);
  assert.equal(await pacer.acquire('a', 0, clock.nowMs() + 400), null);
});

test('a turn that made no contact costs the host nothing', async () => {
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

test('hosts whose time has passed are forgotten, so memory follows the delays and not the hosts', async () => {
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
    void pacer.acquire('192.0.2.1', late, never).then(() => startedMs.push(clock.nowMs() - beginMs));
  assert.equal(await pacer.acquire('192.0.2.1', clock.nowMs() + 80, never), false);
  assert.equal(await pacer.acquire('192.0.2.2', clock.nowMs(), never), true);
  await clock.advance(1_000);
  assert.deepEqual(startedMs, [0, 30, 60]);
});

test('a host that is held back waits for that too, and its delay is kept besides', async () => {
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

test('starts on one address that come late keep the interval among themselves', async () => {
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
    void pacer.acquire('192.0.2.1', late, never).then(() => startedMs.push(clock.nowMs() - beginMs));
  }
  await clock.advance(1_000);
  assert.deepEqual(startedMs, [0, 130, 160, 190]);
});
